// Two passes by Kahan's compensated sums.
#pragma once

#include <cstdint>
#include <string_view>

#include "impl/algorithms/neumaier.h"

namespace normcheck {

/// A running sum and what its last addition lost, taken off the next term (Kahan, Further remarks on reducing
/// truncation errors, 1965). Where a term is larger than the sum so far, the loss is found only in part.
struct KahanSum {
  template <Arithmetic R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    R s{};
    R lost{};
    for (std::int64_t i = lo; i < hi; ++i) {
      const R y = term(i) - lost;
      const R t = s + y;
      lost = (t - s) - y;
      s = t;
    }
    return s;
  }

  /// Step i: y_i = x_i - c_{i-1} + r_i, s_i = s_{i-1} + y_i + e_i, c_i = e_i - z_i, so that
  /// s_i - c_i = s_{i-1} - c_{i-1} + x_i + r_i + z_i, and over all steps s_n = sum + e_n + sum r_i +
  /// sum_{i<n} z_i. By the standard model (no addition underflows):
  ///   |r_i| <= u|x_i - c_{i-1}|, |y_i| <= (1+u)(|x_i| + |c_{i-1}|), |e_i| <= u|s_i|.
  ///   Where |s_{i-1}| >= |y_i|, c_i is e_i exactly (Dekker), z_i = 0. Else |e_i| <= 2u|y_i|, the difference
  ///   t - s = y_i + e_i rounds by at most u(1+2u)|y_i|, and c_i = fl(e_i + that) rounds once more:
  ///   |z_i| <= [u(1+2u)(1+u) + 2u^2]|y_i| <= (u + 6u^2)|y_i|.
  /// So |r_i| + |z_i| <= r(|x_i| + |c_{i-1}|) with q = (u + 6u^2)(1+u), r = u + q. Let c = max|c_i|, s =
  /// max|s_i|:
  ///   s <= A1 + r(A1 + nc) + c and c <= us + q(A1 + c), hence c <= C A1 with
  ///   C = (u(1+r) + q) / (1 - q - u(1+rn)).
  /// Last, |s_n - sum| <= u|s_n| + r(A1 + nc), or [u|sum| + r(1 + nC) A1]/(1-u): u|sum| + 2u A1 to first
  /// order.
  static Growth growth(std::int64_t n, const Working& f) {
    if (n == 1) return {0.0, 0.0};
    const Upward u = f.u, one = 1.0, terms = static_cast<double>(n);
    const Upward q = (u + Upward(6.0) * u * u) * (one + u), r = u + q;
    const Upward c = divide(u * (one + r) + q, one_minus_lo(q + u * (one + r * terms)));
    const double under = one_minus_lo(u);
    return {divide(u, under), divide(r * (one + terms * c), under)};
  }
};

struct Kahan : CompensatedTwoPass<KahanSum> {
  static constexpr std::string_view name = "kahan";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; each sum beside what its last addition lost";
  static constexpr std::string_view first_order_mean = "2 u|mu| + 2 u mean|x|";
  static constexpr std::string_view first_order_variance = "7 u V + E^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/kahan.h, impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
