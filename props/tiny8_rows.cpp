// Every row of one, two and three 8-bit numbers, by every algorithm, against the bound of its moments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "props/promise.h"
#include "props/tiny8_sweep.h"

namespace normcheck {
namespace {

TEST(Tiny8, EveryRowOfThreeKeepsTheBoundOfItsMoments) {
  const std::vector<Tiny8Subject> subjects = every_tiny8_algorithm();
  const std::uint64_t thinned = exhaustive() ? 1 : 256;
  const Tiny8Sweep s = sweep_tiny8(subjects, thinned, promise_seed());
  fmt::print(
      "{} rows of 1 to 3 numbers (of three, 1 in {}; all with NORMCHECK_EXHAUSTIVE=1), {} with NaN or inf\n",
      s.rows, thinned, s.not_finite);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const Tiny8Seen& seen = s.seen[i];
    EXPECT_EQ(seen.violations, 0) << subjects[i].name << ": " << seen.first;
    EXPECT_EQ(seen.finite_mean, 0) << subjects[i].name << ": a finite mean of a row with NaN or inf";
    EXPECT_GT(seen.judged, 0) << subjects[i].name;
    fmt::print(
        "{}: {} judged, {} out of range, {} without a bound, largest share: mean {:.3f}, variance {:.3f}\n",
        subjects[i].name, seen.judged, seen.out_of_range, seen.unbounded, seen.mean.share,
        seen.variance.share);
  }
}

MomentBound most_of_two_pass(const RowFacts& facts, const Working& f) {
  MomentBound out = TwoPass::bound(facts, f);
  out.mean = out.mean.value() * 0.75;
  return out;
}
MomentBound never_negative(const RowFacts& facts, const Working& f) {
  MomentBound out = Naive::bound(facts, f);
  out.variance_nonnegative = true;
  return out;
}
Moments<Tiny8> divided_by_one_less(std::span<const Tiny8> x) {
  Moments<Tiny8> out = TwoPass::moments<Tiny8>(x);
  const auto n = static_cast<std::int64_t>(x.size());
  if (n > 1) out.var = out.var * count<Tiny8>(n) / count<Tiny8>(n - 1);
  return out;
}
Moments<Tiny8> first_only(std::span<const Tiny8> x) { return {x[0], TwoPass::moments<Tiny8>(x).var}; }

TEST(Tiny8, ARowThatBreaksABoundIsSeen) {
  constexpr Working no_underflow{Tiny8::precision, Tiny8::u, 0, Tiny8::omega};
  const auto two_pass = [](std::span<const Tiny8> x) { return TwoPass::moments<Tiny8>(x); };
  const auto welford = [](std::span<const Tiny8> x) { return Welford::moments<Tiny8>(x); };
  const std::vector<Tiny8Subject> planted = {
      {"two_pass under three quarters of its mean's bound", two_pass, most_of_two_pass},
      {"two_pass under a bound without underflow", two_pass, TwoPass::bound, no_underflow},
      {"welford under a bound without underflow", welford, Welford::bound, no_underflow},
      {"naive, said never to be negative", [](std::span<const Tiny8> x) { return Naive::moments<Tiny8>(x); },
       never_negative},
      {"a divisor of n-1", divided_by_one_less, TwoPass::bound},
      {"the first element for the mean", first_only, TwoPass::bound},
  };
  const Tiny8Sweep s = sweep_tiny8(planted, 256, promise_seed());
  for (std::size_t i = 0; i < planted.size(); ++i) {
    EXPECT_GT(s.seen[i].violations, 0) << planted[i].name;
    fmt::print("planted: {}: {} of {} rows\n", planted[i].name, s.seen[i].violations, s.seen[i].judged);
  }
  EXPECT_GT(s.seen.back().finite_mean, 0);
  fmt::print("planted: a finite mean of {} rows with NaN or inf\n", s.seen.back().finite_mean);
}

}  // namespace
}  // namespace normcheck
