// How y is made from the moments of a row: direct, folded or half folded.
#pragma once

#include <cstdint>
#include <span>

#include "impl/arithmetic/arithmetic.h"
#include "impl/table.h"

namespace normcheck {

/// 1/sqrt(var+eps): three operations, eps inside the root.
template <RootedArithmetic R>
R reciprocal_root(const R& var, const R& eps) {
  return count<R>(1) / ArithmeticTraits<R>::root(var + eps);
}

/// One row's y, in the arithmetic it was computed in. gamma and beta hold one value an element; where one
/// is null its operation is not done (no multiplication by 1, no addition of 0).
///   direct:      ((x - mean)*rstd)*gamma + beta
///   folded:      x*a + b, with a = gamma*rstd and b = beta - a*mean (without beta: 0 - a*mean)
///   half_folded: (x*rstd - mean*rstd)*gamma + beta
template <Finish finish, Arithmetic R>
void finish_row(std::span<const R> x, const R& mean, const R& rstd, const R* gamma, const R* beta, R* y) {
  if constexpr (finish == Finish::folded) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R a = gamma ? gamma[i] * rstd : rstd;
      const R b = (beta ? beta[i] : R{}) - a * mean;
      y[i] = x[i] * a + b;
    }
  } else {
    const R mean_scaled = mean * rstd;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const R x_hat = finish == Finish::direct ? (x[i] - mean) * rstd : x[i] * rstd - mean_scaled;
      const R scaled = gamma ? x_hat * gamma[i] : x_hat;
      y[i] = beta ? scaled + beta[i] : scaled;
    }
  }
}

/// x_hat alone, for a finish that forms it: what finish_row gives without gamma and beta.
template <Finish finish, Arithmetic R>
void normalize_row(std::span<const R> x, const R& mean, const R& rstd,
                   R* x_hat) requires(finish != Finish::folded) {
  finish_row<finish, R>(x, mean, rstd, nullptr, nullptr, x_hat);
}

}  // namespace normcheck
