// Two passes and a third: the mean of what the mean leaves is kept beside it, and subtracted too.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/summation.h"

namespace normcheck {

/// m = mean(x), c = mean(x - m), var = mean(((x - m) - c)^2), x_hat = ((x - m) - c)*rstd. The mean as two
/// numbers: the error of m, which is what dominates y where the mean is large, is gone to first order.
struct CompensatedMean {
  static constexpr std::string_view name = "compensated_mean";
  static constexpr std::string_view formula =
      "m = sum(x)/n, c = sum(x-m)/n, mean = m + c, var = sum(((x-m)-c)^2)/n; x_hat from (x-m)-c";
  static constexpr std::string_view first_order_mean =
      "u|mu| + C, C = (n+1)/2 u D + (2n-1) u F, F = (n-1) u mean|x| + u|mu|; (x-m)-c is off by 2u|x-mu| + C "
      "+ u F";
  static constexpr std::string_view first_order_variance = "(n+5) u V + 2 u sqrt(V) F + C^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/compensated_mean.h, impl/algorithms/sum_bound.h";
  static constexpr bool compensated = true;

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R n = count<R>(static_cast<std::int64_t>(x.size()));
    R sum{};
    for (const R& v : x) sum = sum + v;
    const R mean = sum / n;
    R rest{};
    for (const R& v : x) rest = rest + (v - mean);
    const R mean_lo = rest / n;
    R squares{};
    for (const R& v : x) {
      const R z = (v - mean) - mean_lo;
      squares = squares + z * z;
    }
    return {mean, squares / n, mean_lo};
  }

  /// E bounds |m - mu|; k roundings in a division, g = gamma_k; G = (n-1)u; a = D1 + nE >= sum |x - m|;
  /// d = (x-m)(1+e), |e| <= w: w = u, or 0 where every x is within a factor of two of m (Sterbenz), which
  /// 3(max|x-mu| + E) <= max|x| makes certain.
  ///   c: exactly, sum (x-m) is at most nE. An addition is off by at most u times its computed sum, and as
  ///   the terms nearly cancel, no partial sum of them is larger than half of (sum of sizes + size of the
  ///   sum):
  ///     A = (1+w)a, T = nE + wa, |sum^d - sum d| <= G min(A, (A+T)/2 + GA)
  ///     |c^ - (mu-m)| <= Ec = gE + (1+g)(wa + that)/n + eta/2
  ///   z = fl(d - c^):  |z - (x-mu)| <= (u + (1+u)w)|x-mu| + (1+u)(wE + Ec): the bound of the centre.
  ///   reported mean fl(m + c^): (1+u)Ec + u|mu|.
  ///   var: without the last rounding z = (x-mu) + p - q, q = c^ - (mu-m) the same for all, p = d - (x-m)
  ///   with root mean square at most w(sqrt V + E) =: R. As sum (x-mu) = 0, the mean of their squares is
  ///   within
  ///     dV = R(2 sqrt V + R) + 2 Ec R + Ec^2
  ///   of V: the error of c enters squared. Then two roundings of z, one of the square, G of the sum, k: with
  ///   1+h = (1+gamma_{3+k})(1+G), B = hV + (1+h)(dV + eta).
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    MomentBound out;
    out.variance_nonnegative = out.mean_of_squares = true;
    const Growth growth = growth_in_any_order(facts.n, f);
    const Upward first = mean_of_sum(facts, f, Division::by_count, growth);
    out.in_range = sums_in_range(facts, f);
    out.centre = MomentBound::Centre{};
    if (facts.n == 1) {
      out.mean_exact = true;
      return out;
    }
    if (deviations_are_exact(facts, f, Division::by_count)) {  // x - m is x - mu, and c is 0
      out.mean_exact = true;
      out.in_range = out.in_range && squares_in_range(facts, f, 0.0);
      out.variance = variance_by_division(facts, f, Division::by_count);
      return out;
    }
    const Upward u = f.u, one = 1.0, two = 2.0;
    const double n = static_cast<double>(facts.n), k = division_roundings(f, facts.n, Division::by_count);
    const Upward apart = Upward(3.0) * (Upward(facts.max_dev) + first);
    const Upward w = apart.value() <= facts.max_abs ? Upward(0.0) : u;
    const Upward a = Upward(facts.abs_dev_sum) + Upward(n) * first, grow = growth.of_terms;
    const Upward sizes = (one + w) * a, total = Upward(n) * first + w * a;
    const Upward partial = min(sizes, divide(sizes + total, 2.0) + grow * sizes);
    const Upward g = gamma(k, f.u);
    const Upward of_rest =
        f.term(BoundTerm::rest_differences, w) * a + f.term(BoundTerm::rest_sum, grow) * partial;
    const Upward rest = f.term(BoundTerm::rest_division, g) * first + (one + g) * divide(of_rest, n) +
                        f.term(BoundTerm::rest_underflow, f.eta / 2);
    out.centre = MomentBound::Centre{
        f.term(BoundTerm::centre_roundings, u + (one + u) * w),
        (one + u) * (f.term(BoundTerm::centre_first, w * first) + f.term(BoundTerm::centre_rest, rest))};
    out.mean = (one + u) * rest + f.term(BoundTerm::mean_of_parts, u) * Upward(facts.mean_abs);
    out.in_range = out.in_range && squares_in_range(facts, f, first + out.centre->absolute);

    const Upward v = facts.variance, sigma = min(sqrt(v), Upward(facts.max_dev));
    const Upward local = f.term(BoundTerm::compensated_differences, w) * (sigma + first);
    const Upward moved =
        local * (two * sigma + local) + two * rest * local + f.term(BoundTerm::compensated_rest, rest * rest);
    const Upward few = f.term(BoundTerm::compensated_roundings, gamma(3 + k, f.u));
    const Upward sum = f.term(BoundTerm::compensated_sum, grow), h = few + sum + few * sum;
    out.variance = h * v + (one + h) * (moved + f.term(BoundTerm::compensated_underflow, f.eta));
    return out;
  }
};

}  // namespace normcheck
