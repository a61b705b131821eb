// How y is made from the moments of a row: the reciprocal root, then direct, folded or half folded.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

#include "corpus/dtype.h"
#include "impl/algorithms/moments.h"
#include "impl/arithmetic/arithmetic.h"
#include "impl/variant.h"

namespace normcheck {

/// 1/sqrt(w) as a vector unit estimates it: rounded to 14 significant bits, relative error 2^-14.
inline double estimated_reciprocal_root(double w) {
  const double r = 1.0 / std::sqrt(w);
  if (!std::isfinite(r) || r == 0) return r;
  constexpr std::uint64_t dropped = std::uint64_t{1} << 39;  // of 52 fraction bits 13 stay
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(r) + dropped / 2) & ~(dropped - 1));
}

/// 1/sqrt(var+eps), eps inside the root. With eps_f64 the sum, the root and the division are done in double
/// and rounded once. A Newton step is r*(1.5 - ((w*r)*r)/2).
template <Variant variant, RootedArithmetic R>
R reciprocal_root(const R& var, const R& eps_rounded, double eps) {
  using Traits = ArithmeticTraits<R>;
  if constexpr (variant.eps_f64) {
    return Traits::from_double(1.0 / std::sqrt(Traits::to_double(var) + eps));
  } else if constexpr (variant.root == Root::divided) {
    return count<R>(1) / Traits::root(var + eps_rounded);
  } else {
    const R w = var + eps_rounded;
    const R half = Traits::from_double(0.5), one_and_half = Traits::from_double(1.5);
    const double estimate = estimated_reciprocal_root(Traits::to_double(w));
    R r = Traits::from_double(estimate);
    if (!std::isfinite(estimate)) return r;  // a step would make NaN of 1/sqrt(0)
    // Halved last: w may be subnormal, and w*r*r is near 1.
    for (int step = 0; step < newton_steps(variant.root); ++step)
      r = r * (one_and_half - half * ((w * r) * r));
    return r;
  }
}

/// x - mean, for a compensated algorithm less the rest of the mean too.
template <bool compensated, Arithmetic R>
R centred(const R& x, const Moments<R>& m) {
  if constexpr (compensated) {
    return (x - m.mean) - m.mean_lo;
  } else {
    return x - m.mean;
  }
}

/// One row's y, in the arithmetic it was computed in. gamma and beta hold one value an element; where one
/// is null its operation is not done (no multiplication by 1, no addition of 0).
///   direct:      ((x - mean)*rstd)*gamma + beta, with x_hat_storage x_hat rounded to `storage` in between
///   folded:      x*a + b, with a = gamma*rstd and b = beta - a*mean (without beta: 0 - a*mean)
///   half_folded: (x*rstd - mean*rstd)*gamma + beta
template <Variant variant, bool compensated, Arithmetic R>
void finish_row(DType storage, std::span<const R> x, const Moments<R>& m, const R& rstd, const R* gamma,
                const R* beta, R* y) {
  static_assert(!compensated || variant.finish == Finish::direct, "only this finish subtracts both parts");
  if constexpr (variant.finish == Finish::folded) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R a = gamma ? gamma[i] * rstd : rstd;
      const R b = (beta ? beta[i] : R{}) - a * m.mean;
      y[i] = x[i] * a + b;
    }
  } else {
    const R mean_scaled = m.mean * rstd;
    for (std::size_t i = 0; i < x.size(); ++i) {
      R x_hat =
          variant.finish == Finish::direct ? centred<compensated>(x[i], m) * rstd : x[i] * rstd - mean_scaled;
      if constexpr (variant.x_hat_storage) {
        using Traits = ArithmeticTraits<R>;
        x_hat = Traits::from_double(to_double(storage, round_to(storage, Traits::to_double(x_hat))));
      }
      const R scaled = gamma ? x_hat * gamma[i] : x_hat;
      y[i] = beta ? scaled + beta[i] : scaled;
    }
  }
}

}  // namespace normcheck
