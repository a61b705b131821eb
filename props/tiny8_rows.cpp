// Every row of one, two and three 8-bit numbers, by every algorithm, against the bound of its moments.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/all.h"
#include "impl/arithmetic/tiny8.h"
#include "oracles/condition.h"
#include "props/promise.h"

namespace normcheck {
namespace {

std::string text(Tiny8 v) { return fmt::format("{:02x} ({:g})", v.bits(), v.value()); }
constexpr Working tiny8_format{Tiny8::precision, Tiny8::u, Tiny8::eta, Tiny8::omega};

struct Subject {
  std::string_view name;
  Moments<Tiny8> (*moments)(std::span<const Tiny8> x);
  MomentBoundFunction bound;
  Working format = tiny8_format;
};

std::vector<Subject> every_algorithm() {
  std::vector<Subject> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    // A compensated mean is reported as the sum of its parts.
    const auto moments = [](std::span<const Tiny8> x) {
      Moments<Tiny8> m = A::template moments<Tiny8>(x);
      if constexpr (is_compensated<A>) m.mean = m.mean + m.mean_lo;
      return m;
    };
    out.push_back({A::name, moments, A::bound});
  });
  return out;
}

/// What one subject showed over all rows.
struct Seen {
  std::int64_t judged = 0, out_of_range = 0, unbounded = 0, violations = 0;
  std::int64_t finite_mean = 0;               ///< of a row with NaN or inf
  double mean_share = 0, variance_share = 0;  ///< the largest errors as shares of their bounds
  std::string first;                          ///< the first violation
};

/// The exact moments of a row in integers: mean = sum/n units of 2^-9, V = spread/n^2 units of 2^-18.
struct Truth {
  std::int64_t n = 0, sum = 0, spread = 0;
  explicit Truth(std::span<const double> x) : n(static_cast<std::int64_t>(x.size())) {
    std::int64_t squares = 0;
    for (const double v : x) {
      const auto units = static_cast<std::int64_t>(v * 512);
      sum += units;
      squares += units * units;
    }
    spread = n * squares - sum * sum;
  }
  // n times the error of a mean in its units, n^2 times that of a variance: integers below 2^53.
  double mean_error(double got) const {
    return static_cast<double>(std::abs(n * static_cast<std::int64_t>(got * 512) - sum));
  }
  double variance_error(double got) const {
    return static_cast<double>(std::abs(n * n * 512 * static_cast<std::int64_t>(got * 512) - spread));
  }
};

/// error <= scale*bound, decided exactly: the fma rounds once, and so keeps the sign. `share`: the largest so
/// far.
bool keeps(double error, double scale, double bound, double& share) {
  if (error > 0 && bound > 0) share = std::max(share, error / (scale * bound));
  return std::fma(scale, bound, -error) >= 0;
}

/// Empty, or what of its bound the subject breaks.
std::string_view broken(Moments<Tiny8> got, const MomentBound& bound, const Truth& truth, Seen& seen) {
  const double mean = got.mean.value(), variance = got.var.value(), n = static_cast<double>(truth.n);
  if (!std::isfinite(mean) || !std::isfinite(variance)) return "not finite in range";
  const double mean_bound = bound.mean.value() * 0x1p9, variance_bound = bound.variance.value() * 0x1p18;
  seen.unbounded += !std::isfinite(mean_bound) || !std::isfinite(variance_bound);
  if (!keeps(truth.mean_error(mean), n, mean_bound, seen.mean_share)) return "mean";
  if (!keeps(truth.variance_error(variance), n * n, variance_bound, seen.variance_share)) return "variance";
  if (bound.variance_nonnegative && variance < 0) return "negative variance";
  return {};
}

void judge_row(const Subject& subject, std::span<const Tiny8> x, const RowFacts& facts, const Truth& truth,
               Seen& seen) {
  const MomentBound bound = subject.bound(facts, subject.format);
  if (!bound.in_range) {
    ++seen.out_of_range;
    return;
  }
  ++seen.judged;
  const Moments<Tiny8> got = subject.moments(x);
  const std::string_view what = broken(got, bound, truth, seen);
  if (what.empty()) return;
  if (seen.violations++ > 0) return;
  seen.first = fmt::format("{}: {}; row", subject.name, what);
  for (const Tiny8 v : x) seen.first += ' ' + text(v);
  seen.first += fmt::format("; mean {:g} of {}/{}/512 +- {:g}, var {:g} of {}/{}/512/512 +- {:g}",
                            got.mean.value(), truth.sum, truth.n, bound.mean.value(), got.var.value(),
                            truth.spread, truth.n * truth.n, bound.variance.value());
}

