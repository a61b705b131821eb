// Two passes: the mean first, then the mean of the squared deviations from it.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/summation.h"

namespace normcheck {

/// With m = mean^, sum (x-m)^2 = nV + n(m-mu)^2 exactly, and each term takes one rounding of the difference
/// twice, one of the square, those of the sum of positive terms, and k of the division: with
/// 1+g = (1+gamma_{3+k})(1+growth), B = gV + (1+g)(E^2 + eta). At n = 1 everything is exact, and where the
/// mean, the deviations and their squares are, only the division rounds.
inline MomentBound two_pass_bound(const RowFacts& facts, const Working& f, Division division,
                                  const Growth& growth) {
  const Upward one = 1.0;
  MomentBound out;
  out.variance_nonnegative = true;
  out.mean_of_squares = true;
  out.mean = mean_of_sum(facts, f, division, growth);
  out.in_range = sums_in_range(facts, f) && squares_in_range(facts, f, out.mean) &&
                 reciprocal_in_range(f, facts.n, division);
  out.mean_exact = out.mean.value() == 0;
  if (facts.n == 1) return out;
  if (deviations_are_exact(facts, f, division)) {
    out.variance = variance_by_division(facts, f, division);
    return out;
  }
  const double roundings = 3 + division_roundings(f, facts.n, division);
  const Upward few = f.term(BoundTerm::two_pass_roundings, gamma(roundings, f.u));
  const Upward sum = f.term(BoundTerm::two_pass_sum, growth.of_positive());
  const Upward g = few + sum + few * sum;
  out.variance =
      g * Upward(facts.variance) + (one + g) * (f.term(BoundTerm::two_pass_mean_error, out.mean * out.mean) +
                                                f.term(BoundTerm::two_pass_underflow, f.eta));
  return out;
}

/// var = sum((x-mean)^2)/n, both sums by one summation. The error of the mean enters the variance only
/// squared, but x - mean to first order: that, not the variance, is what dominates the error of y.
template <class Summation, Division how = Division::by_count>
struct TwoPassOver {
  static constexpr Division division = how;

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const auto size = static_cast<std::int64_t>(x.size());
    const R n = count<R>(size), one = count<R>(1);
    const auto at = [&](std::int64_t i) { return x[static_cast<std::size_t>(i)]; };
    const R mean = mean_of<how>(Summation::template sum<R>(0, size, at), n, one);
    const auto square = [&](std::int64_t i) {
      const R d = at(i) - mean;
      return d * d;
    };
    return {mean, mean_of<how>(Summation::template sum<R>(0, size, square), n, one)};
  }

  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return two_pass_bound(facts, f, how, Summation::growth(facts.n, f));
  }
};

struct TwoPass : TwoPassOver<Sequential> {
  static constexpr std::string_view name = "two_pass";
  static constexpr std::string_view formula = "mean = sum(x)/n, var = sum((x-mean)^2)/n";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + u|mu|";
  static constexpr std::string_view first_order_variance = "(n+3) u V + E^2";
  static constexpr std::string_view derivation = "impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

/// The same with every division by n a multiplication by a rounded 1/n.
struct TwoPassByReciprocal : TwoPassOver<Sequential, Division::by_reciprocal> {
  static constexpr std::string_view name = "two_pass";
  static constexpr std::string_view formula = "mean = sum(x)*(1/n), var = sum((x-mean)^2)*(1/n)";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + 2 u|mu|";
  static constexpr std::string_view first_order_variance = "(n+4) u V + E^2";
  static constexpr std::string_view derivation = "impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
