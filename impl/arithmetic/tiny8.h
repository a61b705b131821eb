// An 8-bit float as an arithmetic: so few numbers that every row of three can be tried.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// IEEE 754 in 8 bits: sign, 4 bits of exponent (bias 7), 3 of fraction; subnormals, infinities, NaN; round
/// to nearest, ties to even. All finite numbers are multiples of 2^-9 up to 240. Made for tests: what holds
/// for any precision must hold here too, where rounding, overflow and underflow are common. Operations are
/// done in double and rounded once:
/// - sums (multiples of 2^-9 up to 480) and products (multiples of 2^-18 up to 57600) are exact in double;
/// - a quotient that is no double is a ratio of integers below 2^4 times a power of two, so further than
///   2^-10 relative from every number of 5 bits (the ties) but those that it equals; the same of a root,
///   whose square would be such a number; double's 2^-53 cannot bridge that (Figueroa, When is double
///   rounding innocuous?, 1995: 53 >= 2*4 + 2). Among the subnormals ties have fewer bits still.
class Tiny8 {
 public:
  static constexpr int precision = 4;
  static constexpr double u = 0x1p-4;       ///< unit roundoff
  static constexpr double eta = 0x1p-9;     ///< smallest subnormal
  static constexpr double lowest = 0x1p-6;  ///< smallest normal number
  static constexpr double omega = 240;      ///< largest finite number

  constexpr Tiny8() = default;  ///< +0
  explicit Tiny8(double v) : bits_(rounded(v)) {}
  static constexpr Tiny8 of_bits(std::uint8_t bits) {
    Tiny8 out;
    out.bits_ = bits;
    return out;
  }

  double value() const { return values[bits_]; }
  std::uint8_t bits() const { return bits_; }

  friend Tiny8 operator+(Tiny8 a, Tiny8 b) { return Tiny8(a.value() + b.value()); }
  friend Tiny8 operator-(Tiny8 a, Tiny8 b) { return Tiny8(a.value() - b.value()); }
  friend Tiny8 operator*(Tiny8 a, Tiny8 b) { return Tiny8(a.value() * b.value()); }
  friend Tiny8 operator/(Tiny8 a, Tiny8 b) { return Tiny8(a.value() / b.value()); }
  friend bool operator<(Tiny8 a, Tiny8 b) { return a.value() < b.value(); }
  friend bool operator==(Tiny8 a, Tiny8 b) { return a.value() == b.value(); }

 private:
  static constexpr std::uint8_t infinite = 0x78, quiet_nan = 0x7c;

  static constexpr std::array<double, 256> values = [] {
    std::array<double, 256> out{};
    for (unsigned bits = 0; bits < 256; ++bits) {
      const unsigned exponent = (bits >> 3) & 15, fraction = bits & 7;
      double v = (exponent == 0 ? 0 : 8) + fraction;
      v *= eta;
      for (unsigned e = 1; e < exponent; ++e) v *= 2;
      if (exponent == 15)
        v = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
      out[bits] = bits < 128 ? v : -v;
    }
    return out;
  }();

  /// Subnormals: doubles near 2^43 are the multiples of 2^-9. Normal numbers: half of the lowest kept bit is
  /// added, less one for an even number, and a carry runs on into the exponent, up to infinity.
  static std::uint8_t rounded(double v) {
    const auto all = std::bit_cast<std::uint64_t>(v);
    const auto sign = static_cast<std::uint8_t>(all >> 63 << 7);
    const double size = std::fabs(v);
    if (size < lowest)
      return static_cast<std::uint8_t>(sign | static_cast<int>(((size + 0x1p43) - 0x1p43) / eta));
    if (!(size < 256)) return static_cast<std::uint8_t>(sign | (std::isnan(v) ? quiet_nan : infinite));
    constexpr int dropped = 52 - 3;
    constexpr std::uint64_t rebias = std::uint64_t{1023 - 7} << 52;
    const std::uint64_t magnitude = std::bit_cast<std::uint64_t>(size) - rebias;
    const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1 + ((magnitude >> dropped) & 1);
    return static_cast<std::uint8_t>(sign | ((magnitude + half) >> dropped));
  }

  std::uint8_t bits_ = 0;
};

template <>
struct ArithmeticTraits<Tiny8> {
  static Tiny8 from_count(std::int64_t n) { return Tiny8(static_cast<double>(n)); }
  static Tiny8 from_double(double v) { return Tiny8(v); }
  static double to_double(Tiny8 v) { return v.value(); }
  static Tiny8 root(Tiny8 v) { return Tiny8(std::sqrt(v.value())); }
};

static_assert(RootedArithmetic<Tiny8>);

}  // namespace normcheck
