// Promise: every algorithm keeps the bound beside it, in every format, regime and length, decided exactly.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "impl/algorithms/all.h"
#include "oracles/condition.h"
#include "props/bound_rows.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// What an algorithm came up with on a row, as doubles; `centre` only of a compensated one.
struct Computed {
  double mean = 0;  ///< as reported: the sum of its two parts where there are two
  double variance = 0;
  std::vector<double> centre;
};
template <class A, class R>
Computed computed(const std::vector<double>& row) {
  const auto number = [](const R& v) { return ArithmeticTraits<R>::to_double(v); };
  const std::vector<R> x = narrowed_row<R>(row);
  const Moments<R> m = A::template moments<R>(x);
  Computed out{number(m.mean), number(m.var), {}};
  if constexpr (is_compensated<A>) {
    out.mean = number(m.mean + m.mean_lo);
    for (const R& v : x) out.centre.push_back(number((v - m.mean) - m.mean_lo));
  }
  return out;
}

/// An algorithm in one format.
struct Subject {
  std::string_view name;
  Computed (*run)(const std::vector<double>& row);
  MomentBoundFunction bound;
};
template <class R>
std::vector<Subject> every_subject() {
  std::vector<Subject> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    out.push_back({A::name, &computed<A, R>, &A::bound});
  });
  return out;
}

/// The largest error as a share of its bound, and the row that it was met on.
struct Largest {
  double share = 0;
  std::vector<double> x;
};
struct Seen {
  std::int64_t rows = 0;
  std::int64_t out_of_range = 0;
  std::int64_t without_bound = 0;
  Largest mean, variance, centre;
};

/// One row with its exact statistics: near ones with their error first, exact integers where these are not
/// near enough to tell.
class Truth {
 public:
  explicit Truth(const std::vector<double>& x) : x_(x) {
    row_.fill(x.data(), static_cast<std::int64_t>(x.size()), true);
  }
  const RowFacts& facts() const { return row_.facts(); }
  bool mean_within(double got, double bound) const {
    return near(got, row_.mean(), row_.mean_error(), bound) || exact().mean().within(got, bound);
  }
  bool variance_within(double got, double bound) const {
    return near(got, row_.variance(), row_.variance_error(), bound) || exact().variance().within(got, bound);
  }
  bool deviation_within(std::int64_t i, double got, double bound) const {
    return near(got, deviation(i), row_.mean_error(), bound) || exact().deviation(i).within(got, bound);
  }
  double mean_error(double got) const { return static_cast<double>(abs(got - row_.mean())); }
  double variance_error(double got) const { return static_cast<double>(abs(got - row_.variance())); }
  double deviation_error(std::int64_t i, double got) const {
    return static_cast<double>(abs(got - deviation(i)));
  }

 private:
  static bool near(double got, Quad value, double error, double bound) {
    return abs(got - value) * (1 + Quad(0x1p-100)) + Quad(error) <= Quad(bound);
  }
  Quad deviation(std::int64_t i) const { return Quad(x_[static_cast<std::size_t>(i)]) - row_.mean(); }
  ExactRow exact() const { return ExactRow(x_.data(), facts().n, 0); }

  const std::vector<double>& x_;
  RowCondition row_;
};

/// Parts of a bound to hold the moments to: less than 1 as a fault that must be seen.
struct Held {
  double mean = 1, variance = 1, centre = 1;
};

void note(Largest& largest, double error, double bound, const std::vector<double>& x) {
  if (!(bound > 0) || !(error / bound > largest.share)) return;
  largest.share = error / bound;
  largest.x = x;
}

/// Empty, or which bound the row breaks and how.
std::string complaint(const std::vector<double>& x, const Truth& truth, const Computed& got,
                      const MomentBound& bound, Held held, Seen& seen) {
  ++seen.rows;
  if (!bound.in_range) {
    ++seen.out_of_range;
    return "";
  }
  if (!std::isfinite(got.mean) || !std::isfinite(got.variance)) return "in range, but not finite";
  if (bound.variance_nonnegative && got.variance < 0)
    return fmt::format("variance {:a}, which is to be nonnegative", got.variance);
  const double mean = bound.mean.value() * held.mean, variance = bound.variance.value() * held.variance;
  seen.without_bound += !std::isfinite(mean) || !std::isfinite(variance);
  if (std::isfinite(mean)) {
    note(seen.mean, truth.mean_error(got.mean), mean, x);
    if (!truth.mean_within(got.mean, mean)) return fmt::format("mean {:a}, bound {:a}", got.mean, mean);
  }
  if (bound.mean_exact && !truth.mean_within(got.mean, 0)) return "the mean is to be exact";
  if (std::isfinite(variance)) {
    note(seen.variance, truth.variance_error(got.variance), variance, x);
    if (!truth.variance_within(got.variance, variance))
      return fmt::format("variance {:a}, bound {:a}", got.variance, variance);
  }
  if (bound.centre.has_value() == got.centre.empty()) return "a bound of the centre goes with two parts";
  for (std::size_t i = 0; i < got.centre.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const Upward allowed =
        bound.centre->relative * Upward(truth.facts().deviation[i]) + bound.centre->absolute;
    if (!allowed.finite()) continue;
    const double most = allowed.value() * held.centre;
    note(seen.centre, truth.deviation_error(at, got.centre[i]), most, x);
    if (!truth.deviation_within(at, got.centre[i], most))
      return fmt::format("centre {} is {:a}, bound {:a}", i, got.centre[i], most);
  }
  return "";
}

