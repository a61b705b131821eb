// Promise: no mean or variance leaves its bound, whatever the row, the order or the merge tree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/chan.h"
#include "impl/algorithms/merge_tree.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/two_pass.h"
#include "impl/arithmetic/native.h"
#include "oracles/condition.h"
#include "oracles/exact.h"

namespace normcheck {
namespace {

using Data = std::vector<float>;

/// Rows on which rounding errors add up, and ordinary ones; each a kind of its own.
Data hard_row(CounterRng& rng, std::int64_t kind, std::int64_t n) {
  Data x(static_cast<std::size_t>(n));
  const double offset = std::ldexp(1.0, static_cast<int>(rng.between(0, 20)));
  const auto size = static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    double v = 0;
    switch (kind) {
      case 0:
        v = rng.normal();
        break;
      case 1:
        v = offset + rng.normal();
        break;
      case 2:
        v = offset * (1 + 0x1p-23 * static_cast<double>(i / 2));
        break;  // a ramp that updates lose
      case 3:
        v = i == 0 ? 1.0 : 0x1p-24;
        break;  // ties that all round down
      case 4:
        v = i == n - 1 ? offset * (1 + 0x1p-23) : offset;
        break;  // one neighbour
      case 5:
        v = (i == 0 ? offset * 100 : 1.0) + rng.normal();
        break;  // an outlier first
      case 6:
        v = std::ldexp(rng.normal(), static_cast<int>(rng.between(-30, 30)));
        break;
      case 7:
        v = static_cast<double>(i) - size / 2;
        break;  // sorted, mean near 0
      case 8:
        v = rng.normal() * 0x1p-140;
        break;  // squares underflow
      default:
        v = (i % 2 == 0 ? 1.0 : -1.0) * offset + 0x1p-10 * rng.normal();
        break;
    }
    x[static_cast<std::size_t>(i)] = static_cast<float>(v);
  }
  return x;
}
constexpr std::int64_t kKinds = 10;

std::vector<double> widened(const Data& x) { return {x.begin(), x.end()}; }

/// The moments of x, and of its exact mean and variance, against a bound.
struct Tightness {
  double mean = 0;
  double variance = 0;
  std::int64_t rows = 0;
  std::int64_t out_of_range = 0;
};

::testing::AssertionResult keeps(const ExactRow& exact, Moments<float> m, const MomentBound& b, double scale,
                                 Tightness& seen) {
  if (!b.in_range) {
    ++seen.out_of_range;
    return ::testing::AssertionSuccess();
  }
  ++seen.rows;
  const auto share = [](double got, const ExactValue& value, double bound) {
    const double distance = std::fabs(got - value.to_double());
    return bound > 0 && distance > 0 ? distance / bound : 0;
  };
  const double mean_bound = b.mean.value() * scale, variance_bound = b.variance.value() * scale;
  seen.mean = std::max(seen.mean, share(m.mean, exact.mean(), mean_bound));
  seen.variance = std::max(seen.variance, share(m.var, exact.variance(), variance_bound));
  if (std::isfinite(mean_bound) && !exact.mean().within(m.mean, mean_bound)) {
    return ::testing::AssertionFailure()
           << fmt::format("mean {:a}, exact {:a}, bound {:g}", m.mean, exact.mean().to_double(), mean_bound);
  }
  if (std::isfinite(variance_bound) && !exact.variance().within(m.var, variance_bound)) {
    return ::testing::AssertionFailure() << fmt::format("variance {:a}, exact {:a}, bound {:g}", m.var,
                                                        exact.variance().to_double(), variance_bound);
  }
  return ::testing::AssertionSuccess();
}

template <class Algorithm>
::testing::AssertionResult sweep(std::int64_t rows, double scale, Tightness& seen) {
  const Working f = working(DType::f32);
  CounterRng rng(1, 71);
  RowCondition condition;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t kind = r % kKinds, n = rng.between(1, r % 40 == 0 ? 2000 : 70);
    const Data x = hard_row(rng, kind, n);
    const std::vector<double> wide = widened(x);
    condition.fill(wide.data(), n, true);
    auto result = keeps(ExactRow(wide.data(), n, 0), Algorithm::template moments<float>(x),
                        Algorithm::bound(condition.facts(), f), scale, seen);
    if (!result) {
      result << fmt::format(" (kind {}, n {}, row {})", kind, n, r);
      return result;
    }
  }
  return ::testing::AssertionSuccess();
}

