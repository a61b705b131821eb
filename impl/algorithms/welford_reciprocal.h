// Welford's update without a division: each difference is multiplied by a rounded 1/k.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/welford.h"

namespace normcheck {

/// mean += (x-mean)*(1/k), 1/k rounded. Kernels read 1/k from a table; the numbers are these.
struct WelfordReciprocal {
  static constexpr std::string_view name = "welford_reciprocal";
  static constexpr std::string_view formula =
      "at element k: d = x - mean, mean += d (1/k), S += d (x - mean); var = S/n (a table of 1/k saves the "
      "division)";
  static constexpr std::string_view first_order_mean =
      "mean(k u|mu_k| + 3u|d_k|), d_k = x_k - mu_(k-1); about (n/2) u|mu|";
  static constexpr std::string_view first_order_variance =
      "mean(2|d_k| E_k + u S_k) + 4 u V; about (n/2) u (V + |mu| D)";
  static constexpr std::string_view derivation =
      "impl/algorithms/welford_reciprocal.h, impl/algorithms/welford.h";
  static constexpr bool reads_prefixes = true;

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R one = count<R>(1);
    Partial<R> p;
    for (const R& v : x) {
      ++p.n;
      const R before = v - p.mean;
      p.mean = p.mean + before * (one / count<R>(p.n));
      p.square_dev = p.square_dev + before * (v - p.mean);
    }
    return {p.mean, p.square_dev / count<R>(p.n)};
  }

  /// Welford's recursion with one more rounding in (x-mean)/k.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return moments_of_partial(facts, f, welford_recursion(facts, f, 0, facts.n, Division::by_reciprocal),
                              Division::by_count);
  }
};

}  // namespace normcheck