std::string complaint_of(const Subject& subject, DType dtype, const std::vector<double>& x, Held held,
                         Seen& seen) {
  const Truth truth(x);
  return complaint(x, truth, subject.run(x), subject.bound(truth.facts(), working(dtype)), held, seen);
}

/// The rows of a sweep, one after the other: visit(row, what it is).
template <class Visit>
void each_row(DType dtype, const Visit& visit) {
  const std::vector<std::int64_t> lengths = {1,  2,  3,   4,   5,   7,   8,   9,   15,  16,  17,   31,  32,
                                             33, 64, 100, 127, 128, 129, 130, 255, 256, 257, 1000, 4096};
  const std::uint64_t repeats = exhaustive() ? 10 : 1;
  std::uint64_t turn = 0;
  std::vector<double> x;
  for (const Regime& regime : regimes()) {
    for (const std::int64_t n : lengths) {
      ++turn;
      if (!exhaustive() && n > 200 && turn % 6 != 0) continue;  // a share of the long ones
      for (std::uint64_t index = 0; index < repeats; ++index) {
        const Case c = make_case(regime, {.dtype = dtype, .rows = 1, .n = n}, promise_seed(), index + turn);
        const std::int64_t length = row_length(c);
        for (std::int64_t row = 0; length > 0 && row < std::min<std::int64_t>(row_count(c), 2); ++row) {
          x.clear();
          for (std::int64_t i = 0; i < length; ++i) x.push_back(c.x.value(row * length + i));
          const auto finite = [](double v) { return std::isfinite(v); };
          if (std::all_of(x.begin(), x.end(), finite)) visit(x, c.id);
        }
      }
    }
  }
  // Rows on which errors add up, as they are and dealt to lanes, so that each lane is such a row.
  CounterRng rng(promise_seed(), 73);
  for (std::int64_t r = 0; r < 400 * static_cast<std::int64_t>(repeats); ++r) {
    const std::int64_t kind = r % hard_kinds, lanes = std::int64_t{1} << rng.below(6);
    const std::int64_t n = rng.between(1, r % 20 == 0 ? 300 : 40) * lanes;
    const std::vector<double> row = hard_row(rng, dtype, kind, n);
    x.resize(row.size());
    for (std::int64_t i = 0; i < n; ++i)
      x[static_cast<std::size_t>(i % (n / lanes) * lanes + i / (n / lanes))] =
          row[static_cast<std::size_t>(i)];
    visit(x, fmt::format("hard kind {}, {} of {} lanes, number {}", kind, n, lanes, r));
  }
}

/// A little less than the largest share that was met must not pass.
void expect_tight(const Subject& subject, DType dtype, const Seen& s) {
  Seen ignored;
  const Held mean{.mean = 0.999 * s.mean.share}, variance{.variance = 0.999 * s.variance.share};
  EXPECT_NE(complaint_of(subject, dtype, s.mean.x, mean, ignored), "") << subject.name;
  EXPECT_NE(complaint_of(subject, dtype, s.variance.x, variance, ignored), "") << subject.name;
  const Held centre{.centre = 0.999 * s.centre.share};
  if (!s.centre.x.empty()) {
    EXPECT_NE(complaint_of(subject, dtype, s.centre.x, centre, ignored), "") << subject.name;
  }
}

