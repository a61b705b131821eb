// The bound of a mean formed by summing in any order, shared by every algorithm that sums.
#pragma once

#include "corpus/row_facts.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

/// How the sum becomes a mean: divided by n, or multiplied by a rounded 1/n (one more rounding).
enum class Division { by_count, by_reciprocal };

/// The number of roundings, past the sum's own, in forming sum/n.
inline double division_roundings(const Working& f, std::int64_t n, Division division) {
  return (f.count_exact(n) ? 1.0 : 2.0) + (division == Division::by_reciprocal ? 1.0 : 0.0);
}

/// |sum^ - sum| <= growth * A1. For round to nearest and any order of n-1 additions the growth is
/// (n-1)u, with no second-order term and no restriction on n (Jeannerod and Rump, Improved error bounds
/// for inner products in floating-point arithmetic, 2013). It is 0 where every partial sum is a multiple
/// of a common quantum and fits: then no addition rounds. Additions have no underflow error.
inline Upward sum_growth(const RowFacts& facts, const Working& f) {
  if (facts.sum_bits <= f.precision) return 0.0;
  return Upward(static_cast<double>(facts.n - 1)) * Upward(f.u);
}

/// |mean^ - mean|: with k roundings in the division and growth G of the sum, gamma_k |mu| +
/// (1 + gamma_k) G A1/n + eta/2. At n = 1 the sum and the division are exact.
inline Upward mean_of_sum(const RowFacts& facts, const Working& f, Division division) {
  if (facts.n == 1) return 0.0;
  const double k = division_roundings(f, facts.n, division);
  const Upward g = k == 1 ? Upward(f.u) : gamma(k, f.u);
  const Upward inherited = sum_growth(facts, f) * divide(facts.abs_sum, static_cast<double>(facts.n));
  return g * Upward(facts.mean_abs) + (Upward(1.0) + g) * inherited + Upward(f.eta / 2);
}

/// Whether no sum of the x, no difference x - mean and no count overflows, with room to spare.
inline bool sums_in_range(const RowFacts& facts, const Working& f) {
  const Upward grown = (Upward(1.0) + sum_growth(facts, f)) * Upward(facts.abs_sum);
  const Upward spread = Upward(4.0) * Upward(facts.max_abs);
  return static_cast<double>(facts.n) <= f.omega && grown.value() <= f.omega && spread.value() <= f.omega;
}

/// Whether no sum of squared deviations about a mean that is off by at most `mean_error` overflows: four
/// times n(V + E^2) covers (x - mean)^2 and every partial sum of them.
inline bool squares_in_range(const RowFacts& facts, const Working& f, Upward mean_error) {
  const Upward total =
      Upward(static_cast<double>(facts.n)) * (Upward(facts.variance) + mean_error * mean_error) * Upward(4.0);
  return total.value() <= f.omega;
}

}  // namespace normcheck
