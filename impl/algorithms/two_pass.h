// Two passes: the mean first, then the mean of the squared deviations from it.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/sum_bound.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// var = sum((x-mean)^2)/n. The error of the mean enters the variance only squared, but x - mean to first
/// order: that, not the variance, is what dominates the error of y.
struct TwoPass {
  static constexpr std::string_view name = "two_pass";

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R n = count<R>(static_cast<std::int64_t>(x.size()));
    R sum{};
    for (const R& v : x) sum = sum + v;
    const R mean = sum / n;
    R squares{};
    for (const R& v : x) {
      const R d = v - mean;
      squares = squares + d * d;
    }
    return {mean, squares / n};
  }

  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return bound_any_order(facts, f, Division::by_count);
  }

  /// Any order of summation. With m = mean^, sum (x-m)^2 = nV + n(m-mu)^2 exactly, and each term takes one
  /// rounding of the difference twice, one of the square, h = n-1 of the sum and k of the division: with
  /// g = gamma_{h+3+k}, B = gV + (1+g)(E^2 + eta). At n = 1 everything is exact.
  static MomentBound bound_any_order(const RowFacts& facts, const Working& f, Division division) {
    const Upward one = 1.0;
    MomentBound out;
    out.variance_nonnegative = true;
    out.mean_of_squares = true;
    out.mean = mean_of_sum(facts, f, division);
    out.in_range = sums_in_range(facts, f) && squares_in_range(facts, f, out.mean);
    out.mean_exact = out.mean.value() == 0;
    if (facts.n == 1) return out;
    const double roundings = static_cast<double>(facts.n - 1) + 3 + division_roundings(f, facts.n, division);
    const Upward g = gamma(roundings, f.u);
    out.variance = g * Upward(facts.variance) + (one + g) * (out.mean * out.mean + Upward(f.eta));
    return out;
  }
};

}  // namespace normcheck
