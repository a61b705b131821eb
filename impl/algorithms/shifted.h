// One pass over the differences from the row's first element.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/sum_bound.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// d = x - x0; mean = x0 + mean(d); var = mean(d^2) - mean(d)^2. As good as two passes where x0 is near the
/// mean; where x0 is an outlier, s = mu - x0 takes the place that mu has in naive: (s/std)^2 <= n, and the
/// relative error of the variance is of order n u (1 + s^2/V).
struct Shifted {
  static constexpr std::string_view name = "shifted";
  static constexpr std::string_view formula =
      "d = x - x[0], mean = x[0] + sum(d)/n, var = sum(d^2)/n - (sum(d)/n)^2";
  static constexpr std::string_view first_order_mean = "n u mean|d| + u|s| + u|mu|, s = mu - x[0]";
  static constexpr std::string_view first_order_variance = "(n+4) u (V+s^2) + 2|s| (E - u|mu|)";
  static constexpr std::string_view derivation = "impl/algorithms/shifted.h";

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R n = count<R>(static_cast<std::int64_t>(x.size()));
    R sum{};
    R squares{};
    for (const R& v : x) {
      const R d = v - x[0];
      sum = sum + d;
      squares = squares + d * d;
    }
    const R mean = sum / n;
    return {x[0] + mean, squares / n - mean * mean};
  }

  /// With delta = x - x0 exactly, s its mean, a = sum |delta|, Q = sum delta^2 = n(V + s^2), d = delta(1+e),
  /// |e| <= u, sums that grow by G = (n-1)u, k roundings in a division, g = gamma_k:
  ///   sum:   |sum^ - n s| <= (u + G(1+u)) a, or 0 where the differences and their sums are exact
  ///   E_s  = g|s| + (1+g)(u + G(1+u)) a/n + eta/2
  ///   mean = fl(x0 + mean(d)):  E = (1+u) E_s + u|mu|
  ///   squares/n takes 2 roundings of d, one of the square, n-1 of the sum, k: h = gamma_{n+2+k}, or gamma_k
  ///   where the differences, their squares and the sums of those are exact
  ///   B = (1+u)[ h Q/n + (1+u) E_s(2|s| + E_s) + u s^2 + eta(1+h) + eta/2 ] + u V.
  /// On a constant row every difference is 0 and everything is exact.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    MomentBound out;
    out.in_range = sums_in_range(facts, f);
    if (facts.constant) {
      out.mean_exact = out.variance_nonnegative = true;
      return out;
    }
    const Upward u = f.u, one = 1.0, s = facts.deviation[0], v = facts.variance;
    const double n = static_cast<double>(facts.n), k = division_roundings(f, facts.n, Division::by_count);
    Upward a = 0.0;
    for (std::int64_t i = 1; i < facts.n; ++i)
      a += Upward(std::nextafter(std::fabs(facts.x[i] - facts.x[0]), Upward::infinity()));
    const Upward growth = growth_in_any_order(facts.n, f).of_terms;
    const bool exact = differences_exact(facts, f, a);
    const Upward of_sum = exact ? Upward(0.0) : u + growth * (one + u);
    const Upward g = gamma(k, f.u);
    const Upward off = f.term(BoundTerm::shifted_division, g * s) +
                       (one + g) * f.term(BoundTerm::shifted_differences, of_sum) * divide(a, n) +
                       f.term(BoundTerm::shifted_underflow, f.eta / 2);
    const Upward squares = Upward(n) * (v + s * s);
    const Upward h = gamma(exact && squares_exact(facts, f, squares) ? k : n + 2 + k, f.u);
    const Upward underflow = Upward(f.eta) * (one + h) + Upward(f.eta / 2);
    const Upward of_squares = f.term(BoundTerm::shifted_squares, h) * (v + s * s) +
                              f.term(BoundTerm::shifted_square_underflow, underflow);
    const Upward of_error = (one + u) * off * (Upward(2.0) * s + off);
    const Upward of_mean =
        f.term(BoundTerm::shifted_mean_error, of_error) + f.term(BoundTerm::shifted_mean_square, u * s * s);
    out.mean = (one + u) * off + f.term(BoundTerm::shifted_addition, u) * Upward(facts.mean_abs);
    out.variance = (one + u) * (of_squares + of_mean) + f.term(BoundTerm::shifted_subtraction, u * v);
    out.in_range = out.in_range && ((one + u) * (one + growth) * a).value() <= f.omega &&
                   (squares * (one + h) * Upward(4.0)).value() <= f.omega;
    return out;
  }

 private:
  /// All x are multiples of q = 2^quantum, and so are the differences, of
  /// which each is at most A1: exact where A1 < 2^p q. Their sums are where also a < 2^p q.
  static bool differences_exact(const RowFacts& facts, const Working& f, Upward a) {
    return sums_exactly(facts, f) && fits(a, facts.quantum, f);
  }
  /// And so are their squares and the sums of those, where also n(V + s^2) < 2^p q^2.
  static bool squares_exact(const RowFacts& facts, const Working& f, Upward squares) {
    return fits(squares, 2 * facts.quantum, f) && representable(2 * facts.quantum, f);
  }
  static bool fits(Upward sum, int quantum, const Working& f) {
    return sum.value() == 0 || (sum.finite() && std::ilogb(sum.value()) + 1 - quantum <= f.precision);
  }
};

}  // namespace normcheck
