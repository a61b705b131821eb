// What a kernel can lose, beyond its bound, that takes subnormal numbers as 0.
#pragma once

#include <cmath>

#include "corpus/row_facts.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

// Whether an operation gives 0 for a subnormal result, or an operation reads a subnormal operand as 0: let N
// be the smallest normal number of the working format. fl(a op b) = (a op b)(1+d) + e then has |e| < N from
// its result and less than N from each operand, sums and differences included, which lose nothing to
// underflow otherwise. (Subnormal x, gamma and beta are another matter: oracles/flushed_row.h.)

/// N.
inline double smallest_normal(const Working& f) { return std::ldexp(f.eta, f.precision - 1); }

/// The format with eta so large that its half, which bounds what a product loses, is 2N: of the product
/// itself, and of the operation that reads it.
inline Working flushing(Working f) {
  f.eta = 4 * smallest_normal(f);
  return f;
}

/// Mean and variance, from a bound that knows of no flushing. Each algorithm of the table takes fewer than 16
/// operations an element, each with at most 3N: 48 n N at most are put in. What is put into a partial sum, a
/// mean, a deviation or what compensates for one moves the mean by at most itself, and the roundings that it
/// meets are one after the other fewer than n+8 operations, each of which has it grow by at most 1+4u: by at
/// most 2 in all where 4(n+8)u <= 1/2. So the mean moves by at most K = 128 n N. A term of the variance is a
/// product of two of these quantities, none above M = 4 max|x| + 2E, or a sum of such, divided by n: the
/// variance moves by at most 2MK + K^2 from the quantities' own errors, as much from that of the mean, and K
/// from the products and sums themselves.
///
/// var^ >= 0 stays true. A sum of squares, flushed or not, is none below 0. Of Welford's product
/// (x - m)(x - m') the factors have one sign, as m' lies between m and x, unless m' was flushed, or x read as
/// 0 once: then m' is below N, so both factors are below 3N in magnitude, and their product, below 9N^2, is
/// less than N and flushed, or less than eta/2 and rounds to 0.
inline MomentBound flushed(MomentBound bound, const RowFacts& facts, const Working& f, double normal) {
  const auto n = static_cast<double>(facts.n);
  const Upward k =
      4 * (n + 8) * f.u <= 0.5 ? Upward(128.0) * Upward(n) * Upward(normal) : Upward(Upward::infinity());
  const Upward m = Upward(4.0) * Upward(facts.max_abs) + Upward(2.0) * bound.mean;
  bound.mean += k;
  bound.variance += k + Upward(4.0) * m * k + Upward(2.0) * k * k;
  bound.mean_exact = false;
  if (bound.centre) bound.centre->absolute += Upward(2.0) * k;
  return bound;
}

}  // namespace normcheck
