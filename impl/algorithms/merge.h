// Chan, Golub and LeVeque's merge of two partial means and sums of squared deviations, and its bound.
#pragma once

#include <cstdint>

#include "impl/algorithms/welford.h"

namespace normcheck {

/// Merges b into a: mean = a + d*(nb/n), S = (Sa + Sb) + d^2*(na*(nb/n)), d = mean_b - mean_a.
template <Arithmetic R>
Partial<R> merge(const Partial<R>& a, const Partial<R>& b) {
  const std::int64_t n = a.n + b.n;
  const R gap = b.mean - a.mean;
  const R share = count<R>(b.n) / count<R>(n);
  return {n, a.mean + gap * share, (a.square_dev + b.square_dev) + gap * gap * (count<R>(a.n) * share)};
}

/// Of lo..mid-1 merged with mid..hi-1. With w = nb/n, c = na nb/n, d the exact gap of the means and
/// D = Ea + Eb (counts that are not representable add three roundings to each of the two products):
///   E = (1+u)[ (1-w)Ea + w Eb + gamma_3 w(|d|+D) + eta/2 ] + u|mu|
///   F = (1+u)^2 (Fa+Fb) + gamma_2 (Sa+Sb) + (1+u)[ c((1+gamma_6)(2|d|D + D^2) + gamma_6 d^2) + underflow ]
///   + u c d^2
/// Parts that are all one value merge exactly.
inline PartialBound merge_bound(const RowFacts& facts, const Working& f, std::int64_t lo, std::int64_t mid,
                                std::int64_t hi, PartialBound a, PartialBound b) {
  const BlockFacts whole = facts.block(facts.context, lo, hi);
  if (whole.constant) return {};
  const BlockFacts left = facts.block(facts.context, lo, mid);
  const BlockFacts right = facts.block(facts.context, mid, hi);
  const Upward u = f.u, one = 1.0;
  const double n = static_cast<double>(hi - lo);
  const Upward na = static_cast<double>(mid - lo), nb = static_cast<double>(hi - mid);
  const double counts = f.count_exact(hi - lo) ? 0 : 3;
  const Upward g3 = gamma(3 + counts, f.u), g6 = gamma(6 + counts, f.u), g2 = gamma(2, f.u);
  const Upward w = divide(nb, n), c = divide(na * nb, n);
  const Upward d = facts.mean_gap(facts.context, lo, mid, hi), both = a.mean + b.mean;
  const Upward inherited = f.term(BoundTerm::merge_inherited, divide(na * a.mean, n) + w * b.mean);
  const Upward drift = inherited + f.term(BoundTerm::merge_step, g3) * w * (d + both) +
                       f.term(BoundTerm::merge_step_underflow, f.eta / 2);
  const Upward underflow = (one + g6) * (c + one + one) * Upward(f.eta / 2);
  const Upward of_error = (one + g6) * (Upward(2.0) * d * both + both * both);
  const Upward term = c * (f.term(BoundTerm::merge_gap_error, of_error) +
                           f.term(BoundTerm::merge_gap_roundings, g6) * d * d) +
                      f.term(BoundTerm::merge_underflow, underflow);
  PartialBound out;
  out.mean = (one + u) * drift + f.term(BoundTerm::merge_mean, u) * Upward(whole.mean_abs);
  out.square_dev =
      (one + u) * (one + u) * (a.square_dev + b.square_dev) +
      f.term(BoundTerm::merge_sums, g2) * (Upward(left.square_dev_sum) + Upward(right.square_dev_sum)) +
      (one + u) * term + f.term(BoundTerm::merge_sum, u) * c * d * d;
  return out;
}

}  // namespace normcheck