template <class R>
void expect_kept() {
  constexpr DType dtype = dtype_of<R>;
  const std::vector<Subject> subjects = every_subject<R>();
  std::vector<Seen> seen(subjects.size());
  int faults = 0;
  each_row(dtype, [&](const std::vector<double>& x, std::string_view what) {
    const Truth truth(x);
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      const MomentBound bound = subjects[k].bound(truth.facts(), working(dtype));
      const std::string why = complaint(x, truth, subjects[k].run(x), bound, {}, seen[k]);
      if (!why.empty() && ++faults < 20) ADD_FAILURE() << subjects[k].name << " on " << what << ": " << why;
    }
  });
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    const Seen& s = seen[k];
    expect_tight(subjects[k], dtype, s);
    EXPECT_GT(s.rows - s.out_of_range - s.without_bound, s.rows / 4) << subjects[k].name;
    fmt::print(
        "{} {}: {} rows ({} out of range, {} without a bound), share: mean {:.3f} (n {}), variance {:.3f} (n "
        "{}){}\n",
        subjects[k].name, dtype_name(dtype), s.rows, s.out_of_range, s.without_bound, s.mean.share,
        s.mean.x.size(), s.variance.share, s.variance.x.size(),
        s.centre.x.empty() ? "" : fmt::format(", centre {:.3f}", s.centre.share));
  }
}

TEST(MomentBound, IsKeptInF16) { expect_kept<Half>(); }
TEST(MomentBound, IsKeptInBf16) { expect_kept<BFloat16>(); }
TEST(MomentBound, IsKeptInF32) { expect_kept<float>(); }
TEST(MomentBound, IsKeptInF64) { expect_kept<double>(); }

MomentBound bound_on(const Subject& subject, DType dtype, const std::vector<double>& x) {
  const Truth truth(x);
  return subject.bound(truth.facts(), working(dtype));
}

TEST(MomentBound, OneElementIsExact) {
  for (const Subject& subject : every_subject<Half>()) {
    for (const double v : {0.0, 3.0, 0x1.ffp+6, 0x1p-24}) {
      const MomentBound b = bound_on(subject, DType::f16, {v});
      EXPECT_TRUE(b.in_range) << subject.name << ' ' << v;
      EXPECT_EQ(b.mean.value(), 0) << subject.name << ' ' << v;
      EXPECT_EQ(subject.run({v}).mean, v) << subject.name;
    }
  }
}

// Sums, squares and differences that overflow in f16: the bound says so, and most do not come out finite.
TEST(MomentBound, OverflowIsOutOfRange) {
  const std::vector<std::vector<double>> rows = {
      {60000, 60000, 60000, 60000},    // the sum
      {60000, -60000, 60000, -60000},  // the difference, or the square
      {300, -300, 300, -300},          // the square
  };
  std::size_t infinite = 0;
  const std::vector<Subject> subjects = every_subject<Half>();
  for (const Subject& subject : subjects) {
    for (const std::vector<double>& x : rows) {
      const Computed got = subject.run(x);
      infinite += !std::isfinite(got.mean) || !std::isfinite(got.variance);
      EXPECT_FALSE(bound_on(subject, DType::f16, x).in_range) << subject.name << ' ' << x[0];
      EXPECT_TRUE(bound_on(subject, DType::bf16, x).in_range) << subject.name << ' ' << x[0];
    }
  }
  EXPECT_GE(infinite, 2 * subjects.size());
  fmt::print("{} algorithms, 3 rows: {} of {} pairs do overflow in f16\n", subjects.size(), infinite,
             3 * subjects.size());
}

// One running mean never moves off equal elements, differences from the first are 0.
TEST(MomentBound, ConstantRowsAreExactWhereTheAlgorithmIs) {
  const std::vector<double> x(100, 1000.09998F);
  const std::set<std::string_view> exact = {"shifted", "welford", "welford_reciprocal", "chan", "lanes4",
                                            "lanes8",  "lanes16"};
  for (const Subject& subject : every_subject<float>()) {
    const MomentBound b = bound_on(subject, DType::f32, x);
    const bool says = b.mean.value() == 0 && b.variance.value() == 0 && b.mean_exact;
    EXPECT_EQ(says, exact.contains(subject.name)) << subject.name;
  }
}

// Where all deviations are the error of the mean, the two sums of the correction are equal but for their own
// roundings: var^ + eps may be negative, and y NaN, on a constant row. Two passes without it give no NaN.
TEST(MomentBound, TheCorrectionOfTwoPassesGoesBelowMinusEps) {
  const std::vector<double> x(1000, 0x1.abf3b4p+17);
  EXPECT_FALSE(bound_on({Corrected::name, nullptr, &Corrected::bound}, DType::f32, x).variance_nonnegative);
  const double corrected = computed<Corrected, float>(x).variance;
  EXPECT_LT(corrected, -1e-5);
  EXPECT_GE((computed<TwoPass, float>(x).variance), 0);
  fmt::print("1000 times {}: variance {} by the corrected two-pass algorithm in f32\n", x[0], corrected);
}

}  // namespace
}  // namespace normcheck
