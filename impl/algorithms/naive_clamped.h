// One pass with a floor: the mean of the squares minus the square of the mean, 0 where that is negative.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/naive.h"

namespace normcheck {

/// var = max(sum(x^2)/n - mean^2, 0). The floor hides the NaN that naive gives, not the cancellation: where
/// the variance is lost, rstd is 1/sqrt(eps). NaN stays NaN.
struct NaiveClamped {
  static constexpr std::string_view name = "naive_clamped";
  static constexpr std::string_view formula = "mean = sum(x)/n, var = max(sum(x^2)/n - mean^2, 0)";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + u|mu|";
  static constexpr std::string_view first_order_variance =
      "(n+1) u mean(x^2) + 2|mu| E + u mu^2 + u V; at most (3n+2) u kappa^2 V";
  static constexpr std::string_view derivation =
      "impl/algorithms/naive_clamped.h, impl/algorithms/naive.h, impl/algorithms/sum_bound.h";

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    Moments<R> m = Naive::moments<R>(x);
    if (m.var < R{}) m.var = R{};
    return m;
  }

  /// V >= 0, so the floor brings a negative var^ nearer to it: naive's bound holds.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    MomentBound out = Naive::bound(facts, f);
    out.variance_nonnegative = true;
    return out;
  }
};

}  // namespace normcheck
