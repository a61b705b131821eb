// What must not change a layer norm, bit for bit: powers of two, the order of exact sums, linearity.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "props/build_case.h"

namespace normcheck {
namespace {

struct Tally {
  int calls = 0;
  int wrong = 0;
};

Tensor scaled(const Tensor& t, int power) {
  Tensor out(t.dtype, t.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) out.set_value(i, std::ldexp(t.value(i), power));
  return out;
}

/// x*2^k with eps*2^2k: y the same, mean times 2^k, rstd times 2^-k. Nothing here leaves the normal range.
Tally powers_of_two(const Layer& layer, DType dtype, int reach) {
  Tally t;
  CounterRng rng(6, 1);
  for (std::int64_t n = 1; n <= 40; ++n) {
    const double mean = static_cast<double>(rng.between(-3, 3));
    Case c = case_of(normal_tensor(rng, dtype, {4, n}, mean), 1, 0x1.8p-9);
    if (rng.coin()) c.gamma = normal_tensor(rng, dtype, {n});
    if (rng.coin()) c.beta = normal_tensor(rng, dtype, {n});
    const Observation base = layer(c);
    for (const int k : {-reach, -1, 1, reach}) {
      Case other = c;
      other.x = scaled(c.x, k);
      other.eps = std::ldexp(c.eps, 2 * k);
      const Observation out = layer(other);
      ++t.calls;
      t.wrong += !same_values(out.y, base.y) || !same_values(*out.mean, scaled(*base.mean, k)) ||
                 !same_values(*out.rstd, scaled(*base.rstd, -k));
    }
  }
  return t;
}

TEST(Invariance, APowerOfTwoInXAndItsSquareInEpsChangeNoBit) {
  int calls = 0;
  for (const Row& row : table()) {
    if (row.accumulate == DType::f16) continue;  // too few exponents: squares of small deviations underflow
    for (const DType dtype : row.storages) {
      const int reach = dtype == DType::f16 ? 3 : dtype == DType::f64 ? 100 : 20;
      const Tally t = powers_of_two(layer_of(row), dtype, reach);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype);
      calls += t.calls;
    }
  }
  const Row& row = *find_row("two_pass/f32");
  const std::vector<std::pair<std::string, Layer>> planted = {
      {"a fixed eps",
       [&](Case c) {
         return run_case(row, (c.eps = 0x1.8p-9, c), {true, true});
       }},
      {"eps added to the root",
       [&](const Case& c) {
         Case bare = c;
         bare.eps = 0;
         Observation out = run_case(row, bare, {true, true});
         for (std::int64_t i = 0; i < out.rstd->size(); ++i) {
           out.rstd->set_value(i, 1 / (1 / out.rstd->value(i) + c.eps));
         }
         return out;
       }},
      {"a variance held at 2^-20 or more",
       [&](const Case& c) {
         Observation out = run_case(row, c, {true, true});
         for (std::int64_t i = 0; i < out.rstd->size(); ++i) {
           out.rstd->set_value(i, std::min(out.rstd->value(i), 1024.0));
         }
         return out;
       }},
  };
  for (const auto& [what, layer] : planted) {
    const Tally t = powers_of_two(layer, DType::f32, 20);
    EXPECT_GT(t.wrong, 0) << what;
    fmt::print("planted: {}: seen in {} of {} calls\n", what, t.wrong, t.calls);
  }
  fmt::print("{} calls\n", calls);
}

using Order = std::vector<std::int64_t>;

Order shuffled(CounterRng& rng, std::int64_t n) {
  Order order;
  for (std::int64_t i = 0; i < n; ++i) order.push_back(i);
  for (std::int64_t i = n - 1; i > 0; --i) {
    std::swap(order[static_cast<std::size_t>(i)], order[rng.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order;
}

/// Every row of `t` (n to a row) with its elements in another order.
Tensor permuted(const Tensor& t, const Order& order) {
  const auto n = static_cast<std::int64_t>(order.size());
  Tensor out(t.dtype, t.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    out.set_bits(i, t.bits(i / n * n + order[static_cast<std::size_t>(i % n)]));
  }
  return out;
}

/// Rows of integers whose mean is an integer: every sum, mean, deviation and square is exact, so that the
/// order of the elements (with their gamma and beta) can change nothing but y's own order.
Tally permutations(const Layer& layer, DType dtype, bool exact) {
  Tally t;
  CounterRng rng(6, 2);
  for (std::int64_t n = 2; n <= 32; ++n) {
    Case c = case_of(exact ? grid_tensor(rng, dtype, {4, n}, -7, 7) : normal_tensor(rng, dtype, {4, n}, 3));
    for (std::int64_t r = 0; exact && r < 4; ++r) {
      double others = 0;
      for (std::int64_t i = 1; i < n; ++i) others += c.x.value(r * n + i);
      c.x.set_value(r * n, std::remainder(-others, static_cast<double>(n)));
    }
    c.gamma = normal_tensor(rng, dtype, {n});
    c.beta = normal_tensor(rng, dtype, {n});
    const Order order = shuffled(rng, n);
    Case other = c;
    other.x = permuted(c.x, order);
    other.gamma = permuted(*c.gamma, order);
    other.beta = permuted(*c.beta, order);
    const Observation a = layer(c), b = layer(other);
    ++t.calls;
    t.wrong += !same_values(b.y, permuted(a.y, order)) || !same_values(*a.mean, *b.mean) ||
               !same_values(*a.rstd, *b.rstd);
  }
  return t;
}

TEST(Invariance, TheOrderOfARowWithExactSumsOnlyReordersY) {
  int calls = 0;
  for (const Row& row : table()) {
    // Welford's and Chan's running means are not exact in any order.
    if (is_half(row.accumulate) || (row.algorithm != "two_pass" && row.algorithm != "naive")) continue;
    for (const DType dtype : row.storages) {
      const Tally t = permutations(layer_of(row), dtype, true);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype);
      calls += t.calls;
    }
  }
  const Row& row = *find_row("two_pass/f32");
  const Layer forgets_last = [&](const Case& c) {
    Case shorter = c;
    for (std::int64_t r = 0; r < row_count(c); ++r) {
      const std::int64_t last = (r + 1) * row_length(c) - 1;
      shorter.x.set_bits(last, c.x.bits(last - 1));
    }
    return run_case(row, shorter, {true, true});
  };
  const Tally planted = permutations(forgets_last, DType::f32, true);
  EXPECT_GT(planted.wrong, planted.calls / 2);
  // The sums must be exact: on other rows the order shows in the last bits.
  const Tally inexact = permutations(layer_of(row), DType::f32, false);
  EXPECT_GT(inexact.wrong, 0);
  fmt::print("{} calls; planted: a lost last element is seen in {} of {}, rounded sums in {} of {}\n", calls,
             planted.wrong, planted.calls, inexact.wrong, inexact.calls);
}

/// y over rows of x = +-1 (n even, as many of each, eps 0): mean 0, variance 1 and x_hat = x, all exact; so y
/// is linear in integer gamma and beta without a rounding. Welford's means are exact at n = 2.
Tally linearity(const Layer& layer, DType dtype, std::int64_t longest) {
  Tally t;
  CounterRng rng(6, 3);
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
    ++t.calls;
    t.wrong += !linear;
  }
  return t;
}

TEST(Invariance, YIsLinearInGammaAndBetaTogether) {
  int calls = 0;
  for (const Row& row : table()) {
    const bool sums = row.algorithm == "two_pass" || row.algorithm == "naive";
    for (const DType dtype : row.storages) {
      const Tally t = linearity(layer_of(row), dtype, sums ? 64 : 2);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype);
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
    const Tally t = linearity(layer, DType::f32, 64);
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
      CounterRng rng(6, 4);
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
        EXPECT_TRUE(right) << row.name << " " << dtype_name(dtype) << " n " << n;
        ++calls;
      }
    }
  }
  EXPECT_GT(planted, calls * 9 / 10);
  fmt::print("{} calls; planted: gamma scaled without beta is seen in {}\n", calls, planted);
}

}  // namespace
}  // namespace normcheck
