// Facts about a row are bounds of its exact statistics, at the ends of double's range too: in rationals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "impl/arithmetic/exact.h"
#include "oracles/condition.h"
#include "props/bound_rows.h"
#include "props/promise.h"

namespace normcheck {
namespace {

Exact magnitude(const Exact& v) { return v < Exact() ? Exact() - v : v; }
Exact whole(std::int64_t n) { return Exact(n); }

/// Sums of the elements lo..hi-1. mean = sum/n; the sum of squared deviations is gap/n.
struct Sums {
  Exact sum, squares, n;
  Exact gap() const { return n * squares - sum * sum; }
};
Sums sums_of(const std::vector<Exact>& x, std::int64_t lo, std::int64_t hi) {
  Sums s;
  s.n = whole(hi - lo);
  for (std::int64_t i = lo; i < hi; ++i) {
    const Exact& v = x[static_cast<std::size_t>(i)];
    s.sum = s.sum + v;
    s.squares = s.squares + v * v;
  }
  return s;
}

/// Counts facts, and the wrong ones among them; names the first.
struct Verified {
  std::int64_t facts = 0;
  std::int64_t wrong = 0;
  std::int64_t infinite = 0;  ///< beyond double: true of anything
  std::string first;

  /// fact * weight >= value, or where `lower`, <=.
  void add(std::string_view name, double fact, const Exact& weight, const Exact& value, bool lower = false) {
    ++facts;
    if (std::isinf(fact) && fact > 0 && !lower) {
      ++infinite;
      return;
    }
    const bool right =
        std::isfinite(fact) && (lower ? !(value < Exact(fact) * weight) : !(Exact(fact) * weight < value));
    if (right) return;
    if (wrong++ == 0) first = fmt::format("{} {:a}", name, fact);
  }
};

/// Every fact of a row against its exact statistics. Each is compared times n, so that nothing is divided.
void verify(const RowFacts& f, const std::vector<double>& values, Verified& v) {
  std::vector<Exact> x;
  for (const double value : values) x.emplace_back(value);
  const Sums all = sums_of(x, 0, f.n);
  const Exact one = whole(1), n = all.n;
  Exact abs_sum, dev_sum;
  for (std::int64_t i = 0; i < f.n; ++i) {
    const Exact& value = x[static_cast<std::size_t>(i)];
    const Exact deviation = magnitude(n * value - all.sum);
    abs_sum = abs_sum + magnitude(value);
    dev_sum = dev_sum + deviation;
    v.add("max_abs", f.max_abs, one, magnitude(value));
    v.add("max_dev", f.max_dev, n, deviation);
    v.add("deviation", f.deviation[i], n, deviation);
  }
  v.add("mean_abs", f.mean_abs, n, magnitude(all.sum));
  v.add("abs_sum", f.abs_sum, one, abs_sum);
  v.add("square_sum", f.square_sum, one, all.squares);
  v.add("abs_dev_sum", f.abs_dev_sum, n, dev_sum);
  v.add("variance", f.variance, n * n, all.gap());
  v.add("variance_lo", f.variance_lo, n * n, all.gap(), true);
  for (std::int64_t k = 0; k < f.n; ++k) {
    const Exact& value = x[static_cast<std::size_t>(k)];
    const Sums prefix = sums_of(x, 0, k + 1);
    v.add("prefix_mean_abs", f.prefix_mean_abs[k], prefix.n, magnitude(prefix.sum));
    v.add("prefix_square_dev", f.prefix_square_dev[k], prefix.n, prefix.gap());
    v.add("dev_after", f.dev_after[k], prefix.n, magnitude(prefix.n * value - prefix.sum));
    if (k > 0)
      v.add("dev_before", f.dev_before[k], whole(k), magnitude(whole(k) * value - (prefix.sum - value)));
  }
}

/// Facts of a few blocks, as Chan's bound asks for them.
void verify_blocks(CounterRng& rng, const RowFacts& f, const std::vector<double>& values, Verified& v) {
  std::vector<Exact> x;
  for (const double value : values) x.emplace_back(value);
  for (int block = 0; block < 4 && f.n >= 2; ++block) {
    const std::int64_t lo = rng.between(0, f.n - 2), hi = rng.between(lo + 2, f.n),
                       mid = rng.between(lo + 1, hi - 1);
    const Sums s = sums_of(x, lo, hi), left = sums_of(x, lo, mid), right = sums_of(x, mid, hi);
    const BlockFacts b = f.block(f.context, lo, hi);
    v.add("block mean_abs", b.mean_abs, s.n, magnitude(s.sum));
    v.add("block square_dev_sum", b.square_dev_sum, s.n, s.gap());
    v.add("mean_gap", f.mean_gap(f.context, lo, mid, hi), left.n * right.n,
          magnitude(left.sum * right.n - right.sum * left.n));
  }
}

/// Rows of doubles near the ends of the range: tiny, huge, and both in one row.
std::vector<double> extreme_row(CounterRng& rng, std::int64_t kind, std::int64_t n) {
  std::vector<double> x(static_cast<std::size_t>(n));
  for (double& v : x) {
    const double z = rng.normal();
    const auto exponent = static_cast<int>(rng.between(-1060, 990));
    const double scale[] = {1e-310, 1e300, std::ldexp(1.0, exponent), rng.coin() ? 1e-310 : 1e300,
                            rng.coin(0.1) ? 1e300 : 1.0};
    v = z * scale[kind % 5];
  }
  if (kind >= 5)
    for (double& v : x) v = kind % 5 == 0 ? 1e-308 + v : 1e302 + v;  // a mean that is large against the rest
  return x;
}

TEST(Bound, FactsAreBoundsOfTheExactStatistics) {
  CounterRng rng(promise_seed(), 73);
  RowCondition condition;
  Verified v;
  for (const DType dtype : float_dtypes) {
    for (std::int64_t r = 0; r < 200; ++r) {
      const std::vector<double> x = hard_row(rng, dtype, r % hard_kinds, rng.between(1, 24));
      condition.fill(x.data(), static_cast<std::int64_t>(x.size()), true);
      verify(condition.facts(), x, v);
      verify_blocks(rng, condition.facts(), x, v);
    }
  }
  EXPECT_EQ(v.wrong, 0) << v.first;
  fmt::print("{} facts of rows of four dtypes compared with exact statistics\n", v.facts);
}

// On both sides of the length up to which prefixes are summed in plain doubles.
TEST(Bound, FactsOfBlocksAreBoundsOnLongRowsToo) {
  CounterRng rng(promise_seed(), 77);
  RowCondition condition;
  Verified v;
  for (const DType dtype : float_dtypes) {
    for (std::int64_t r = 0; r < hard_kinds; ++r) {
      for (const std::int64_t n : {std::int64_t{200}, kPlainPrefixes, kPlainPrefixes + 1}) {
        const std::vector<double> x = hard_row(rng, dtype, r, n);
        condition.fill(x.data(), n, true);
        for (int again = 0; again < 3; ++again) verify_blocks(rng, condition.facts(), x, v);
      }
    }
  }
  EXPECT_EQ(v.wrong, 0) << v.first;
  fmt::print("{} facts of blocks of rows of 200 to {} elements compared with exact statistics\n", v.facts,
             kPlainPrefixes + 1);
}

TEST(Bound, FactsAreBoundsAtTheEndsOfDouble) {
  CounterRng rng(promise_seed(), 74);
  RowCondition condition;
  Verified v;
  std::int64_t rows = 0, beyond_pairs = 0;
  for (std::int64_t r = 0; r < 400; ++r) {
    const std::vector<double> x = extreme_row(rng, r % 10, rng.between(1, 24));
    condition.fill(x.data(), static_cast<std::int64_t>(x.size()), true);
    verify(condition.facts(), x, v);
    verify_blocks(rng, condition.facts(), x, v);
    ++rows;
    beyond_pairs += !condition.in_pair_range();
  }
  EXPECT_EQ(v.wrong, 0) << v.first;
  EXPECT_GT(2 * beyond_pairs, rows);
  fmt::print("{} facts of {} rows, {} rows beyond the range of pairs of doubles; {} facts are infinite\n",
             v.facts, rows, beyond_pairs, v.infinite);
}

// The fault: one fact smaller by 2^-40 of itself, far more than facts may be loose by.
TEST(Bound, ASmallerFactIsSeen) {
  CounterRng rng(promise_seed(), 75);
  RowCondition condition;
  std::int64_t seen = 0, planted = 0;
  const auto plant = [&](double fact) { return fact * (1 - 0x1p-40); };
  for (std::int64_t r = 0; r < 50; ++r) {
    const std::vector<double> x =
        r % 2 == 0 ? hard_row(rng, DType::f64, r % hard_kinds, 12) : extreme_row(rng, r % 10, 12);
    condition.fill(x.data(), 12, true);
    RowFacts f = condition.facts();
    const auto look = [&](double fact) {
      if (!std::isfinite(fact) || fact < 0x1p-1000) return;  // a subnormal has no smaller part
      Verified v;
      verify(f, x, v);
      ++planted;
      seen += v.wrong > 0;
    };
    for (double* fact : {&f.mean_abs, &f.abs_sum, &f.square_sum, &f.abs_dev_sum, &f.variance, &f.max_dev}) {
      const double before = *fact;
      *fact = plant(before);
      look(before);
      *fact = before;
    }
    for (const double** facts :
         {&f.deviation, &f.prefix_mean_abs, &f.prefix_square_dev, &f.dev_before, &f.dev_after}) {
      const double* before = *facts;
      std::vector<double> smaller(before, before + 12);
      smaller[7] = plant(smaller[7]);
      *facts = smaller.data();
      look(before[7]);
      *facts = before;
    }
  }
  EXPECT_GT(planted, 300);
  EXPECT_GE(seen, planted * 9 / 10);  // a mean that cancels has a fact that is loose for its size
  fmt::print("planted: {} of {} facts that are too small by 2^-40 are seen\n", seen, planted);
}

}  // namespace
}  // namespace normcheck