struct Sweep {
  std::int64_t rows = 0, not_finite = 0;
  std::vector<Seen> seen;
};

/// All rows of one and two numbers, and of three those that the seed picks: one in `thinned`.
Sweep sweep(const std::vector<Subject>& subjects, std::uint64_t thinned) {
  Sweep out;
  out.seen.resize(subjects.size());
  const CounterRng rng(promise_seed(), 320);
  RowCondition condition;
  std::array<Tiny8, 3> x;
  std::array<double, 3> values{};
  for (std::size_t n = 1; n <= 3; ++n) {
    for (std::uint64_t code = 0; code < (std::uint64_t{1} << (8 * n)); ++code) {
      if (n == 3 && rng.at(code) % thinned != 0) continue;
      bool finite = true;
      for (std::size_t i = 0; i < n; ++i) {
        x[i] = Tiny8::of_bits(static_cast<std::uint8_t>(code >> (8 * i)));
        values[i] = x[i].value();
        finite = finite && std::isfinite(values[i]);
      }
      ++out.rows;
      const std::span<const Tiny8> row(x.data(), n);
      if (!finite) {
        ++out.not_finite;
        for (std::size_t s = 0; s < subjects.size(); ++s)
          out.seen[s].finite_mean += std::isfinite(subjects[s].moments(row).mean.value());
        continue;
      }
      condition.fill(values.data(), static_cast<std::int64_t>(n), true);
      const Truth truth(std::span<const double>(values.data(), n));
      for (std::size_t s = 0; s < subjects.size(); ++s)
        judge_row(subjects[s], row, condition.facts(), truth, out.seen[s]);
    }
  }
  return out;
}

TEST(Tiny8, EveryRowOfThreeKeepsTheBoundOfItsMoments) {
  const std::vector<Subject> subjects = every_algorithm();
  const std::uint64_t thinned = exhaustive() ? 1 : 256;
  const Sweep s = sweep(subjects, thinned);
  fmt::print(
      "{} rows of 1 to 3 numbers (of three, 1 in {}; all with NORMCHECK_EXHAUSTIVE=1), {} with NaN or inf\n",
      s.rows, thinned, s.not_finite);
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const Seen& seen = s.seen[i];
    EXPECT_EQ(seen.violations, 0) << subjects[i].name << ": " << seen.first;
    EXPECT_EQ(seen.finite_mean, 0) << subjects[i].name << ": a finite mean of a row with NaN or inf";
    EXPECT_GT(seen.judged, 0) << subjects[i].name;
    fmt::print(
        "{}: {} judged, {} out of range, {} without a bound, largest share: mean {:.3f}, variance {:.3f}\n",
        subjects[i].name, seen.judged, seen.out_of_range, seen.unbounded, seen.mean_share,
        seen.variance_share);
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
  const std::vector<Subject> planted = {
      {"two_pass under three quarters of its mean's bound", two_pass, most_of_two_pass},
      {"two_pass under a bound without underflow", two_pass, TwoPass::bound, no_underflow},
      {"welford under a bound without underflow", welford, Welford::bound, no_underflow},
      {"naive, said never to be negative", [](std::span<const Tiny8> x) { return Naive::moments<Tiny8>(x); },
       never_negative},
      {"a divisor of n-1", divided_by_one_less, TwoPass::bound},
      {"the first element for the mean", first_only, TwoPass::bound},
  };
  const Sweep s = sweep(planted, 256);
  for (std::size_t i = 0; i < planted.size(); ++i) {
    EXPECT_GT(s.seen[i].violations, 0) << planted[i].name;
    fmt::print("planted: {}: {} of {} rows\n", planted[i].name, s.seen[i].violations, s.seen[i].judged);
  }
  EXPECT_GT(s.seen.back().finite_mean, 0);
  fmt::print("planted: a finite mean of {} rows with NaN or inf\n", s.seen.back().finite_mean);
}

}  // namespace
}  // namespace normcheck
