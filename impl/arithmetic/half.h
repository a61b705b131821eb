// f16 and bf16 as arithmetics: every operation is done in double and rounded once to the format.
#pragma once

#include <cmath>
#include <cstdint>

#include "corpus/dtype.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// A 16-bit float, stored as its bits. Rounding through double is one rounding, not two:
/// - a product of two p-bit numbers (p = 11 or 8) is exact in double;
/// - a sum, quotient or root of p-bit numbers, when it is no tie of the format, is further than 2^-53
///   (relative) from every tie, since 53 >= 2p + 2 (Figueroa, When is double rounding innocuous?, 1995);
///   a result in the subnormal range of the format has fewer bits still, and is normal in double.
template <DType dtype>
class Float16 {
  static_assert(is_half(dtype));

 public:
  constexpr Float16() = default;
  explicit Float16(double v) : bits_(static_cast<std::uint16_t>(round_to(dtype, v))) {}

  double value() const { return normcheck::to_double(dtype, bits_); }
  std::uint16_t bits() const { return bits_; }

  friend Float16 operator+(Float16 a, Float16 b) { return Float16(a.value() + b.value()); }
  friend Float16 operator-(Float16 a, Float16 b) { return Float16(a.value() - b.value()); }
  friend Float16 operator*(Float16 a, Float16 b) { return Float16(a.value() * b.value()); }
  friend Float16 operator/(Float16 a, Float16 b) { return Float16(a.value() / b.value()); }
  friend bool operator<(Float16 a, Float16 b) { return a.value() < b.value(); }
  friend bool operator==(Float16 a, Float16 b) { return a.value() == b.value(); }

 private:
  std::uint16_t bits_ = 0;
};

using Half = Float16<DType::f16>;
using BFloat16 = Float16<DType::bf16>;

template <DType dtype>
struct ArithmeticTraits<Float16<dtype>> {
  using R = Float16<dtype>;
  static R from_count(std::int64_t n) { return R(static_cast<double>(n)); }
  static R from_double(double v) { return R(v); }
  static double to_double(R v) { return v.value(); }
  static R root(R v) { return R(std::sqrt(v.value())); }
};

static_assert(RootedArithmetic<Half> && RootedArithmetic<BFloat16>);

}  // namespace normcheck
