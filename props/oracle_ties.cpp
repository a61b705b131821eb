// Ties made on purpose: there, and only there, wide floats and exact integers may differ.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "props/oracle_pair.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// Small integers whose n sum x^2 - (sum x)^2 is the square of `root`, so that x_hat is rational, while their
/// mean is not a binary fraction: floats of any width then miss x_hat by a little.
std::vector<double> rational_row(CounterRng& rng, std::int64_t& root) {
  for (;;) {
    std::vector<double> x(static_cast<std::size_t>(rng.between(5, 7)));
    std::int64_t s1 = 0, s2 = 0;
    for (double& v : x) {
      const std::int64_t integer = rng.between(0, 30);
      v = static_cast<double>(integer);
      s1 += integer;
      s2 += integer * integer;
    }
    const auto n = static_cast<std::int64_t>(x.size());
    const std::int64_t b = n * s2 - s1 * s1;
    root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(b)));
    if (b > 0 && root * root == b && s1 * 8 % n != 0) return x;
  }
}

// gamma = g * root makes y = beta + g (n x_i - sum x), so that beta can make a tie of it.
TEST(Oracle, TheyDifferOnlyOnTies) {
  Met met;
  int made = 0, wrong = 0;
  CounterRng rng(promise_seed(), 110);
  for (int rows = 0; rows < 60; ++rows) {
    std::int64_t root = 0;
    const std::vector<double> x = rational_row(rng, root);
    const auto n = static_cast<std::int64_t>(x.size());
    double sum = 0;
    for (const double v : x) sum += v;
    const double a = static_cast<double>(n) * x[0] - sum;
    const ExactRow exact(x.data(), n, 0);
    const WideRow wide(x.data(), n, 0);
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      for (int trial = 0; trial < 4; ++trial) {
        const std::uint64_t low = round_to(dtype, 1 + rng.uniform()) + rng.below(4);
        const std::uint64_t even = low % 2 == 0 ? low : low + 1;
        const double middle = (to_double(dtype, low) + to_double(dtype, low + 1)) / 2;
        const double g = static_cast<double>(rng.between(1, 1000)) / 64;
        const double gamma = g * static_cast<double>(root), beta = middle - g * a;
        const ExactValue y = exact.y(0, gamma, beta);
        const WideValue z = wide.y(0, gamma, beta);
        ASSERT_EQ(y.compare(middle), 0);
        ASSERT_EQ(y.round(dtype), even) << "ties go to even";
        ASSERT_EQ(std::fabs(y.error_ulp(dtype, even)), 0.5);
        ASSERT_TRUE(z.round(dtype) == low || z.round(dtype) == low + 1);
        EXPECT_EQ(disagreement(y, z, dtype, met), "");
        for (const double off : {0x1p-36, -0x1p-36}) {  // beside the tie both see the side
          const std::uint64_t side = off > 0 ? low + 1 : low;
          ASSERT_EQ(exact.y(0, gamma, beta + off).round(dtype), side);
          ASSERT_EQ(wide.y(0, gamma, beta + off).round(dtype), side);
        }
        ++made;
        wrong += z.round(dtype) != even;
      }
    }
  }
  print_met("constructed", met);
  std::printf("[ covered ] %d ties made; wide floats took the wrong side of %d\n", made, wrong);
  EXPECT_GE(made, 100);
  EXPECT_EQ(met.ties, made);
  EXPECT_EQ(met.differ_on_ties, wrong);
  EXPECT_GT(wrong, 0) << "otherwise this shows nothing";
}

}  // namespace
}  // namespace normcheck
