// A mean of squared deviations is never negative; E[x^2]-E[x]^2 can be, and gives NaN.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <vector>

#include "impl/trace.h"
#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// Rows that bring a variance near 0 by cancellation: a large mean, a small spread, constants, ramps, one
/// outlier, and mixed exponents.
Tensor hard_rows(CounterRng& rng, DType dtype, std::int64_t rows, std::int64_t n) {
  Tensor x(dtype, {rows, n});
  for (std::int64_t r = 0; r < rows; ++r) {
    const double mean = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.between(-8, 13)));
    const double spread = rng.below(5) == 0 ? 0 : std::ldexp(mean, -static_cast<int>(rng.between(0, 30)));
    const std::int64_t outlier = rng.between(-1, n - 1);
    for (std::int64_t i = 0; i < n; ++i) {
      const double ramp = static_cast<double>(i) / static_cast<double>(n);
      const double v = mean + spread * (rng.coin() ? rng.normal() : ramp);
      x.set_value(r * n + i, i == outlier && rng.coin() ? -v : v);
    }
  }
  return x;
}

struct Signs {
  std::int64_t rows = 0;
  std::int64_t negative = 0;
  std::int64_t zero = 0;
  std::int64_t nan = 0;
  std::optional<Case> first_negative;
};

Signs signs_of(const Row& row, DType dtype) {
  Signs s;
  CounterRng rng(promise_seed(), 46);
  for (std::int64_t n = 1; n <= 48; ++n) {
    const Case c = case_of(hard_rows(rng, dtype, 60, n));
    const std::vector<StepValues> steps = trace_case(row, c);
    for (const double v : steps[static_cast<std::size_t>(Step::variance)].values) {
      ++s.rows;
      if (v < 0 && s.negative++ == 0) s.first_negative = c;
      s.zero += v == 0;
      s.nan += v != v;
    }
  }
  return s;
}

TEST(Variance, AMeanOfSquaredDeviationsIsNeverNegative) {
  for (const Row& row : table()) {
    if (row.algorithm == "naive" || row.variant.finish != Finish::direct) continue;
    for (const DType dtype : row.storages) {
      const Signs s = signs_of(row, dtype);
      EXPECT_EQ(s.negative, 0) << row.name << " " << dtype_name(dtype) << '\n'
                               << (s.first_negative ? record_failure(*s.first_negative, row.name) : "");
      if (is_right(row)) {
        EXPECT_EQ(s.nan, 0) << row.name << " " << dtype_name(dtype);
      }
      fmt::print("{} {}: {} rows, {} variances 0, {} NaN by overflow\n", row.name, dtype_name(dtype), s.rows,
                 s.zero, s.nan);
    }
  }
}

TEST(Variance, ADifferenceOfSquaresIsNegativeOnTheSameRows) {
  for (const std::string_view name : {"naive/f16", "naive/bf16", "naive/f32", "naive/f64"}) {
    const Row& row = *find_row(name);
    const DType dtype = row.storages.back();
    const Signs s = signs_of(row, dtype);
    EXPECT_GT(s.negative, 0) << name;
    fmt::print("planted: {} {}: {} of {} variances negative\n", name, dtype_name(dtype), s.negative, s.rows);
  }
}

TEST(Variance, OneAndAQuarterBecomesMinus128) {
  Case c = case_of(tensor_of(DType::f32, {1, 4}, {40000, 40001, 40002, 40003}));
  const RowTrace naive = trace_row(*find_row("naive/f32"), c, 0);
  EXPECT_EQ(naive.mean, 40001.5);
  EXPECT_EQ(naive.variance, -128);
  EXPECT_TRUE(std::isnan(naive.rstd));
  const Observation out = run_case(*find_row("naive/f32"), c, {true, true});
  for (const double y : values_of(out.y)) EXPECT_TRUE(std::isnan(y));
  for (const std::string_view name : {"two_pass/f32", "welford/f32", "chan/f32", "naive/f64"}) {
    EXPECT_EQ(trace_row(*find_row(name), c, 0).variance, 1.25) << name;
  }
  fmt::print("40000..40003 in f32: naive -128, two_pass, welford, chan 1.25\n");
}

TEST(Variance, TheTraceIsTheRun) {
  int rows = 0;
  for (const Row& row : table()) {
    for (const DType dtype : row.storages) {
      CounterRng rng(promise_seed(), 47);
      Case c = case_of(normal_tensor(rng, dtype, {3, 4, 5}, 2), 2);
      c.gamma = normal_tensor(rng, dtype, {4, 5});
      c.beta = normal_tensor(rng, dtype, {4, 5});
      const Observation out = run_case(row, c, {true, true});
      const std::vector<StepValues> steps = trace_case(row, c);
      ASSERT_EQ(steps.size(), step_names.size());
      const auto matches = [&](Step step, const Tensor& got) {
        const StepValues& s = steps[static_cast<std::size_t>(step)];
        return s.step == step && s.shape == got.shape &&
               same_values(tensor_of(got.dtype, s.shape, s.values), got);
      };
      EXPECT_TRUE(matches(Step::scale_shift, out.y)) << row.name;
      EXPECT_TRUE(matches(Step::mean, *out.mean)) << row.name;
      EXPECT_TRUE(matches(Step::rstd, *out.rstd)) << row.name;
      EXPECT_FALSE(matches(Step::mean, *out.rstd)) << row.name;
      EXPECT_EQ(steps[1].shape, c.x.shape);
      EXPECT_EQ(steps[1].values.size(), 60u);
      EXPECT_EQ(steps[2].shape, (Shape{3, 1, 1}));
      EXPECT_EQ(steps[4].values.size(), row.variant.finish == Finish::folded ? 0u : 60u) << row.name;
      ++rows;
    }
  }
  fmt::print("{} pairs of row and storage dtype, six steps each; planted: the rstd for the mean is seen\n",
             rows);
}

}  // namespace
}  // namespace normcheck
