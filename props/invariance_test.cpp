// What must not change a layer norm, bit for bit: powers of two in x and eps, the order of exact sums.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "props/build_case.h"
#include "props/call_tally.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

/// x*2^k with eps*2^2k: y the same, mean times 2^k, rstd times 2^-k. Nothing here leaves the normal range.
CallTally powers_of_two(const Layer& layer, DType dtype, int reach) {
  CallTally t;
  CounterRng rng(promise_seed(), 61);
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
      if (scaled(other.x, -k) != c.x) continue;  // an element near 0 became a subnormal half
      const Observation out = layer(other);
      t.add(same_values(out.y, base.y) && same_values(*out.mean, scaled(*base.mean, k)) &&
                same_values(*out.rstd, scaled(*base.rstd, -k)),
            other);
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
      const CallTally t = powers_of_two(layer_of(row), dtype, reach);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
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
    const CallTally t = powers_of_two(layer, DType::f32, 20);
    EXPECT_GT(t.wrong, 0) << what;
    fmt::print("planted: {}: seen in {} of {} calls\n", what, t.wrong, t.calls);
  }
  fmt::print("{} calls\n", calls);
}

/// Whether the row of the table gives the same after x times 2 and eps times 4. Nothing there if x is not
/// exactly doubled (a finite number became infinite).
std::string doubled(const Layer& layer, const Case& c) {
  Case other = c;
  other.x = scaled(c.x, 1);
  other.eps = 4 * c.eps;
  if (!same_values(scaled(other.x, -1), c.x)) return {};
  const Observation base = layer(c), out = layer(other);
  if (base.status != Status::ok) return {};
  const bool same = same_values(out.y, base.y) && same_values(*out.mean, scaled(*base.mean, 1)) &&
                    same_values(*out.rstd, scaled(*base.rstd, -1));
  return same ? "" : "y, mean or rstd is not the same for 2x and 4 eps";
}

// Regimes whose numbers are of ordinary size, so that no square underflows. Shrunk cases keep to them too:
// shrinking moves numbers towards 1.
TEST(Invariance, TwiceXAndFourTimesEpsChangeNothingOnWhateverIsDrawn) {
  constexpr int cases = 300;
  const CaseSpace space = {.regimes = {"unit_normal", "uniform01", "integers_exact", "two_valued", "sorted",
                                       "gamma_beta_random", "large_mean"}};
  check_cases("2x and 4 eps change nothing", space, cases, [](const Case& c) {
    for (const Row& row : table()) {
      if (row.accumulate == DType::f16 || !offers(row, c.x.dtype)) continue;
      const std::string why = doubled(layer_of(row), c);
      if (!why.empty()) return std::string(row.name) + ": " + why;
    }
    return std::string();
  });
  const Row& row = *find_row("two_pass/f32");
  const Layer fixed_eps = [&](Case c) {
    c.eps = 1e-5;
    return run_case(row, c, {true, true});
  };
  const auto simplest =
      counterexample("eps may be fixed", space, cases, [&](const Case& c) { return doubled(fixed_eps, c); });
  ASSERT_TRUE(simplest.has_value());
  EXPECT_LE(simplest->x.size(), 4);
  fmt::print("{} cases, every row; planted: a fixed eps is found and shrunk to x = {}\n", cases,
             shape_text(simplest->x.shape));
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
CallTally permutations(const Layer& layer, DType dtype, bool exact) {
  CallTally t;
  CounterRng rng(promise_seed(), 62);
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
    t.add(same_values(b.y, permuted(a.y, order)) && same_values(*a.mean, *b.mean) &&
              same_values(*a.rstd, *b.rstd),
          other);
  }
  return t;
}

TEST(Invariance, TheOrderOfARowWithExactSumsOnlyReordersY) {
  int calls = 0;
  for (const Row& row : table()) {
    // Welford's and Chan's running means are not exact in any order.
    if (is_half(row.accumulate) || (row.algorithm != "two_pass" && row.algorithm != "naive")) continue;
    for (const DType dtype : row.storages) {
      const CallTally t = permutations(layer_of(row), dtype, true);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
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
  const CallTally planted = permutations(forgets_last, DType::f32, true);
  EXPECT_GT(planted.wrong, planted.calls / 2);
  // The sums must be exact: on other rows the order shows in the last bits.
  const CallTally inexact = permutations(layer_of(row), DType::f32, false);
  EXPECT_GT(inexact.wrong, 0);
  fmt::print("{} calls; planted: a lost last element is seen in {} of {}, rounded sums in {} of {}\n", calls,
             planted.wrong, planted.calls, inexact.wrong, inexact.calls);
}

}  // namespace
}  // namespace normcheck
