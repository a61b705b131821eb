// Promise: no mean or variance leaves its bound, whatever the format, the row, the order or the merge tree.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/two_pass.h"
#include "oracles/condition.h"
#include "props/bound_rows.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// The algorithm in R on hard rows against parts of its own bound; stops at the first miss.
template <class Algorithm, class R>
::testing::AssertionResult sweep(Parts parts, Tightness& seen) {
  constexpr DType dtype = dtype_of<R>;
  const Working f = working(dtype);
  const Reach reach = reach_of(dtype);
  CounterRng rng(promise_seed(), 71);
  RowCondition condition;
  for (std::int64_t r = 0; r < reach.rows; ++r) {
    const std::int64_t kind = r % hard_kinds, n = draw_length(rng, reach, r);
    const std::vector<double> x = hard_row(rng, dtype, kind, n);
    condition.fill(x.data(), n, true);
    const std::vector<R> narrow = narrowed_row<R>(x);
    auto result =
        keeps(ExactRow(x.data(), n, 0), in_double(Algorithm::template moments<R>(std::span<const R>(narrow))),
              Algorithm::bound(condition.facts(), f), parts, seen);
    if (!result) return result << fmt::format(" (kind {}, n {}, row {})", kind, n, r);
  }
  return ::testing::AssertionSuccess();
}

/// `caught`: parts of the two bounds that some row exceeds. So the bounds are known to say something, and the
/// sweep to be able to fail.
template <class Algorithm, class R>
void expect_sound(Parts caught) {
  Tightness seen, mean, variance;
  EXPECT_TRUE((sweep<Algorithm, R>({}, seen)));
  EXPECT_FALSE((sweep<Algorithm, R>({.mean = caught.mean}, mean))) << "no mean is so far off";
  EXPECT_FALSE((sweep<Algorithm, R>({.variance = caught.variance}, variance))) << "no variance is so far off";
  EXPECT_GT(2 * (seen.rows - seen.without_bound), reach_of(dtype_of<R>).rows);
  fmt::print("{} {}: {}; planted: {} of the mean's is exceeded by row {}, {} of the variance's by {}\n",
             Algorithm::name, dtype_name(dtype_of<R>), text_of(seen), caught.mean, mean.rows, caught.variance,
             variance.rows);
}
template <class Algorithm>
void expect_sound_in_every_format(Parts caught) {
  expect_sound<Algorithm, float>(caught);
  expect_sound<Algorithm, double>(caught);
  expect_sound<Algorithm, Half>(caught);
  expect_sound<Algorithm, BFloat16>(caught);
}

// Variances of sums come no nearer: what a sum's bound allows is a rounding of one sign in every addition, of
// the squares and, for naive, of the mean at once.
TEST(Bound, OfNaiveIsNeverExceeded) { expect_sound_in_every_format<Naive>({0.9, 0.15}); }
TEST(Bound, OfTwoPassIsNeverExceeded) { expect_sound_in_every_format<TwoPass>({0.9, 0.4}); }
TEST(Bound, OfWelfordIsNeverExceeded) { expect_sound_in_every_format<Welford>({0.9, 0.9}); }
TEST(Bound, OfChanIsNeverExceeded) { expect_sound_in_every_format<Chan>({0.9, 0.9}); }

}  // namespace
}  // namespace normcheck
