// The bound of a mean formed by summing, shared by every algorithm that sums.
#pragma once

#include <cstdint>

#include "corpus/row_facts.h"
#include "impl/algorithms/division.h"
#include "impl/algorithms/exactness.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

/// How a summation's error grows: |sum^ - sum| <= of_sum |sum| + of_terms (sum of |terms|).
struct Growth {
  Upward of_sum;
  Upward of_terms;
  /// Relative to a sum of terms that are not negative.
  Upward of_positive() const { return of_sum + of_terms; }
};

/// Any order of n-1 additions, round to nearest: (n-1)u, with no second-order term and no restriction on n
/// (Jeannerod and Rump, Improved error bounds for inner products in floating-point arithmetic, 2013).
/// Additions have no underflow error.
inline Growth growth_in_any_order(std::int64_t n, const Working& f) {
  return {0.0, Upward(static_cast<double>(n - 1)) * Upward(f.u)};
}

/// A tree in which no term passes more than `height` additions: gamma_height (Higham, Accuracy and Stability
/// of Numerical Algorithms, section 4.2).
inline Growth growth_of_tree(std::int64_t height, const Working& f) {
  return {0.0, height <= 1 ? Upward(static_cast<double>(height)) * Upward(f.u)
                           : gamma(static_cast<double>(height), f.u)};
}

/// |mean^ - mean|: with k roundings in the division (g = gamma_k) and the growth of the sum,
/// g |mu| + (1+g) (of_sum |mu| + of_terms A1/n) + eta/2, or 0 where nothing rounds.
inline Upward mean_of_sum(const RowFacts& facts, const Working& f, Division division, const Growth& growth) {
  if (mean_is_exact(facts, f, division)) return 0.0;
  const double k = division_roundings(f, facts.n, division);
  const Upward g = k == 1 ? Upward(f.u) : gamma(k, f.u), mu = facts.mean_abs;
  Upward inherited = 0.0;
  if (!sums_exactly(facts, f)) {
    inherited = f.term(BoundTerm::mean_sum_itself, growth.of_sum) * mu +
                f.term(BoundTerm::mean_sum, growth.of_terms) *
                    divide(Upward(facts.abs_sum), static_cast<double>(facts.n));
  }
  return f.term(BoundTerm::mean_division, g) * mu + (Upward(1.0) + g) * inherited +
         f.term(BoundTerm::mean_underflow, f.eta / 2);
}

/// Whether no sum of the x, no difference x - mean and no count overflows, with room to spare.
inline bool sums_in_range(const RowFacts& facts, const Working& f) {
  const Upward growth = sums_exactly(facts, f) ? Upward(0.0) : growth_in_any_order(facts.n, f).of_terms;
  const Upward grown = (Upward(1.0) + growth) * Upward(facts.abs_sum);
  const Upward spread = Upward(4.0) * Upward(facts.max_abs);
  return static_cast<double>(facts.n) <= f.omega && grown.value() <= f.omega && spread.value() <= f.omega;
}

/// Whether no sum of squared deviations about a mean that is off by at most `mean_error` overflows: n(V +
/// E^2), as the sum grows in any order, with room for the roundings of each term. No term is larger than the
/// sum.
inline bool squares_in_range(const RowFacts& facts, const Working& f, Upward mean_error) {
  const Upward growth = Upward(4.0) * (Upward(1.0) + growth_in_any_order(facts.n, f).of_terms);
  const Upward total =
      Upward(static_cast<double>(facts.n)) * (Upward(facts.variance) + mean_error * mean_error);
  return (growth * total).value() <= f.omega;
}

}  // namespace normcheck
