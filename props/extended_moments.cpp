// Promise: no mean or variance computed in f80 leaves its bound, decided in 113 bits or by rational numbers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/algorithms/all.h"
#include "impl/arithmetic/exact.h"
#include "impl/arithmetic/extended.h"
#include "impl/arithmetic/native.h"
#include "oracles/condition.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

using Extended = long double;

/// Moments computed in R, as f80; `centre` only of a compensated algorithm.
struct Computed {
  Extended mean = 0;
  Extended variance = 0;
  std::vector<Extended> centre;
};
template <class A, class R>
Computed computed(const std::vector<double>& row) {
  const std::vector<R> x(row.begin(), row.end());
  const Moments<R> m = A::template moments<R>(std::span<const R>(x));
  Computed out{m.mean, m.var, {}};
  if constexpr (is_compensated<A>) {
    out.mean = m.mean + m.mean_lo;
    for (const R& v : x) out.centre.push_back((v - m.mean) - m.mean_lo);
  }
  return out;
}

struct Subject {
  std::string_view name;
  Computed (*run)(const std::vector<double>& row);
  Computed (*run_in_double)(const std::vector<double>& row);
  MomentBoundFunction bound;
};
std::vector<Subject> every_subject() {
  std::vector<Subject> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    out.push_back({A::name, &computed<A, Extended>, &computed<A, double>, &A::bound});
  });
  return out;
}

/// v, as two doubles of its significand and a power of two that no double needs to hold.
Exact exactly(Extended v) {
  int e = 0;
  const Extended significand = std::frexp(v, &e);
  const auto high = static_cast<double>(significand);
  const auto low = static_cast<double>(significand - static_cast<Extended>(high));
  return (Exact(high) + Exact(low)) * Exact(std::ldexp(1.0, e / 2)) * Exact(std::ldexp(1.0, e - e / 2));
}

/// A row with its statistics: near ones with their error, and rational ones where those cannot tell.
class Truth {
 public:
  explicit Truth(const std::vector<double>& x) : x_(x) {
    row_.fill(x.data(), static_cast<std::int64_t>(x.size()), true);
  }
  const RowFacts& facts() const { return row_.facts(); }
  Quad mean() const { return row_.mean(); }
  Quad variance() const { return row_.variance(); }
  Quad deviation(std::size_t i) const { return Quad(x_[i]) - row_.mean(); }

  bool mean_within(Extended got, double bound) const {
    const int near = decided(got, mean(), row_.mean_error(), bound);
    return near != 0 ? near > 0 : within(exactly(got), exact().mean, bound);
  }
  bool variance_within(Extended got, double bound) const {
    const int near = decided(got, variance(), row_.variance_error(), bound);
    return near != 0 ? near > 0 : within(exactly(got), exact().var, bound);
  }
  bool deviation_within(std::size_t i, Extended got, double bound) const {
    const int near = decided(got, deviation(i), row_.mean_error(), bound);
    return near != 0 ? near > 0 : within(exactly(got), Exact(x_[i]) - exact().mean, bound);
  }

 private:
  /// 1: within, -1: not, 0: too near to tell. Quad's own roundings are below 2^-110 of what they round.
  static int decided(Extended got, Quad value, double error, double bound) {
    const Quad distance = abs(Quad(got) - value);
    const Quad slack = Quad(error) + (abs(value) + abs(Quad(got))) * Quad(0x1p-110);
    if (distance + slack <= Quad(bound)) return 1;
    return distance - slack > Quad(bound) ? -1 : 0;
  }
  static bool within(const Exact& got, const Exact& value, double bound) {
    const Exact distance = got < value ? value - got : got - value;
    return !(Exact(bound) < distance);
  }
  Moments<Exact> exact() const {
    Exact s1, s2;
    for (const double v : x_) {
      s1 = s1 + Exact(v);
      s2 = s2 + Exact(v) * Exact(v);
    }
    const Exact n(facts().n);
    return {s1 / n, (n * s2 - s1 * s1) / (n * n)};
  }

  const std::vector<double>& x_;
  RowCondition row_;
};

struct Seen {
  std::int64_t rows = 0, out_of_range = 0, broken = 0;
  double mean = 0, variance = 0;  ///< the largest errors as shares of their bounds
};

