// The bound of Welford's running mean and sum of squares: a recursion over the exact statistics of the
// prefixes.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "impl/algorithms/division.h"
#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// Bounds of a partial's errors: |mean^ - mean| <= mean, |S^ - S| <= square_dev.
struct PartialBound {
  Upward mean;
  Upward square_dev;
};

/// Welford over the elements lo..hi-1, as a recursion over exact prefix statistics mu_k, S_k of the block
/// (u: unit roundoff; g: gamma_2, one rounding more once k is not representable, and one more for a
/// multiplication by 1/k, whose own error is k eta/2 where it is subnormal):
///   E_k = (1+u)[ E_{k-1}(k-1)/k + g(|x_k - mu_{k-1}| + E_{k-1})/k + eta/2 ] + u|mu_k|
///   t_k = (x_k - mu_{k-1})(x_k - mu_k)
///   F_k = (1+u)[ F_{k-1} + (1+gamma_3)(|x_k-mu_{k-1}|E_k + |x_k-mu_k|E_{k-1} + E_k E_{k-1}) + gamma_3 t_k +
///   eta/2 ] + u S_k
/// As long as all elements so far are equal, every step is exact and both errors are 0. N is Upward, or
/// double for `welford_recursion` below.
template <class N>
struct WelfordErrors {
  N mean = 0.0;
  N square_dev = 0.0;
};
inline Upward over(Upward a, double divisor) { return divide(a, divisor); }
inline double over(double a, double divisor) { return a / divisor; }

template <class N>
WelfordErrors<N> welford_errors(const RowFacts& facts, const Working& f, double eta_half, std::int64_t lo,
                                std::int64_t hi, Division division) {
  const N u = f.u, one = 1.0, half_eta = eta_half, g3 = gamma(3, f.u).value();
  const N exact_count = gamma(1 + division_roundings(f, 1, division), f.u).value();
  const double smallest_normal = f.eta / (2 * f.u);
  WelfordErrors<N> e;
  for (std::int64_t i = lo + 1; i < hi; ++i) {
    const double k = static_cast<double>(i - lo + 1);
    double mean_abs, square_dev, before;
    if (lo == 0) {
      if (i < facts.constant_prefix) continue;
      mean_abs = facts.prefix_mean_abs[i];
      square_dev = facts.prefix_square_dev[i];
      before = facts.dev_before[i];
    } else {
      const BlockFacts b = facts.block(facts.context, lo, i + 1);
      if (b.constant) continue;
      mean_abs = b.mean_abs;
      square_dev = b.square_dev_sum;
      before = facts.mean_gap(facts.context, lo, i, i + 1);
    }
    N g = exact_count;
    if (!f.count_exact(i - lo + 1)) g = gamma(1 + division_roundings(f, i - lo + 1, division), f.u).value();
    if (division == Division::by_reciprocal && 1 / k < 2 * smallest_normal)
      g = g + (one + g) * N(k) * half_eta;
    const N d = before;
    const N after = over(d * N(k - 1), k);
    const N inherited = f.term(BoundTerm::update_inherited, e.mean * N(k - 1));
    const N drift = over(inherited + f.term(BoundTerm::update_step, g) * (d + e.mean), k) +
                    f.term(BoundTerm::update_underflow, half_eta);
    const N mean = (one + u) * drift + f.term(BoundTerm::update_mean, u) * N(mean_abs);
    const N cross = f.term(BoundTerm::product_new_mean, d * mean) +
                    f.term(BoundTerm::product_old_mean, after * e.mean) + mean * e.mean;
    const N term = (one + g3) * cross + f.term(BoundTerm::product_roundings, g3) * d * after +
                   f.term(BoundTerm::product_underflow, half_eta);
    e.square_dev = (one + u) * (e.square_dev + term) + f.term(BoundTerm::running_sum, u) * N(square_dev);
    e.mean = mean;
  }
  return e;
}

/// The recursion in operations that each round up; or, several times as fast, in plain doubles, where the row
/// is short and its facts say that none of it can over- or underflow (RowFacts::plain).
///
/// Why plain doubles will do: the formula is made of sums and products of nonnegative numbers alone. Rounded
/// to nearest, an operation loses at most 2^-53 of its result; a step has at most 8 of them one after the
/// other for E and 12 more for F, and a product of two E has the losses of both: 28 k + 32 of them after k
/// steps, so that the result times 1 + (28 k + 32) 2^-52 is not below the formula's value. Nothing is
/// subnormal: with eta/2 at least 2^-1000 every E is 0 or above g|d|/k >= 2^-475 (u >= 2^-64), so E E and |d|
/// E are above 2^-960, and u S and gamma_3 t above 2^-890. What is infinite or NaN all the same is left to
/// the operations that round up.
inline PartialBound welford_recursion(const RowFacts& facts, const Working& f, std::int64_t lo,
                                      std::int64_t hi, Division division = Division::by_count) {
  if (facts.plain) {
    const auto e = welford_errors<double>(facts, f, std::max(f.eta / 2, 0x1p-1000), lo, hi, division);
    if (std::isfinite(e.mean) && std::isfinite(e.square_dev)) {
      const double inflation = 1 + (28 * static_cast<double>(hi - lo) + 32) * 0x1p-52;
      return {e.mean * inflation, e.square_dev * inflation};
    }
  }
  const auto e = welford_errors<Upward>(facts, f, f.eta / 2, lo, hi, division);
  return {e.mean, e.square_dev};
}

}  // namespace normcheck
