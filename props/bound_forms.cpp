// The two careful forms by themselves: sums in any order, and moments by any merge tree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/merge_tree.h"
#include "impl/table.h"
#include "oracles/condition.h"
#include "props/bound_rows.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// One row in three shuffled, one sorted by falling |x|, one as it came.
void reorder(CounterRng& rng, std::int64_t row, std::vector<double>& x) {
  if (row % 3 == 0)
    for (std::size_t i = x.size() - 1; i > 0; --i) std::swap(x[i], x[rng.below(i + 1)]);
  if (row % 3 == 1)
    std::sort(x.begin(), x.end(), [](double a, double b) { return std::fabs(a) > std::fabs(b); });
}

/// How a kernel forms moments of a row in R, with the random choices that it may take.
template <class R>
using Form = Moments<R> (*)(CounterRng& rng, std::span<const R> x);

/// Checks a form against parts of a bound; stops at the first miss.
template <class R>
::testing::AssertionResult sweep(Form<R> form, MomentBoundFunction bound, Parts parts, Tightness& seen) {
  constexpr DType dtype = dtype_of<R>;
  const Working f = working(dtype);
  const Reach reach = reach_of(dtype);
  CounterRng rng(promise_seed(), 72);
  RowCondition condition;
  for (std::int64_t r = 0; r < reach.rows; ++r) {
    const std::int64_t n = draw_length(rng, reach, r);
    std::vector<double> x = hard_row(rng, dtype, r % hard_kinds, n);
    reorder(rng, r, x);
    condition.fill(x.data(), n, false);
    const std::vector<R> narrow = narrowed_row<R>(x);
    auto result = keeps(ExactRow(x.data(), n, 0), in_double(form(rng, std::span<const R>(narrow))),
                        bound(condition.facts(), f), parts, seen);
    if (!result) return result << fmt::format(" (kind {}, n {}, row {})", r % hard_kinds, n, r);
  }
  return ::testing::AssertionSuccess();
}

template <class R>
R reciprocal(std::size_t n) {
  return count<R>(1) / count<R>(static_cast<std::int64_t>(n));
}

/// A sum in a random order of additions: forwards, backwards, or cut at random and added in pairs.
template <class R>
R any_sum(CounterRng& rng, std::span<const R> x) {
  const std::uint64_t way = rng.below(4);
  if (x.size() <= 2 || way < 2) {
    R sum{};
    for (std::size_t i = 0; i < x.size(); ++i) sum = sum + x[way == 0 ? i : x.size() - 1 - i];
    return sum;
  }
  const std::size_t middle = way == 2 ? x.size() / 2 : 1 + rng.below(x.size() - 1);
  const R left = any_sum(rng, x.first(middle));
  return left + any_sum(rng, x.subspan(middle));
}

/// Two passes, each sum in an order of its own, each division by a rounded 1/n.
template <class R>
Moments<R> two_pass_in_any_order(CounterRng& rng, std::span<const R> x) {
  const R inverse = reciprocal<R>(x.size());
  const R mean = any_sum(rng, x) * inverse;
  std::vector<R> squares;
  for (const R& v : x) {
    const R d = v - mean;
    squares.push_back(d * d);
  }
  return {mean, any_sum(rng, std::span<const R>(squares)) * inverse};
}

/// A random merge tree over x, parts folded in at most twice as large as what they are folded into; the three
/// terms of S are added in any order.
template <class R>
Partial<R> random_tree(CounterRng& rng, std::span<const R> x) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (n <= 2 || rng.coin(0.2)) return welford_partial(x);
  std::int64_t right = rng.coin() ? 1 : rng.between(1, n - 1);
  if (right > 2 * (n - right)) right = n / 2;
  const auto middle = static_cast<std::size_t>(n - right);
  const Partial<R> a = random_tree(rng, x.first(middle));
  const Partial<R> b = random_tree(rng, x.subspan(middle));
  Partial<R> whole = merge(a, b);
  if (rng.coin()) {
    const R gap = b.mean - a.mean;
    const R between = gap * gap * (count<R>(a.n) * (count<R>(b.n) / count<R>(n)));
    whole.square_dev =
        rng.coin() ? a.square_dev + (b.square_dev + between) : (a.square_dev + between) + b.square_dev;
  }
  return whole;
}
template <class R>
Moments<R> tree_by_reciprocal(CounterRng& rng, std::span<const R> x) {
  const Partial<R> p = random_tree(rng, x);
  return {p.mean, p.square_dev * reciprocal<R>(x.size())};
}
template <class R>
Moments<R> tree_by_count(CounterRng& rng, std::span<const R> x) {
  const Partial<R> p = random_tree(rng, x);
  return {p.mean, p.square_dev / count<R>(p.n)};
}

MomentBound merge_tree_by_count(const RowFacts& facts, const Working& f) {
  return merge_tree_bound(facts, f, Division::by_count);
}

/// `caught` as in bound_test.cpp.
template <class R>
void expect_sound(std::string_view name, Form<R> form, MomentBoundFunction bound, Parts caught) {
  Tightness seen, mean, variance;
  EXPECT_TRUE(sweep<R>(form, bound, {}, seen)) << name << ' ' << dtype_name(dtype_of<R>);
  EXPECT_FALSE(sweep<R>(form, bound, {.mean = caught.mean}, mean)) << "no mean is so far off";
  EXPECT_FALSE(sweep<R>(form, bound, {.variance = caught.variance}, variance)) << "no variance is so far off";
  EXPECT_GT(2 * (seen.rows - seen.without_bound), reach_of(dtype_of<R>).rows);
  fmt::print("{} {}: {}; planted: {} of the mean's is exceeded by row {}, {} of the variance's by {}\n", name,
             dtype_name(dtype_of<R>), text_of(seen), caught.mean, mean.rows, caught.variance, variance.rows);
}

TEST(Bound, OfSumsHoldsInAnyOrderAndByReciprocal) {
  const Parts caught = {0.9, 0.4};
  expect_sound<float>("any order", two_pass_in_any_order<float>, careful_forms()[0], caught);
  expect_sound<double>("any order", two_pass_in_any_order<double>, careful_forms()[0], caught);
  expect_sound<Half>("any order", two_pass_in_any_order<Half>, careful_forms()[0], caught);
  expect_sound<BFloat16>("any order", two_pass_in_any_order<BFloat16>, careful_forms()[0], caught);
}

// The bound covers every tree at once, so that no one tree comes near it on every term.
TEST(Bound, OfMergeTreesHoldsForEveryOrderAndTree) {
  const Parts caught = {0.5, 0.2};
  expect_sound<float>("merge tree, by reciprocal", tree_by_reciprocal<float>, careful_forms()[1], caught);
  expect_sound<double>("merge tree, by reciprocal", tree_by_reciprocal<double>, careful_forms()[1], caught);
  expect_sound<Half>("merge tree, by reciprocal", tree_by_reciprocal<Half>, careful_forms()[1], caught);
}

TEST(Bound, OfMergeTreesHoldsForADivisionByTheCount) {
  const Parts caught = {0.5, 0.2};
  expect_sound<float>("merge tree, by count", tree_by_count<float>, merge_tree_by_count, caught);
  expect_sound<double>("merge tree, by count", tree_by_count<double>, merge_tree_by_count, caught);
  expect_sound<Half>("merge tree, by count", tree_by_count<Half>, merge_tree_by_count, caught);
}

}  // namespace
}  // namespace normcheck
