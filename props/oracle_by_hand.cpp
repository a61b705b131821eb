// Promise: the exact oracle gives what can be worked out by hand, across binades, signs and classes.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <vector>

#include "corpus/generate.h"
#include "oracles/exact.h"
#include "props/promise.h"

namespace normcheck {
namespace {

__extension__ typedef __int128 Int128;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr DType f16 = DType::f16, bf16 = DType::bf16, f32 = DType::f32, f64 = DType::f64;

double pow2(int e) { return std::ldexp(1.0, e); }

ExactRow row(const std::vector<double>& x, double eps) {
  return ExactRow(x.data(), static_cast<std::int64_t>(x.size()), eps);
}

/// One element: y_i of a row, the dtype it is rounded to, the result.
struct ByHand {
  const char* why;
  std::vector<double> x;
  double eps;
  std::int64_t i;
  double gamma, beta;
  DType dtype;
  double want;
};

const std::vector<ByHand> table = {
    {"two points are -1 and 1", {0, 2}, 0, 0, 1, 0, f32, -1},
    {"two points are -1 and 1", {0, 2}, 0, 1, 1, 0, f32, 1},
    {"whatever their distance", {smallest, largest}, 0, 1, 1, 0, f64, 1},
    {"whatever their distance", {-largest, largest}, 0, 0, 1, 0, f64, -1},
    {"whatever their distance", {0, smallest}, 0, 1, 1, 0, f64, 1},
    {"3/sqrt(6) = sqrt(3/2)", {1, 2, 3}, 0, 2, 1, 0, f64, std::sqrt(1.5)},
    {"the middle one is the mean", {1, 2, 3}, 0, 1, 7, 0.25, f32, 0.25},
    {"sqrt(1/2)", {-1, 1}, 1, 1, 1, 0, f64, std::sqrt(0.5)},
    {"eps 3: a power of two", {-1, 1}, 3, 1, 1, 0, f32, 0.5},
    {"eps 15: a power of two", {-1, 1}, 15, 0, 1, 0, f16, -0.25},
    {"n = 1 is beta", {3.7}, 1e-5, 0, 1e17, 0.1, f64, 0.1},
    {"gamma = 0 is beta", {1, 5, 9.5}, 1e-5, 2, 0, -0.1, f64, -0.1},
    {"a constant row is beta", {0.1, 0.1, 0.1}, 1e-5, 1, 3, 0.5, bf16, 0.5},
    {"beta cancels to +0", {0, 2}, 0, 1, 0.1, -0.1, f64, 0.0},
    {"beta cancels all but 2^-53", {0, 2}, 0, 1, 1, -1 + pow2(-53), f64, pow2(-53)},
    {"half-way, 1 is even", {0, 2}, 0, 1, 1, pow2(-24), f32, 1},
    {"above half-way", {0, 2}, 0, 1, 1, pow2(-24) + pow2(-76), f32, 1 + pow2(-23)},
    {"below half-way", {0, 2}, 0, 1, 1, pow2(-24) - pow2(-77), f32, 1},
    {"half-way, up to even", {0, 2}, 0, 1, 1, 3 * pow2(-24), f32, 1 + pow2(-22)},
    {"half-way, negative", {0, 2}, 0, 0, 1, -3 * pow2(-24), f32, -1 - pow2(-22)},
    {"half-way below a power of two", {0, 2}, 0, 1, 1, -pow2(-25), f32, 1},
    {"half-way in f16", {0, 2}, 0, 1, 1, 3 * pow2(-11), f16, 1 + pow2(-9)},
    {"half-way in bf16", {0, 2}, 0, 1, 1, 3 * pow2(-8), bf16, 1 + pow2(-6)},
    {"half-way in f64", {0, 2}, 0, 1, 1, pow2(-53), f64, 1},
    {"above half-way by 2^-105", {0, 2}, 0, 1, 1 + pow2(-52), -pow2(-53) + pow2(-105), f64, 1 + pow2(-52)},
    {"half of the smallest is 0", {0, 2}, 0, 1, pow2(-150), 0, f32, 0.0},
    {"half of the smallest is -0", {0, 2}, 0, 0, pow2(-150), 0, f32, -0.0},
    {"1.5 of the smallest is 2", {0, 2}, 0, 1, 3 * pow2(-150), 0, f32, pow2(-148)},
    {"1.25 of the smallest is 1", {0, 2}, 0, 1, 5 * pow2(-151), 0, f32, pow2(-149)},
    {"f16 subnormal", {0, 2}, 0, 0, 3 * pow2(-25), 0, f16, -pow2(-23)},
    {"f64 subnormal", {-1, 1}, 3, 1, 3 * smallest, 0, f64, 2 * smallest},
    {"carry into the normals", {0, 2}, 0, 1, pow2(-126) - pow2(-151), 0, f32, pow2(-126)},
    {"far below the smallest", {-1, 1}, pow2(1000), 1, smallest, 0, f64, 0.0},
    {"largest f16", {0, 2}, 0, 1, std::nextafter(65520.0, 0), 0, f16, 65504},
    {"from 65520 on f16 is infinite", {0, 2}, 0, 1, 65520, 0, f16, inf},
    {"largest f32", {0, 2}, 0, 0, std::nextafter(pow2(128) - pow2(103), 0), 0, f32, -(pow2(128) - pow2(104))},
    {"f32 overflow", {0, 2}, 0, 0, pow2(128) - pow2(103), 0, f32, -inf},
    {"bf16 overflow", {0, 2}, 0, 1, pow2(128) - pow2(119), 0, bf16, inf},
    {"f64 overflow at omega + ulp/2", {0, 2}, 0, 1, largest, pow2(970), f64, inf},
    {"just below it", {0, 2}, 0, 1, largest, std::nextafter(pow2(970), 0), f64, largest},
    {"far above it", {0, 2}, 0, 1, largest, largest, f64, inf},
    {"one in ten: -1/3 and 3", {10, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 0, 1, 0, f16, 3},
    {"one in ten: -1/3 and 3", {10, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 1, 1, 0, f64, -1.0 / 3.0},
    {"one in ten: gamma makes it -1", {10, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, 1, 3, 0, f64, -1},
};

TEST(OracleByHand, ElementsRoundAsWorkedOut) {
  for (const ByHand& c : table) {
    const ExactValue y = row(c.x, c.eps).y(c.i, c.gamma, c.beta);
    const std::uint64_t got = y.round(c.dtype);
    EXPECT_EQ(got, round_to(c.dtype, c.want)) << c.why << ": got " << to_double(c.dtype, got);
    EXPECT_TRUE(y.faithful(c.dtype, got)) << c.why;
    EXPECT_LE(std::fabs(y.error_ulp(c.dtype, got)), 0.5) << c.why;
    EXPECT_TRUE(std::isinf(c.want) || y.within_ulp(c.dtype, got, 0.5)) << c.why;
  }
  std::printf("[ covered ] %zu elements worked out by hand\n", table.size());
}

TEST(OracleByHand, AnEqualNumberHasErrorZeroAndNoOtherHas) {
  const ExactValue one = row({0, 2}, 0).y(1, 1, 0);
  for (const DType dtype : {f16, bf16, f32, f64}) {
    const std::uint64_t bits = round_to(dtype, 1);
    EXPECT_EQ(one.error_ulp(dtype, bits), 0);
    EXPECT_EQ(one.error_ulp(dtype, bits + 1), 1);
    EXPECT_EQ(one.error_ulp(dtype, bits - 1), -0.5) << "ulp is of the exact value, here a power of two";
    EXPECT_TRUE(one.within_ulp(dtype, bits - 1, 0.5));
    EXPECT_FALSE(one.within_ulp(dtype, bits - 1, std::nextafter(0.5, 0)));
    EXPECT_FALSE(one.faithful(dtype, bits - 1));
    EXPECT_FALSE(one.faithful(dtype, bits + 1));
    EXPECT_EQ(one.ulp_exponent(dtype), 1 - format_of(dtype).precision);
  }
  const ExactValue zero = row({0, 2}, 0).y(1, 0.1, -0.1);
  for (const DType dtype : {f16, bf16, f32, f64}) {
    const std::uint64_t minus = std::uint64_t{1} << (format_of(dtype).bits - 1);
    EXPECT_EQ(zero.error_ulp(dtype, 0), 0);
    EXPECT_EQ(zero.error_ulp(dtype, minus), 0);
    EXPECT_EQ(zero.error_ulp(dtype, 1), 1);
    EXPECT_EQ(zero.error_ulp(dtype, minus | 3), -3);
    EXPECT_TRUE(zero.faithful(dtype, 0) && zero.faithful(dtype, minus));
    EXPECT_FALSE(zero.faithful(dtype, 1) || zero.faithful(dtype, minus | 1));
  }
  // Either sign of zero is a neighbour of a tiny value; the smallest number of the other sign is not.
  const ExactValue tiny = row({-1, 1}, 3).y(1, smallest, 0);
  EXPECT_TRUE(tiny.faithful(f64, 0) && tiny.faithful(f64, 1) && tiny.faithful(f64, std::uint64_t{1} << 63));
  EXPECT_FALSE(tiny.faithful(f64, 2) || tiny.faithful(f64, (std::uint64_t{1} << 63) + 1));
  EXPECT_EQ(tiny.error_ulp(f64, 0), -0.5);
  std::printf("[ covered ] exact hits, power-of-two neighbours and zeros in 4 dtypes\n");
}

TEST(OracleByHand, InfinitiesAndNaN) {
  const std::uint64_t plus = round_to(f16, inf), minus = round_to(f16, -inf), nan = plus + 1;
  const ExactValue y = row({0, 2}, 0).y(1, 65519, 0);
  EXPECT_EQ(y.round(f16), round_to(f16, 65504));
  EXPECT_EQ(y.error_ulp(f16, plus), inf);
  EXPECT_EQ(y.error_ulp(f16, minus), -inf);
  EXPECT_EQ(y.error_ulp(f16, nan), inf);
  EXPECT_TRUE(y.faithful(f16, plus)) << "65519 lies between 65504 and infinity";
  EXPECT_FALSE(y.faithful(f16, minus) || y.faithful(f16, nan));
  EXPECT_TRUE(y.within_ulp(f16, plus, 0.6)) << "infinity stands for 65536, 17/32 ulp away";
  EXPECT_FALSE(y.within_ulp(f16, plus, 0.5) || y.within_ulp(f16, nan, 1e300));
  const ExactValue over = row({0, 2}, 0).y(1, 70000, 0);
  EXPECT_EQ(over.error_ulp(f16, plus), 0);
  EXPECT_EQ(over.error_ulp(f16, minus), -inf);
  EXPECT_EQ(over.error_ulp(f16, round_to(f16, 65504)), (65504.0 - 70000.0) / 32);
  EXPECT_TRUE(over.faithful(f16, plus) && over.faithful(f16, round_to(f16, 65504)));
  EXPECT_FALSE(row({0, 2}, 0).y(1, 65504, 0).faithful(f16, plus)) << "a number has no second neighbour";
  // An error that is finite is never told as infinite, and one that is not 0 never as 0.
  EXPECT_EQ(row({0, 2}, 0).y(1, smallest, 0).error_ulp(f64, round_to(f64, largest)), largest);
  EXPECT_NEAR(row({-1, 1}, pow2(1000)).y(1, smallest, 0).error_ulp(f64, 0), -pow2(-500), pow2(-550));
  std::printf("[ covered ] infinities and NaN against finite and overflowed values\n");
}

TEST(OracleByHand, StatisticsAreRational) {
  const ExactRow far = row({40000, 40001, 40002, 40003}, 0);
  EXPECT_EQ(far.mean().compare(40001.5), 0);
  EXPECT_EQ(far.variance().compare(1.25), 0);
  EXPECT_EQ(far.deviation(0).compare(-1.5), 0);
  EXPECT_EQ(row({0, 0, 1}, 0).mean().to_double(), 1.0 / 3.0);
  EXPECT_EQ(row({0, 0, 1}, 0).variance().to_double(), 2.0 / 9.0);
  EXPECT_EQ(row({0, 0, 1}, 0).deviation(2).round(f32), round_to(f32, 2.0 / 3.0));
  EXPECT_EQ(row({7, 7, 7}, smallest).rstd().compare(pow2(537)), 0);
  EXPECT_EQ(row({0, 1}, 0).rstd().compare(2), 0);
  EXPECT_EQ(row({-largest, largest}, 0).variance().round(f64), round_to(f64, inf));
  EXPECT_EQ(row({0, smallest}, 0).variance().round(f64), 0U);
  EXPECT_EQ(row({0, smallest}, 0).variance().compare(0), 1);
  EXPECT_EQ(row({largest, largest, largest}, 0).mean().compare(largest), 0);
  const ExactValue y = row({0, 2}, 0).y(1, 1, 0);
  EXPECT_TRUE(y.within(1.5, 0.5) && y.within(0.5, 0.5) && y.within(1, 0));
  EXPECT_FALSE(y.within(1.5, std::nextafter(0.5, 0)) || y.within(std::nextafter(0.5, 0), 0.5));
  EXPECT_TRUE(y.within(largest, largest) && y.within(-largest, largest) == false);
  std::printf("[ covered ] mean, variance, deviation, rstd of 10 rows\n");
}

TEST(OracleByHand, WhatHasNoValueIsRefused) {
  const std::vector<double> x{1, 1};
  const ExactRow constant = row(x, 0);
  EXPECT_TRUE(constant.degenerate());
  EXPECT_THROW(constant.y(0, 1, 0), std::domain_error);
  EXPECT_THROW(constant.rstd(), std::domain_error);
  EXPECT_EQ(constant.variance().round(f32), 0U);
  EXPECT_FALSE(row(x, smallest).degenerate());
  EXPECT_THROW(ExactRow(x.data(), 0, 1), std::invalid_argument);
  EXPECT_THROW(row(x, -1), std::invalid_argument);
  EXPECT_THROW(row({1, inf}, 1), std::invalid_argument);
  EXPECT_THROW(row({1, std::nan("")}, 1), std::invalid_argument);
  EXPECT_THROW(row(x, 1).y(0, inf, 0), std::invalid_argument);
  EXPECT_THROW(row(x, 1).y(2, 1, 0), std::out_of_range);
  EXPECT_THROW(row(x, 1).y(0, 1, 0).round(DType::i32), std::invalid_argument);
  std::printf("[ covered ] 9 kinds of refusal\n");
}

/// sign(y - t) for y = (beta + 4 gamma a/sqrt(b16)) 2^-12 and t in units of 2^-26. Here a = n x_i - sum x
/// and b16 = 16 n^2 (var + eps).
int sign_of_difference(Int128 beta, Int128 gamma, Int128 a, Int128 b16, Int128 t) {
  const Int128 u = t - beta * (1 << 14);
  const Int128 g = gamma * a * (1 << 16);
  const int su = u > 0 ? 1 : u < 0 ? -1 : 0;
  const int sg = g > 0 ? 1 : g < 0 ? -1 : 0;
  if (su != sg) return sg > su ? 1 : -1;
  const Int128 gap = g * g - u * u * b16;
  return sg * (gap > 0 ? 1 : gap < 0 ? -1 : 0);
}

/// RN to f16 by bisection over its patterns, from nothing but that sign.
std::uint64_t round_by_bisection(Int128 beta, Int128 gamma, Int128 a, Int128 b16) {
  const auto scaled = [](std::uint64_t bits) {
    return static_cast<Int128>(std::ldexp(to_double(f16, bits), 26));
  };
  const int side = sign_of_difference(beta, gamma, a, b16, 0);
  if (side == 0) return 0;
  std::uint64_t low = 0, high = 0x7bff;
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (side * sign_of_difference(beta, gamma, a, b16, side * scaled(middle)) >= 0 ? low : high) = middle;
  }
  const Int128 half_way = side * (scaled(low) + scaled(high)) / 2;
  const int half = side * sign_of_difference(beta, gamma, a, b16, half_way);
  const std::uint64_t magnitude = half > 0 || (half == 0 && low % 2 == 1) ? high : low;
  return magnitude | (side < 0 ? 0x8000U : 0U);
}

TEST(OracleByHand, SmallIntegersAgreeWithMachineIntegers) {
  CounterRng rng(promise_seed(), 99);
  int elements = 0, ties = 0, wrong_when_moved = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    std::vector<double> x(static_cast<std::size_t>(rng.between(1, 6)));
    for (double& v : x) v = static_cast<double>(rng.between(-9, 9));
    const std::int64_t eps16 = rng.coin(0.4) ? 0 : rng.between(1, 40);
    const ExactRow exact = row(x, static_cast<double>(eps16) / 16);
    if (exact.degenerate()) continue;
    Int128 s1 = 0, s2 = 0;
    const Int128 n = static_cast<Int128>(x.size());
    for (const double v : x) {
      s1 += static_cast<Int128>(v);
      s2 += static_cast<Int128>(v * v);
    }
    const Int128 b16 = 16 * (n * s2 - s1 * s1) + n * n * eps16;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t gamma = rng.between(-16384, 16384), beta = rng.between(-20000, 20000);
      const Int128 a = n * static_cast<Int128>(x[i]) - s1;
      const ExactValue y = exact.y(static_cast<std::int64_t>(i), static_cast<double>(gamma) / 4096,
                                   static_cast<double>(beta) / 4096);
      const std::uint64_t want = round_by_bisection(beta, gamma, a, b16);
      ASSERT_EQ(y.round(f16), want);
      ++elements;
      if (std::fabs(y.error_ulp(f16, want)) == 0.5) ++ties;
      if (y.round(f16) != round_by_bisection(beta + 512, gamma, a, b16)) ++wrong_when_moved;
    }
  }
  EXPECT_GT(elements, 10000);
  EXPECT_GT(ties, 100);
  EXPECT_EQ(wrong_when_moved, elements) << "a beta moved by 1/8 must never go unseen";
  std::printf("[ covered ] %d elements decided in 128-bit integers, %d of them ties\n", elements, ties);
}

}  // namespace
}  // namespace normcheck