/// Empty, or how a row breaks the bound.
std::string complaint(const Truth& truth, const Computed& got, const MomentBound& bound, Seen& seen) {
  ++seen.rows;
  if (!bound.in_range) {
    ++seen.out_of_range;
    return "";
  }
  const auto share = [](Extended v, Quad value, double most) {
    return most > 0 ? static_cast<double>(abs(Quad(v) - value)) / most : 0;
  };
  const double mean = bound.mean.value(), variance = bound.variance.value();
  if (!std::isfinite(got.mean) || !std::isfinite(got.variance)) return "in range, but not finite";
  if (bound.variance_nonnegative && got.variance < 0) return "the variance is negative";
  if (bound.mean_exact && !truth.mean_within(got.mean, 0)) return "the mean is to be exact";
  if (std::isfinite(mean)) {
    seen.mean = std::max(seen.mean, share(got.mean, truth.mean(), mean));
    if (!truth.mean_within(got.mean, mean)) return fmt::format("the mean is off by more than {:g}", mean);
  }
  if (std::isfinite(variance)) {
    seen.variance = std::max(seen.variance, share(got.variance, truth.variance(), variance));
    if (!truth.variance_within(got.variance, variance))
      return fmt::format("the variance is off by more than {:g}", variance);
  }
  for (std::size_t i = 0; i < got.centre.size(); ++i) {
    const double most =
        (bound.centre->relative * Upward(truth.facts().deviation[i]) + bound.centre->absolute).value();
    if (std::isfinite(most) && !truth.deviation_within(i, got.centre[i], most))
      return fmt::format("centre {} is off by more than {:g}", i, most);
  }
  return "";
}

/// visit(row, what it is): the regimes in f64, and rows on which each addition of f80 is a tie.
template <class Visit>
void each_row(const Visit& visit) {
  std::uint64_t turn = 0;
  std::vector<double> x;
  for (const Regime& regime : regimes()) {
    for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 17, 33, 100, 130, 257, 1000}) {
      ++turn;
      if (n > 200 && turn % 5 != 0) continue;  // a share of the long ones
      const Case c = make_case(regime, {.dtype = DType::f64, .rows = 1, .n = n}, promise_seed(), turn);
      const std::int64_t length = row_length(c);
      if (length == 0 || row_count(c) == 0) continue;
      x.clear();
      for (std::int64_t i = 0; i < length; ++i) x.push_back(c.x.value(i));
      if (std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) visit(x, c.id);
    }
  }
  for (const std::size_t n : {2U, 10U, 100U, 1000U}) {
    for (const double tail : {0x1p-64, 0x1.8p-64, -0x1p-65}) {
      x.assign(n, tail);
      x.front() = 1;
      visit(x, fmt::format("1 and {} times {:a}", n - 1, tail));
      std::reverse(x.begin(), x.end());
      visit(x, fmt::format("{} times {:a} and 1", n - 1, tail));
    }
  }
}

TEST(ExtendedMoments, OfEveryAlgorithmKeepTheirBound) {
  if (!missing_f80().empty()) GTEST_SKIP() << "this machine lacks " << missing_f80();
  const std::vector<Subject> subjects = every_subject();
  std::vector<Seen> seen(subjects.size()), in_double(subjects.size());
  const Working f80 = working(DType::f80);
  int faults = 0;
  each_row([&](const std::vector<double>& x, const std::string& what) {
    const Truth truth(x);
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      const MomentBound bound = subjects[k].bound(truth.facts(), f80);
      const std::string why = complaint(truth, subjects[k].run(x), bound, seen[k]);
      if (!why.empty() && ++faults < 20) ADD_FAILURE() << subjects[k].name << " on " << what << ": " << why;
      in_double[k].broken += !complaint(truth, subjects[k].run_in_double(x), bound, in_double[k]).empty();
    }
  });
  for (std::size_t k = 0; k < subjects.size(); ++k) {
    const Seen& s = seen[k];
    EXPECT_GT(s.rows, 2 * s.out_of_range) << subjects[k].name;
    EXPECT_GT(in_double[k].broken, 0) << subjects[k].name << " in double keeps the bound of f80";
    EXPECT_GT(s.mean, 0.6) << subjects[k].name;
    EXPECT_GT(s.variance, 0.1) << subjects[k].name;
    fmt::print(
        "{}: {} rows ({} out of range), share: mean {:.3f}, variance {:.3f}; planted: in double {} break "
        "it\n",
        subjects[k].name, s.rows, s.out_of_range, s.mean, s.variance, in_double[k].broken);
  }
}

}  // namespace
}  // namespace normcheck
