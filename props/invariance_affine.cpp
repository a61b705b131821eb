// What a layer norm owes gamma and beta, bit for bit: linearity, and powers of two.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "props/build_case.h"
#include "props/call_tally.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// y over rows of x = +-1 (n even, as many of each, eps 0): mean 0, variance 1 and x_hat = x, all exact; so y
/// is linear in integer gamma and beta without a rounding. Welford's means are exact at n = 2.
CallTally linearity(const Layer& layer, DType dtype, std::int64_t longest) {
  CallTally t;
  CounterRng rng(promise_seed(), 63);
  for (std::int64_t n = 2; n <= longest; n += 2) {
    Case c = case_of(tensor_of(dtype, {2, n}, {1, -1}), 1, 0.0);
    const auto run = [&](const Tensor& gamma, const Tensor& beta) {
      c.gamma = gamma;
      c.beta = beta;
      return values_of(layer(c).y);
    };
    const auto small = [&] { return grid_tensor(rng, dtype, {n}, -20, 20); };
    const Tensor g1 = small(), g2 = small(), b1 = small(), b2 = small();
    const auto sum = [&](const Tensor& a, const Tensor& b) {
      Tensor out(dtype, a.shape);
      for (std::int64_t i = 0; i < a.size(); ++i) out.set_value(i, a.value(i) + b.value(i));
      return out;
    };
    const std::vector<double> y1 = run(g1, b1), y2 = run(g2, b2), y = run(sum(g1, g2), sum(b1, b2));
    bool linear = true;
    for (std::size_t i = 0; i < y.size(); ++i) linear &= y[i] == y1[i] + y2[i];
    const Tensor zero(dtype, {n});
    for (const double v : run(zero, zero)) linear &= v == 0;
    t.add(linear, c);
  }
  return t;
}

TEST(Invariance, YIsLinearInGammaAndBetaTogether) {
  int calls = 0;
  for (const Row& row : table()) {
    const bool sums = row.algorithm == "two_pass" || row.algorithm == "naive";
    for (const DType dtype : row.storages) {
      const CallTally t = linearity(layer_of(row), dtype, sums ? 64 : 2);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
      calls += t.calls;
    }
  }
  const Row& row = *find_row("two_pass/f32");
  const std::vector<std::pair<std::string, Layer>> planted = {
      {"1+gamma for gamma",
       [&](Case c) {
         for (std::int64_t i = 0; i < c.gamma->size(); ++i) c.gamma->set_value(i, 1 + c.gamma->value(i));
         return run_case(row, c);
       }},
      {"beta before gamma, (x_hat+beta)*gamma",
       [&](const Case& c) {
         Case bare = c;
         bare.gamma.reset();
         Observation out = run_case(row, bare);
         for (std::int64_t i = 0; i < out.y.size(); ++i) {
           out.y.set_value(i, out.y.value(i) * c.gamma->value(i % row_length(c)));
         }
         return out;
       }},
  };
  for (const auto& [what, layer] : planted) {
    const CallTally t = linearity(layer, DType::f32, 64);
    EXPECT_GT(t.wrong, 0) << what;
    fmt::print("planted: {}: seen in {} of {} calls\n", what, t.wrong, t.calls);
  }
  fmt::print("{} calls\n", calls);
}

/// gamma and beta times a power of two, or negated: y likewise, on any row.
TEST(Invariance, APowerOfTwoInGammaAndBetaIsOneInY) {
  int calls = 0, planted = 0;
  for (const Row& row : table()) {
    if (row.accumulate == DType::f16) continue;
    for (const DType dtype : row.storages) {
      CounterRng rng(promise_seed(), 64);
      for (std::int64_t n = 1; n <= 30; ++n) {
        Case c = case_of(normal_tensor(rng, dtype, {3, n}, 1));
        c.gamma = grid_tensor(rng, dtype, {n}, -4, 4, 3);
        c.beta = grid_tensor(rng, dtype, {n}, -4, 4, 3);
        const Tensor y = run_case(row, c).y;
        Case other = c;
        other.gamma = scaled(*c.gamma, 2);
        planted += !same_values(run_case(row, other).y, scaled(y, 2));
        other.beta = scaled(*c.beta, 2);
        const Tensor got = run_case(row, other).y;
        // A subnormal half may have been rounded more coarsely than its multiple.
        bool right = true;
        for (std::int64_t i = 0; i < y.size(); ++i) {
          const bool normal = std::abs(y.value(i)) >= std::ldexp(1, format_of(dtype).emin);
          right &= !normal || got.value(i) == 4 * y.value(i);
        }
        EXPECT_TRUE(right) << row.name << " " << dtype_name(dtype) << " n " << n << '\n'
                           << record_failure(other, row.name);
        ++calls;
      }
    }
  }
  EXPECT_GT(planted, calls * 9 / 10);
  fmt::print("{} calls; planted: gamma scaled without beta is seen in {}\n", calls, planted);
}

}  // namespace
}  // namespace normcheck
