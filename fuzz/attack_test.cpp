// The attack finds what sampling does not, repeats bit for bit, and says nothing that the judge does not.
#include "fuzz/attack/attack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "oracles/condition.h"
#include "oracles/filter/filter.h"
#include "props/gen.h"

namespace normcheck {
namespace {

AttackPlan small_plan(std::int64_t budget, std::uint64_t seed = 1) {
  AttackPlan plan;
  plan.budget = budget;
  plan.seed = seed;
  plan.freedom.affine = false;
  return plan;
}

const Row& row(const char* name) { return *find_row(name); }

TEST(Attack, TheSameSeedGivesTheSameRecordsAndAnotherGivesOthers) {
  const Row& of = row("welford/f32");
  const Contract own = parse_contract("own", &of);
  const auto records = [&](std::uint64_t seed) { return attack(of, own, small_plan(6000, seed)).records; };
  const auto first = records(1), again = records(1), other = records(2);
  ASSERT_EQ(first.size(), again.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].evaluations, again[i].evaluations);
    EXPECT_EQ(first[i].problem.x, again[i].problem.x);
    EXPECT_EQ(first[i].problem.eps, again[i].problem.eps);
  }
  EXPECT_NE(first.back().problem.x, other.back().problem.x);
  fmt::print("{} records of 6000 evaluations, twice the same\n", first.size());
}

