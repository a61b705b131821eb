// The two careful forms by themselves: sums in any order, and moments by any merge tree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "impl/algorithms/merge_tree.h"
#include "impl/table.h"
#include "oracles/condition.h"
#include "props/any_form.h"
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
