// The relative error of a reciprocal root, for each way in which a row takes it.
#pragma once

#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"
#include "impl/variant.h"

namespace normcheck {

/// A reciprocal root good to `ulps`, which is twice as many u relative: 2 is what `stable` allows. u is the
/// coarser of the working type's and, with eps_f64, double's, in which the root is taken then.
inline Upward careful_root_error(const Working& f, bool eps_f64, double ulps = 2) {
  return Upward(2.0) * Upward(ulps) * Upward(eps_f64 && f.u < 0x1p-53 ? 0x1p-53 : f.u);
}

/// |r^ sqrt(w^) - 1|, w^ the number the root is taken of.
/// Divided: a root and a division round, (1+u)/(1-u) - 1 = 2u/(1-u); in double, with one rounding to the
/// working type behind them, that of double and u.
/// Newton: the estimate is off by at most a = 2^-14. One step r' = r(1.5 - p), p = ((w r) r)/2: with r off by
/// e, exactly r' is off by at most 1.5 e^2 + 0.5 e^3; p <= (1+e)^2/2 takes two roundings, gamma_2, the
/// difference (at most 1+e) one and the last product one, so
///   e' <= (1.5 e^2 + 0.5 e^3 + (1+e)^3 gamma_2 / 2)(1+u)^2 + 2u + u^2.
/// w r is near sqrt(w) and w r^2 near 1, so nothing underflows, and halving is exact.
inline Upward root_error(const Variant& variant, const Working& f) {
  const Upward u = f.u, one = 1.0;
  if (variant.eps_f64) {
    const Upward d = 0x1p-53, of_double = divide(Upward(2.0) * d, one_minus_lo(d));
    return f.term(BoundTerm::root_roundings, f.precision >= 53 ? of_double : of_double + u + u * of_double);
  }
  if (variant.root == Root::divided)
    return f.term(BoundTerm::root_roundings, divide(Upward(2.0) * u, one_minus_lo(u)));
  Upward e = 0x1p-14;
  for (int step = 0; step < newton_steps(variant.root); ++step) {
    const Upward exactly = f.term(BoundTerm::newton_estimate, Upward(1.5) * e * e) + Upward(0.5) * e * e * e;
    const Upward of_product = Upward(0.5) * (one + e) * (one + e) * (one + e) * gamma(2, f.u);
    e = (exactly + f.term(BoundTerm::newton_product, of_product)) * (one + u) * (one + u) +
        f.term(BoundTerm::newton_last, Upward(2.0) * u) + u * u;
  }
  return e;
}

}  // namespace normcheck
