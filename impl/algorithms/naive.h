// One pass: the mean of the squares minus the square of the mean.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/sum_bound.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// var = sum(x^2)/n - mean^2. Subtracts two numbers of size kappa^2 V: the relative error of the variance
/// is of order n u kappa^2, and it can come out negative.
struct Naive {
  static constexpr std::string_view name = "naive";
  static constexpr std::string_view formula = "mean = sum(x)/n, var = sum(x^2)/n - mean^2";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + u|mu|";
  static constexpr std::string_view first_order_variance =
      "(n+1) u mean(x^2) + 2|mu| E + u mu^2 + u V; at most (3n+2) u kappa^2 V";
  static constexpr std::string_view derivation = "impl/algorithms/naive.h, impl/algorithms/sum_bound.h";

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R n = count<R>(static_cast<std::int64_t>(x.size()));
    R sum{};
    R squares{};
    for (const R& v : x) {
      sum = sum + v;
      squares = squares + v * v;
    }
    const R mean = sum / n;
    return {mean, squares / n - mean * mean};
  }

  /// |squares^/n - Q/n| <= gamma_{h+2} Q/n + underflow, h = n-1; |mean^^2 - mu^2| <= E(2|mu|+E); each
  /// product and the subtraction round once more. So, with E the error of the mean,
  /// B = [gamma_{h+2} Q/n + (1+u) E(2|mu|+E) + u mu^2 + underflow](1+u) + uV. Where the squares and their
  /// sums are exact, gamma_{h+2} is that of the division alone.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return bound_for(facts, f, Division::by_count);
  }
  static MomentBound bound_for(const RowFacts& facts, const Working& f, Division division) {
    const Upward u = f.u, one = 1.0, mu = facts.mean_abs;
    const double n = static_cast<double>(facts.n);
    const Upward mean_error = mean_of_sum(facts, f, division, growth_in_any_order(facts.n, f));
    const bool exact = facts.square_bits <= f.precision && representable(2 * facts.quantum, f);
    const double roundings = (exact ? 0 : n - 1 + 1) + division_roundings(f, facts.n, division);
    const Upward grow = gamma(roundings, f.u);
    const Upward underflow = Upward(f.eta) * (one + grow) + Upward(f.eta / 2);
    const Upward of_squares = f.term(BoundTerm::naive_squares, grow) * divide(facts.square_sum, n);
    const Upward of_error = (one + u) * mean_error * (Upward(2.0) * mu + mean_error);
    const Upward of_mean =
        f.term(BoundTerm::naive_mean_error, of_error) + f.term(BoundTerm::naive_mean_square, u * mu * mu);
    MomentBound out;
    out.mean = mean_error;
    out.variance = (one + u) * (of_squares + of_mean + f.term(BoundTerm::naive_underflow, underflow)) +
                   f.term(BoundTerm::naive_subtraction, u * Upward(facts.variance));
    const Upward squares = Upward(facts.square_sum) * (one + grow);
    out.in_range = sums_in_range(facts, f) && squares.value() <= f.omega && (mu * mu).value() <= f.omega / 4;
    out.mean_exact = mean_error.value() == 0 && (exact || facts.n == 1);
    return out;
  }
};

}  // namespace normcheck
