// Where nothing rounds: rows whose sums, mean, deviations or squares are numbers of the format.
#pragma once

#include <cmath>

#include "corpus/row_facts.h"
#include "impl/algorithms/division.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

/// Nothing rounds where every partial sum, in any order, is a multiple of a common quantum and fits.
inline bool sums_exactly(const RowFacts& facts, const Working& f) { return facts.sum_bits <= f.precision; }

/// Whether numbers that are multiples of 2^exponent are no finer than the format's subnormal numbers.
inline bool representable(int exponent, const Working& f) { return exponent >= std::ilogb(f.eta); }

inline bool power_of_two(std::int64_t n) { return (n & (n - 1)) == 0; }

/// Nothing rounds in the mean where the sum is exact and mu is a number of the format: a division is
/// correctly rounded, and 1/n is exact where n is a power of two.
inline bool mean_is_exact(const RowFacts& facts, const Working& f, Division division) {
  if (facts.n == 1) return true;
  return sums_exactly(facts, f) && facts.mean_bits <= f.precision && representable(facts.dev_quantum, f) &&
         f.count_exact(facts.n) &&
         (division == Division::by_count ||
          (power_of_two(facts.n) && reciprocal_in_range(f, facts.n, division)));
}

/// Nor in x - mean, its square and the sums of both, in any order: with x and mu multiples of r and nV <=
/// 2^p r^2, |x-mu| <= sqrt(nV) and sum |x-mu| <= nV/r.
inline bool deviations_are_exact(const RowFacts& facts, const Working& f, Division division) {
  return mean_is_exact(facts, f, division) && (facts.constant || (facts.dev_square_bits <= f.precision &&
                                                                  representable(2 * facts.dev_quantum, f)));
}

/// What is left of |var^ - V| then: its division, gamma_k V + eta/2, where by a power of two it does not
/// round.
inline Upward variance_by_division(const RowFacts& facts, const Working& f, Division division) {
  if (facts.n == 1) return 0.0;
  const Upward underflow = f.eta / 2 > 0 ? f.eta / 2 : f.eta;  // of double, eta/2 is no double
  if (power_of_two(facts.n) && f.count_exact(facts.n)) return underflow;
  return gamma(division_roundings(f, facts.n, division), f.u) * Upward(facts.variance) + underflow;
}

}  // namespace normcheck
