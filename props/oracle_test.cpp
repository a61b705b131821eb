// Promise: the exact oracle and the wide one, which share no source, differ on exact ties alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "props/oracle_pair.h"
#include "props/promise.h"

namespace normcheck {
namespace {

void compare_on_random_rows(DType dtype, int rows) {
  Met met;
  for (int r = 0; r < rows; ++r) {
    CounterRng rng(promise_seed(),
                   7'000'000 + static_cast<std::uint64_t>(r) * 4 + static_cast<std::uint64_t>(dtype));
    Problem p = draw_problem(rng, dtype);
    const auto n = static_cast<std::int64_t>(p.x.size());
    const ExactRow exact(p.x.data(), n, p.eps);
    const WideRow wide(p.x.data(), n, p.eps);
    ASSERT_EQ(exact.degenerate(), wide.degenerate());
    const std::int64_t i = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n)));
    EXPECT_EQ(disagreement(exact.mean(), wide.mean(), dtype, met), "") << "mean, " << describe(p, i);
    EXPECT_EQ(disagreement(exact.variance(), wide.variance(), dtype, met), "")
        << "variance, " << describe(p, i);
    if (exact.degenerate()) continue;
    EXPECT_EQ(disagreement(exact.rstd(), wide.rstd(), dtype, met), "") << "rstd, " << describe(p, i);
    if (rng.coin(0.2)) {  // beta takes away all that its dtype can hold of gamma * x_hat
      p.beta = -to_double(dtype, exact.y(i, p.gamma, 0).round(dtype));
      if (!std::isfinite(p.beta)) p.beta = 0;
      ++met.cancelled;
    }
    const ExactValue y = exact.y(i, p.gamma, p.beta);
    EXPECT_EQ(disagreement(y, wide.y(i, p.gamma, p.beta), dtype, met), "") << describe(p, i);
    EXPECT_EQ(inconsistency(y, dtype), "") << describe(p, i);
    if (::testing::Test::HasFailure()) return;
  }
  print_met(std::string(dtype_name(dtype)).c_str(), met);
  EXPECT_GT(met.elements, 3 * rows);
  EXPECT_GT(met.subnormal, rows / 100);
}

// Rows so long that n counts among the bits.
TEST(Oracle, ExactAndWideAgreeOnLongRows) {
  Met met;
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    CounterRng rng(promise_seed(), 170 + static_cast<std::uint64_t>(dtype));
    std::vector<double> x(70'000);
    for (double& v : x) v = to_double(dtype, round_to(dtype, 1000 + rng.normal()));
    const auto n = static_cast<std::int64_t>(x.size());
    const ExactRow exact(x.data(), n, 1e-5);
    const WideRow wide(x.data(), n, 1e-5);
    EXPECT_EQ(disagreement(exact.mean(), wide.mean(), dtype, met), "");
    EXPECT_EQ(disagreement(exact.variance(), wide.variance(), dtype, met), "");
    EXPECT_EQ(disagreement(exact.rstd(), wide.rstd(), dtype, met), "");
    for (int k = 0; k < 200; ++k) {
      const auto i = static_cast<std::int64_t>(rng.below(x.size()));
      const double gamma = rng.normal(), beta = rng.normal();
      EXPECT_EQ(disagreement(exact.y(i, gamma, beta), wide.y(i, gamma, beta), dtype, met), "");
    }
  }
  print_met("n = 70000", met);
}

TEST(Oracle, ExactAndWideAgreeInF16) { compare_on_random_rows(DType::f16, 4000); }
TEST(Oracle, ExactAndWideAgreeInBF16) { compare_on_random_rows(DType::bf16, 1500); }
TEST(Oracle, ExactAndWideAgreeInF32) { compare_on_random_rows(DType::f32, 1500); }
TEST(Oracle, ExactAndWideAgreeInF64) { compare_on_random_rows(DType::f64, 400); }

TEST(Oracle, AComparisonCatchesAMovedElement) {
  int tried = 0, by_rounding = 0;
  for (const DType dtype : float_dtypes) {
    for (int r = 0; r < 200; ++r) {
      CounterRng rng(promise_seed(),
                     13'000'000 + static_cast<std::uint64_t>(r) * 4 + static_cast<std::uint64_t>(dtype));
      std::vector<double> x(8);
      for (double& v : x) v = to_double(dtype, round_to(dtype, 3 + rng.normal()));
      x[5] = 5;
      const WideRow wide(x.data(), 8, 1e-5);
      x[5] = to_double(dtype, step(dtype, round_to(dtype, x[5]), 1));
      const ExactRow moved(x.data(), 8, 1e-5);
      Met met;
      ++tried;
      EXPECT_NE(disagreement(moved.y(2, 1.5, 0.25), wide.y(2, 1.5, 0.25), dtype, met), "");
      EXPECT_NE(disagreement(moved.variance(), wide.variance(), dtype, met), "");
      by_rounding += moved.y(2, 1.5, 0.25).round(dtype) != wide.y(2, 1.5, 0.25).round(dtype);
    }
  }
  std::printf("[ covered ] %d rows with one element moved by one ulp: all seen, %d by the rounded result\n",
              tried, by_rounding);
}

}  // namespace
}  // namespace normcheck
