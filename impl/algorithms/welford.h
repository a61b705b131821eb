// Welford's update: a running mean and a running sum of squared deviations, one pass.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/sum_bound.h"
#include "impl/algorithms/welford_recursion.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// The unnormalised state of Welford's and Chan's forms: count, mean, sum of squared deviations.
template <class R>
struct Partial {
  std::int64_t n = 0;
  R mean{};
  R square_dev{};
};

/// One step: mean += (v-mean)/n; S += (v-mean_before)*(v-mean_after).
template <Arithmetic R>
void welford_add(Partial<R>& p, const R& v) {
  ++p.n;
  const R before = v - p.mean;
  p.mean = p.mean + before / count<R>(p.n);
  p.square_dev = p.square_dev + before * (v - p.mean);
}

template <Arithmetic R>
Partial<R> welford_partial(std::span<const R> x) {
  Partial<R> p;
  for (const R& v : x) welford_add(p, v);
  return p;
}

/// Whether no square and no running sum of squares overflows, given F, the bound of the final one: S_k + F_k
/// grows with k, each product that is added is at most the sum it goes into, and c >= 1/2 makes a gap's
/// square at most twice its product; four times nV + F leaves room for all. (A running mean never leaves the
/// range of the data, so differences are in sums_in_range.)
inline bool partials_in_range(const RowFacts& facts, const Working& f, Upward square_dev_error) {
  const Upward total = Upward(static_cast<double>(facts.n)) * Upward(facts.variance) + square_dev_error;
  return (total * Upward(4.0)).value() <= f.omega;
}

/// From a partial's bound to the moments': var^ = S^/n rounds once (twice where n is not representable).
inline MomentBound moments_of_partial(const RowFacts& facts, const Working& f, PartialBound e,
                                      Division division) {
  const double k = division_roundings(f, facts.n, division);
  const Upward g = k == 1 ? Upward(f.u) : gamma(k, f.u);
  MomentBound out;
  out.mean = e.mean;
  out.variance_nonnegative = true;
  out.mean_exact = e.mean.value() == 0;
  out.in_range = sums_in_range(facts, f) && partials_in_range(facts, f, e.square_dev) &&
                 reciprocal_in_range(f, facts.n, division);
  if (facts.constant) return out;
  out.variance = (Upward(1.0) + g) * divide(e.square_dev, static_cast<double>(facts.n)) +
                 f.term(BoundTerm::partial_division, g) * Upward(facts.variance) +
                 f.term(BoundTerm::partial_underflow, f.eta / 2);
  return out;
}

/// mean += (x-mean)/k; S += (x-mean_before)*(x-mean_after); var = S/n, or S times a rounded 1/n.
template <Division how>
struct WelfordThen {
  static constexpr std::string_view name = "welford";
  static constexpr std::string_view formula =
      "at element k: d = x - mean, mean += d/k, S += d (x - mean); var = S/n";
  static constexpr std::string_view first_order_mean =
      "mean(k u|mu_k| + 2u|d_k|), d_k = x_k - mu_(k-1); about (n/2) u|mu|";
  static constexpr std::string_view first_order_variance =
      "mean(2|d_k| E_k + u S_k) + 4 u V; about (n/2) u (V + |mu| D)";
  static constexpr std::string_view derivation =
      "impl/algorithms/welford_recursion.h, impl/algorithms/welford.h";
  static constexpr Division division = how;
  static constexpr bool reads_prefixes = true;

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const Partial<R> p = welford_partial(x);
    return {p.mean, mean_of<how>(p.square_dev, count<R>(p.n), count<R>(1))};
  }

  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return moments_of_partial(facts, f, welford_recursion(facts, f, 0, facts.n), how);
  }
};
using Welford = WelfordThen<Division::by_count>;
using WelfordByReciprocal = WelfordThen<Division::by_reciprocal>;

}  // namespace normcheck