template <class Algorithm>
void expect_sound() {
  Tightness seen;
  EXPECT_TRUE(sweep<Algorithm>(6000, 1, seen));
  fmt::print("{}: {} rows, {} out of range, largest share of the bound: mean {:.3f}, variance {:.3f}\n",
             Algorithm::name, seen.rows, seen.out_of_range, seen.mean, seen.variance);
  EXPECT_GT(seen.rows, 5000);
}

TEST(Bound, OfNaiveIsNeverExceeded) { expect_sound<Naive>(); }
TEST(Bound, OfTwoPassIsNeverExceeded) { expect_sound<TwoPass>(); }
TEST(Bound, OfWelfordIsNeverExceeded) { expect_sound<Welford>(); }
TEST(Bound, OfChanIsNeverExceeded) { expect_sound<Chan>(); }

// The fault: every bound halved. A test that cannot see that is too weak, or the bound too loose to matter.
TEST(Bound, HalvedIsCaught) {
  Tightness seen;
  EXPECT_FALSE(sweep<TwoPass>(6000, 0.5, seen));
  EXPECT_FALSE(sweep<Welford>(6000, 0.5, seen));
  EXPECT_FALSE(sweep<Chan>(6000, 0.5, seen));
}

/// A random merge tree over x, parts folded in at most twice as large as what they are folded into.
Partial<float> random_tree(CounterRng& rng, std::span<const float> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (n <= 2 || rng.coin(0.2)) return welford_partial(x);
  std::int64_t right = rng.coin() ? 1 : rng.between(1, n - 1);
  if (right > 2 * (n - right)) right = n / 2;
  const auto mid = static_cast<std::size_t>(n - right);
  return merge(random_tree(rng, x.first(mid)), random_tree(rng, x.subspan(mid)));
}

TEST(Bound, OfMergeTreesHoldsForEveryOrderAndTree) {
  const Working f = working(DType::f32);
  CounterRng rng(1, 72);
  RowCondition condition;
  Tightness seen;
  for (std::int64_t r = 0; r < 6000; ++r) {
    const std::int64_t n = rng.between(2, r % 40 == 0 ? 2000 : 70);
    Data x = hard_row(rng, r % kKinds, n);
    for (std::size_t i = x.size() - 1; i > 0 && r % 3 == 0; --i) std::swap(x[i], x[rng.below(i + 1)]);
    if (r % 3 == 1)
      std::sort(x.begin(), x.end(), [](float a, float b) { return std::fabs(a) > std::fabs(b); });
    const std::vector<double> wide = widened(x);
    condition.fill(wide.data(), n, false);
    const Partial<float> p = random_tree(rng, x);
    const Moments<float> m{p.mean, p.square_dev * (1.0F / static_cast<float>(n))};
    ASSERT_TRUE(keeps(ExactRow(wide.data(), n, 0), m,
                      merge_tree_bound(condition.facts(), f, Division::by_reciprocal), 1, seen))
        << "kind " << r % kKinds << ", n " << n << ", row " << r;
  }
  fmt::print("merge trees: {} rows, largest share of the bound: mean {:.3f}, variance {:.3f}\n", seen.rows,
             seen.mean, seen.variance);
}

TEST(Bound, FactsAreBoundsOfTheExactStatistics) {
  CounterRng rng(1, 73);
  RowCondition condition;
  std::int64_t facts = 0;
  for (std::int64_t r = 0; r < 600; ++r) {
    const std::int64_t n = rng.between(1, 24);
    const std::vector<double> x = widened(hard_row(rng, r % kKinds, n));
    condition.fill(x.data(), n, true);
    const RowFacts& f = condition.facts();
    const ExactRow exact(x.data(), n, 0);
    EXPECT_TRUE(exact.mean().within(0, f.mean_abs));
    EXPECT_TRUE(exact.variance().within(0, f.variance));
    EXPECT_GE(exact.variance().compare(f.variance_lo), 0);
    for (std::int64_t k = 0; k < n; ++k) {
      const ExactRow prefix(x.data(), k + 1, 0);
      EXPECT_TRUE(exact.deviation(k).within(0, f.deviation[k]));
      EXPECT_TRUE(prefix.mean().within(0, f.prefix_mean_abs[k]));
      EXPECT_TRUE(prefix.deviation(k).within(0, f.dev_after[k]));
      EXPECT_LE(prefix.variance().to_double() * static_cast<double>(k + 1),
                f.prefix_square_dev[k] * (1 + 0x1p-51));
      if (k > 0)
        EXPECT_TRUE(ExactRow(x.data(), k, 0).mean().within(x[static_cast<std::size_t>(k)], f.dev_before[k]));
      facts += 5;
    }
  }
  fmt::print("facts: {} compared with exact statistics\n", facts);
}

}  // namespace
}  // namespace normcheck