TEST(Attack, WhatTheScorerSaysTheJudgeSays) {
  int rows = 0;
  int left_out = 0;
  double above = 0;
  for (const char* name : {"naive/f32", "two_pass/f32", "welford/f64", "two_pass/f16"}) {
    const Row& of = row(name);
    for (const DType dtype : of.storages) {
      const Contract contract = parse_contract("own", &of);
      Scorer scorer(of, contract, Objective::share);
      std::vector<Score> scores;
      for (const Regime& regime : regimes()) {
        Case c = make_case(regime, {.dtype = dtype, .rows = 1, .n = 48}, 7, 1);
        if (c.x.size() != 48 || c.norm_ndim != 1 || (c.gamma && c.gamma->dtype != dtype) ||
            (c.beta && c.beta->dtype != dtype) || row_count(c) != 1)
          continue;
        scorer.score(c, scores);
        const Judgement j = judge(c, run_case(of, c), contract, OracleChoice::exact);
        if (scores[0].value < 0) continue;
        ++rows;
        const double exact = j.errors.max_share_of_bound, off = (scores[0].value - exact) / exact;
        // The filter's uncertainty is far below what a record must gain; an element that it cannot certify is
        // left out.
        EXPECT_LT(off, 1e-3) << name << ' ' << regime.name;
        above = std::max(above, off);
        left_out += off < -1e-3 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(rows, 50);
  EXPECT_LT(left_out, rows / 20);
  fmt::print(
      "{} rows: the scorer's share is at most {:.1g} above the judge's, relatively; {} have an element that "
      "is "
      "left out\n",
      rows, above, left_out);
}

TEST(Attack, WhatFollowsFromTheFiltersMeanAndVarianceHoldsTheSameRow) {
  int rows = 0;
  double apart = 0;
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const Regime& regime : regimes()) {
      const Case c = make_case(regime, {.dtype = dtype, .rows = 1, .n = 48}, 5, 1);
      const std::int64_t n = row_length(c);
      if (n < 2 || c.norm_ndim != 1 || c.x.size() != n || c.x.dtype != dtype) continue;
      std::vector<double> x(static_cast<std::size_t>(n));
      c.x.values(0, n, x.data());
      filter::Rows of{.dtype = dtype, .x = c.x.data.data(), .rows = 1, .n = n, .eps = c.eps};
      filter::RowStatistics s;
      filter::run(of, {}, &s);
      if (s.path != filter::Path::exact_sums && s.path != filter::Path::pairs) continue;
      RowCondition whole, from;
      whole.fill(x.data(), n, false);
      from.fill_from({{s.mean.hi, s.mean.lo}, {s.variance.hi, s.variance.lo}, s.mean.error, s.variance.error},
                     x.data(), n, false);
      const RowFacts &a = whole.facts(), &b = from.facts();
      // Each is an interval that holds the exact value: they meet, and neither is wide.
      EXPECT_LE(a.variance_lo, b.variance) << regime.name;
      EXPECT_LE(b.variance_lo, a.variance) << regime.name;
      if (a.variance > 0) apart = std::max(apart, std::fabs(b.variance / a.variance - 1));
      if (a.max_dev > 0) apart = std::max(apart, std::fabs(b.max_dev / a.max_dev - 1));
      EXPECT_EQ(a.abs_sum, b.abs_sum) << regime.name;
      EXPECT_EQ(a.sum_bits, b.sum_bits) << regime.name;
      EXPECT_EQ(a.mean_bits, b.mean_bits) << regime.name;
      ++rows;
    }
  }
  EXPECT_GT(rows, 50);
  EXPECT_LT(apart, 0x1p-30);
  fmt::print("{} rows: the facts are at most {:.1g} apart, relatively\n", rows, apart);
}

// The share of the bound of `stable`'s smallest member that Welford's errors exceed.
TEST(Attack, AWelfordThatIsHeldToTheBoundOfTwoPassIsFoundAndSamplingFindsItNot) {
  const Row& welford = row("welford/f32");
  const Contract wrong = parse_contract("own", &row("two_pass/f32"));
  int found = 0, sampled = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const AttackResult result = attack(welford, wrong, small_plan(200'000, seed));
    const auto at = std::find_if(result.records.begin(), result.records.end(),
                                 [](const AttackRecord& r) { return is_finding(r.verdict); });
    found += at != result.records.end() ? 1 : 0;
    Scorer scorer(welford, wrong, Objective::share);
    std::vector<Score> scores;
    double largest = 0;
    for (std::uint64_t index = 0; index < 20'000; ++index) {
      const Case c =
          make_case(*find_regime("uniform01"), {.dtype = DType::f32, .rows = 1, .n = 32}, seed, index);
      if (row_length(c) != 32) continue;
      scorer.score(c, scores);
      largest = std::max(largest, scores[0].value);
    }
    sampled += largest > 1 ? 1 : 0;
    fmt::print(
        "seed {}: {}; of 20,000 uniform rows the largest share is {:.2f}\n", seed,
        at != result.records.end() ? fmt::format("found after {} evaluations", at->evaluations) : "not found",
        largest);
  }
  EXPECT_GE(found, 4);
  EXPECT_EQ(sampled, 0);
}

TEST(Attack, NoRightRowExceedsItsOwnBound) {
  int pairs = 0;
  double largest = 0;
  for (const Row& of : table()) {
    if (!is_right(of) || (of.missing != nullptr && !of.missing().empty())) continue;
    const Contract own = parse_contract("own", &of);
    for (const DType dtype : of.storages) {
      AttackPlan plan = small_plan(1500);
      plan.dtype = dtype;
      plan.n = 17;
      plan.freedom.affine = true;
      const AttackResult result = attack(of, own, plan);
      ++pairs;
      for (const AttackRecord& r : result.records) {
        EXPECT_FALSE(is_finding(r.verdict)) << of.name << ' ' << dtype_name(dtype) << " share " << r.share;
        largest = std::max(largest, r.share);
      }
    }
  }
  EXPECT_GT(pairs, 100);
  EXPECT_LE(largest, 1);
  fmt::print("{} pairs of row and dtype, 1500 evaluations each: the largest share of a bound is {:.4f}\n",
             pairs, largest);
}

TEST(Attack, ItReachesTheBoundsOfThePlainAlgorithms) {
  for (const auto& [name, least] :
       {std::pair("naive/f32", .95), {"two_pass/f32", .93}, {"welford/f32", .97}}) {
    const Row& of = row(name);
    const AttackResult result = attack(of, parse_contract("own", &of), small_plan(60'000));
    EXPECT_GE(result.records.back().share, least) << name;
    fmt::print("{}: {:.3f} of its bound after {} evaluations\n", name, result.records.back().share,
               result.records.back().evaluations);
  }
}

TEST(Attack, EachMoveLeavesARowOfNumbers) {
  CounterRng rng(1);
  int changed = 0, made = 0;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const std::int64_t n : {1, 2, 33, 8192}) {
      Case c = make_case(*find_regime("unit_normal"), {.dtype = dtype, .rows = 1, .n = n}, 3, 0);
      c.x.shape = {1, n};
      c.norm_ndim = 1;
      c.gamma.reset();
      c.beta.reset();
      const Case other = c;
      for (int k = 0; k < (n > 100 ? 400 : 4000); ++k) {
        const Case before = c;
        apply(static_cast<Move>(k % move_count), c, other, rng);
        ++made;
        changed += c.x == before.x && c.eps == before.eps && c.gamma == before.gamma && c.beta == before.beta
                       ? 0
                       : 1;
        bool finite = std::isfinite(c.eps) && c.eps > 0;
        for (std::int64_t i = 0; i < n; ++i) {
          finite &= std::isfinite(c.x.value(i)) && (!c.gamma || std::isfinite(c.gamma->value(i))) &&
                    (!c.beta || std::isfinite(c.beta->value(i)));
        }
        ASSERT_TRUE(finite) << dtype_name(dtype) << ' ' << k % move_count;
      }
      for (std::int64_t place = -5; place <= 5; ++place)
        EXPECT_EQ(place_of(dtype, bits_at(dtype, place)), place);
    }
  }
  EXPECT_GT(changed, made / 2);
  fmt::print("{} moves, {} of them changed the row\n", made, changed);
}

}  // namespace
}  // namespace normcheck
