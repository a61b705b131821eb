// Moves rows between storage and the arithmetic they are computed in: exact on the way in, one rounding out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "corpus/dtype.h"
#include "impl/arithmetic/extended.h"
#include "impl/arithmetic/half.h"
#include "impl/arithmetic/native.h"

namespace normcheck {

/// The machine format that an arithmetic is.
template <class R>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<long double> = DType::f80;
template <DType dtype>
inline constexpr DType dtype_of<Float16<dtype>> = dtype;

/// `n` values of `dtype` as R, each rounded at most once (exact where R is no narrower).
template <Arithmetic R>
void load(DType dtype, const std::byte* from, std::int64_t n, R* to) {
  const auto convert = [&]<class Stored>(Stored) {
    for (std::int64_t i = 0; i < n; ++i) {
      Stored v;
      std::memcpy(&v, from + static_cast<std::size_t>(i) * sizeof v, sizeof v);
      if constexpr (std::is_same_v<Stored, R>) {
        to[i] = v;
      } else {
        to[i] = ArithmeticTraits<R>::from_double(ArithmeticTraits<Stored>::to_double(v));
      }
    }
  };
  if (dtype == DType::f16) return convert(Half{});
  if (dtype == DType::bf16) return convert(BFloat16{});
  if (dtype == DType::f64) return convert(double{});
  convert(float{});
}

/// `n` values of R as `dtype`, each rounded once, straight from R: a half from double never goes by way
/// of float.
template <Arithmetic R>
void store(DType dtype, const R* from, std::int64_t n, std::byte* to) {
  const auto convert = [&]<class Stored>(Stored) {
    for (std::int64_t i = 0; i < n; ++i) {
      const Stored v = ArithmeticTraits<Stored>::from_double(ArithmeticTraits<R>::to_double(from[i]));
      std::memcpy(to + static_cast<std::size_t>(i) * sizeof v, &v, sizeof v);
    }
  };
  if (dtype == DType::f16) return convert(Half{});
  if (dtype == DType::bf16) return convert(BFloat16{});
  if (dtype == DType::f64) return convert(double{});
  convert(float{});
}

}  // namespace normcheck
