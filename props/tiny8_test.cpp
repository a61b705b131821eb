// Promise: in 8 bits every operation is the exact one rounded once, and every short row keeps its bounds.
#include "impl/arithmetic/tiny8.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace normcheck {
namespace {

using Numbers = std::vector<Tiny8>;

Numbers all_numbers() {
  Numbers out;
  for (int bits = 0; bits < 256; ++bits) out.push_back(Tiny8::of_bits(static_cast<std::uint8_t>(bits)));
  return out;
}
std::string text(Tiny8 v) { return fmt::format("{:02x} ({:g})", v.bits(), v.value()); }

/// A number read from its bits by the definition of the format, in units of 2^-9.
struct Read {
  bool negative, nan, infinite;
  std::int64_t units;  ///< of |v|
};
Read read(Tiny8 v) {
  const int exponent = v.bits() >> 3 & 15, fraction = v.bits() & 7;
  const std::int64_t units = exponent == 0 ? fraction : std::int64_t{8 + fraction} << (exponent - 1);
  return {v.bits() >= 128, exponent == 15 && fraction != 0, exponent == 15 && fraction == 0, units};
}

constexpr int not_a_number = -1;
constexpr int infinity_bits = 0x78;

/// The bits of the number nearest to a positive real, with `compare(t)` the sign of real - t/2 in units: the
/// first magnitude whose upper tie is not below; a tie goes to the even one. A carry past 240 is infinity.
template <class Compare>
int nearest(const Compare& compare) {
  for (int bits = 0; bits < infinity_bits; ++bits) {
    const std::int64_t here = read(Tiny8::of_bits(static_cast<std::uint8_t>(bits))).units;
    const std::int64_t above = read(Tiny8::of_bits(static_cast<std::uint8_t>(bits + 1))).units;
    const int side = compare(here + (bits + 1 == infinity_bits ? 256 * 512 : above));
    if (side < 0 || (side == 0 && bits % 2 == 0)) return bits;
  }
  return infinity_bits;
}
int with_sign(bool negative, int bits) { return bits | (negative ? 128 : 0); }

/// numerator/denominator units, both positive.
int nearest_ratio(std::int64_t numerator, std::int64_t denominator) {
  return nearest([&](std::int64_t twice) {
    const std::int64_t l = 2 * numerator, r = twice * denominator;
    return l < r ? -1 : l > r ? 1 : 0;
  });
}

int expected_sum(Read a, Read b) {
  if (a.nan || b.nan || (a.infinite && b.infinite && a.negative != b.negative)) return not_a_number;
  if (a.infinite || b.infinite) return with_sign(a.infinite ? a.negative : b.negative, infinity_bits);
  const std::int64_t sum = (a.negative ? -a.units : a.units) + (b.negative ? -b.units : b.units);
  if (sum == 0) return with_sign(a.negative && b.negative, 0);
  return with_sign(sum < 0, nearest_ratio(std::abs(sum), 1));
}
int expected_product(Read a, Read b) {
  const bool negative = a.negative != b.negative,
             zero = (!a.infinite && a.units == 0) || (!b.infinite && b.units == 0);
  if (a.nan || b.nan || (zero && (a.infinite || b.infinite))) return not_a_number;
  if (a.infinite || b.infinite) return with_sign(negative, infinity_bits);
  return with_sign(negative, zero ? 0 : nearest_ratio(a.units * b.units, 512));
}
int expected_quotient(Read a, Read b) {
  const bool negative = a.negative != b.negative, by_zero = !b.infinite && b.units == 0;
  if (a.nan || b.nan || (a.infinite && b.infinite)) return not_a_number;
  if (by_zero) return !a.infinite && a.units == 0 ? not_a_number : with_sign(negative, infinity_bits);
  if (a.infinite) return with_sign(negative, infinity_bits);
  if (b.infinite || a.units == 0) return with_sign(negative, 0);
  return with_sign(negative, nearest_ratio(a.units * 512, b.units));
}
/// The root of k units is sqrt(512 k) units.
int expected_root(Read a) {
  if (a.nan || (a.negative && (a.infinite || a.units != 0))) return not_a_number;
  if (a.infinite) return infinity_bits;
  if (a.units == 0) return with_sign(a.negative, 0);
  return nearest([&](std::int64_t twice) {
    const std::int64_t l = 4 * 512 * a.units, r = twice * twice;
    return l < r ? -1 : l > r ? 1 : 0;
  });
}

bool agrees(Tiny8 got, int expected) {
  return expected == not_a_number ? read(got).nan : got.bits() == expected;
}

using Operation = Tiny8 (*)(Tiny8 a, Tiny8 b);
using Expected = int (*)(Read a, Read b);
/// Of the 65,536 pairs, those that the operation gets wrong.
int wrong_pairs(Operation operation, Expected expected) {
  int wrong = 0;
  for (const Tiny8 a : all_numbers())
    for (const Tiny8 b : all_numbers()) wrong += !agrees(operation(a, b), expected(read(a), read(b)));
  return wrong;
}

TEST(Tiny8, EveryOperationIsTheExactOneRoundedOnce) {
  EXPECT_EQ(wrong_pairs([](Tiny8 a, Tiny8 b) { return a + b; }, expected_sum), 0);
  EXPECT_EQ(wrong_pairs([](Tiny8 a, Tiny8 b) { return a - b; },
                        [](Read a, Read b) {
                          b.negative = !b.negative;
                          return expected_sum(a, b);
                        }),
            0);
  EXPECT_EQ(wrong_pairs([](Tiny8 a, Tiny8 b) { return a * b; }, expected_product), 0);
  EXPECT_EQ(wrong_pairs([](Tiny8 a, Tiny8 b) { return a / b; }, expected_quotient), 0);
  int less = 0;
  for (const Tiny8 a : all_numbers()) {
    EXPECT_TRUE(agrees(ArithmeticTraits<Tiny8>::root(a), expected_root(read(a)))) << text(a);
    EXPECT_TRUE(read(a).nan ? std::isnan(a.value()) : Tiny8(a.value()).bits() == a.bits()) << text(a);
    for (const Tiny8 b : all_numbers()) less += a < b;
  }
  EXPECT_EQ(less, 242 * 241 / 2 - 1) << "240 finite numbers and two infinities, of which -0 and 0 are equal";
  EXPECT_EQ(count<Tiny8>(17).value(), 16);
  EXPECT_EQ(count<Tiny8>(19).value(), 20);
  fmt::print("65536 pairs x 4 operations, 256 roots\n");
}

TEST(Tiny8, AnOperationThatIsRoundedWronglyIsSeen) {
  const int up = wrong_pairs(  // ties away from zero
      [](Tiny8 a, Tiny8 b) { return Tiny8((a.value() + b.value()) * (1 + 0x1p-40)); }, expected_sum);
  const int twice = wrong_pairs(  // by way of 6 bits
      [](Tiny8 a, Tiny8 b) {
        const double q = a.value() / b.value(), c = q * 0x1p47;
        return Tiny8(std::isfinite(c) ? (q + c) - c : q);
      },
      expected_quotient);
  const int flushed = wrong_pairs(
      [](Tiny8 a, Tiny8 b) {
        const double p = a.value() * b.value();
        return Tiny8(std::fabs(p) < Tiny8::lowest ? std::copysign(0.0, p) : p);
      },
      expected_product);
  EXPECT_GT(up, 0);
  EXPECT_GT(twice, 0);
  EXPECT_GT(flushed, 0);
  fmt::print("planted: ties away {}, rounded twice {}, subnormals flushed {} wrong pairs\n", up, twice,
             flushed);
}

}  // namespace
}  // namespace normcheck
