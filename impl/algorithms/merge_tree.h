// A bound of Welford's and Chan's moments that holds for every merge tree over any order of the data.
#pragma once

#include <cmath>

#include "impl/algorithms/welford.h"

namespace normcheck {

/// The theorem behind `any order` for Welford and Chan.
///
/// Take any binary tree over the n elements: a leaf is one element (mean exact, S = 0); an inner node v of
/// size s merges parts a and b by mean = a + d(nb/s), S = Sa + Sb + d^2 na nb/s in any order of the two
/// additions, or, where b is one element, by Welford's update. Welford in any order, L lanes merged in
/// any way, blocks, trees and warps are such trees. Assumed: the part folded in is at most twice as large
/// as the other, nb <= 2 na (folding a large part into a tiny one loses 3u|d|, and is not a careful form).
/// Below q = d sqrt(c), c = na nb/s, so that the sum of q^2 over all inner nodes is exactly nV.
///
/// Mean. With g = gamma_4, E_v <= (1+2g)(1+u)(wa Ea + wb Eb) + loc_v, where
/// loc_v = (1+u) g wb|d| + u|mu_v| + eta. Multiplied by sizes and summed down the tree, with
/// growth L = 1 + gamma_{9(n-1)}:   n E <= L [ u sum s|mu_v| + (1+u) g sum nb|d| + eta sum s ].
///   sum s|mu_v| <= (n-1) A1, since no leaf is deeper than n-1;
///   nb|d| = sqrt(nb s/na) q, nb s/na <= 6 min(na,nb), and sum min(na,nb) <= (n/2) log2 n (small to
///   large), so by Cauchy-Schwarz sum nb|d| <= n sqrt(3 log2(n) V);
///   sum s <= n(n-1).
/// Variance. Rounding of the additions: an element's path gains u for each single element and at most 2u
/// for each larger part joined to it, so at most (n-1)u(1+u) nV in all. The products: gamma_7 nV. The
/// inherited error of the gap, Ed = Ea + Eb: sum (2+9u..) c|d|Ed <= (2+..) sqrt(nV) sqrt(C2) with
/// C2 = sum c Ed^2. By Minkowski sqrt(C2) <= L (u P + (1+u) g R + eta U), where
///   P^2 <= n^2 Q, since a subtree's share of the first sum is at most (na-1) sqrt(na Qa), and along the
///     path of one element sum (s-s')(s'-1) <= n^2/2; also P^2 <= max|x|^2 n^3/3, by induction on s;
///   R^2 <= 6 log2(n) ln(n) nV, since the share of the second is at most sqrt(3 na log2(na) Sa), and along
///     a path sum (s-s')/s <= ln n;
///   U^2 <= n^3/3, as P with all |mu_v| = 1.
/// Welford's update uses the new mean in its second factor: its extra |d| loc_v sums to at most
/// sqrt(2nV) W, with W <= (1+u) g sqrt(nV/2) + u sqrt(Q ln n) + eta sqrt(n), and E_v Ea to
/// L C2 + W sqrt(2 C2). Squares underflow by at most eta (c+2)/2 a node. All of it grows by at most
/// (1+u)^(2n), and the division rounds as usual.
inline MomentBound merge_tree_bound(const RowFacts& facts, const Working& f, Division division) {
  PartialBound e;
  if (facts.n < 2 || facts.constant) return moments_of_partial(facts, f, e, division);
  if (!f.count_exact(facts.n)) {
    e.mean = e.square_dev = Upward::infinity();
    return moments_of_partial(facts, f, e, division);
  }
  const double n = static_cast<double>(facts.n);
  const Upward u = f.u, one = 1.0, eta = f.eta, size = n, steps = n - 1;
  const Upward g = gamma(4, f.u), g7 = gamma(7, f.u);
  const Upward growth = one + gamma(9 * (n - 1), f.u);
  // log2 and ln of n, rounded well up: an integer ceiling, and ln n <= 0.6931472 * ceil(log2 n).
  const Upward log2_n = std::ceil(std::log2(n)) + (std::exp2(std::ceil(std::log2(n))) < n ? 1 : 0);
  const Upward ln_n = log2_n * Upward(0.6931472);
  // Through the largest deviation and |x| as well: V and Q underflow long before their roots do.
  const Upward sigma = min(sqrt(Upward(facts.variance)), Upward(facts.max_dev));
  const Upward ssd = size * Upward(facts.variance), ssd_root = sqrt(size) * sigma;
  const Upward squares_root = min(sqrt(Upward(facts.square_sum)), sqrt(size) * Upward(facts.max_abs));

  e.mean = growth * (u * divide(steps * Upward(facts.abs_sum), n) +
                     (one + u) * g * sqrt(Upward(3.0) * log2_n) * sigma + eta * steps);

  const Upward cube_third = divide(size * size * size, 3.0);
  const Upward p = min(size * squares_root, Upward(facts.max_abs) * sqrt(cube_third));
  const Upward r = sqrt(Upward(6.0) * log2_n * ln_n) * ssd_root;
  const Upward c2_root = growth * (u * p + (one + u) * g * r + eta * sqrt(cube_third));
  const Upward w =
      (one + u) * g * divide(ssd_root, sqrt_lo(2.0)) + u * squares_root * sqrt(ln_n) + eta * sqrt(size);
  const Upward two_root = sqrt(Upward(2.0));
  const Upward inherited = (growth + one) * ssd_root * c2_root + two_root * ssd_root * w +
                           growth * c2_root * c2_root + two_root * w * c2_root;
  const Upward underflow = (one + g7) * (divide(size * log2_n, 2.0) + Upward(2.0) * size) * Upward(f.eta / 2);
  e.square_dev = (one + gamma(2 * n, f.u)) * (one + u) *
                 (steps * u * (one + u) * ssd + g7 * ssd + (one + g7) * inherited + underflow);
  MomentBound out = moments_of_partial(facts, f, e, division);
  // d^2 na nb, before it is divided by s, is at most n times the sum it goes into.
  out.in_range = out.in_range && (size * Upward(4.0) * (ssd + e.square_dev)).value() <= f.omega;
  return out;
}

}  // namespace normcheck
