// f16 and bf16 as arithmetics: every operation is done in double and rounded once to the format.
#pragma once

#include <bit>
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
  explicit Float16(double v) : bits_(rounded(v)) {}

  double value() const {
    const std::uint64_t exponent = (bits_ & 0x7fffu) >> fraction_bits;
    if (exponent == 0 || exponent == exponent_mask) return normcheck::to_double(dtype, bits_);
    const std::uint64_t magnitude = (std::uint64_t{bits_ & 0x7fffu} << dropped_bits) + (rebias << 52);
    return std::bit_cast<double>((std::uint64_t{bits_ & 0x8000u} << 48) | magnitude);
  }
  std::uint16_t bits() const { return bits_; }

  friend Float16 operator+(Float16 a, Float16 b) { return Float16(a.value() + b.value()); }
  friend Float16 operator-(Float16 a, Float16 b) { return Float16(a.value() - b.value()); }
  friend Float16 operator*(Float16 a, Float16 b) { return Float16(a.value() * b.value()); }
  friend Float16 operator/(Float16 a, Float16 b) { return Float16(a.value() / b.value()); }
  friend bool operator<(Float16 a, Float16 b) { return a.value() < b.value(); }
  friend bool operator==(Float16 a, Float16 b) { return a.value() == b.value(); }

 private:
  static constexpr int fraction_bits = format_of(dtype).precision - 1;
  static constexpr int dropped_bits = 52 - fraction_bits;
  static constexpr std::uint64_t exponent_mask = 0x7fffu >> fraction_bits;
  /// The exponent bias of double less that of the format.
  static constexpr std::uint64_t rebias = 1023 - static_cast<std::uint64_t>(format_of(dtype).emax);

  /// Normal numbers here (half of the lowest kept bit is added, less one for an even number, and a carry
  /// runs on into the exponent, up to infinity); zeros, subnormals and the rest in round_to.
  static std::uint16_t rounded(double v) {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
    const std::uint64_t exponent = magnitude >> 52;
    if (exponent <= rebias || exponent >= rebias + exponent_mask) {
      return static_cast<std::uint16_t>(round_to(dtype, v));
    }
    const std::uint64_t odd = (magnitude >> dropped_bits) & 1;
    const std::uint64_t half = (std::uint64_t{1} << (dropped_bits - 1)) - 1 + odd;
    const std::uint64_t kept = ((magnitude - (rebias << 52)) + half) >> dropped_bits;
    return static_cast<std::uint16_t>(((bits >> 48) & 0x8000u) | kept);
  }

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
