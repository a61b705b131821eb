// The corrected two-pass algorithm of Chan, Golub and LeVeque.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/algorithms/summation.h"

namespace normcheck {

/// d = x - mean; var = (sum(d^2) - (sum d)^2/n)/n: takes out of the variance what the error of the mean put
/// in. That error still enters y through x - mean to first order: this does not help y at all. And where the
/// deviations are no larger than that error (a constant row) the difference may come out negative.
struct Corrected {
  static constexpr std::string_view name = "corrected";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, d = x - mean, var = (sum(d^2) - sum(d)^2/n)/n";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + u|mu|";
  static constexpr std::string_view first_order_variance = "(n+4) u V + 2 n u E D + (3n+3) u E^2 + (n u D)^2";
  static constexpr std::string_view derivation = "impl/algorithms/corrected.h, impl/algorithms/sum_bound.h";

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const R n = count<R>(static_cast<std::int64_t>(x.size()));
    R sum{};
    for (const R& v : x) sum = sum + v;
    const R mean = sum / n;
    R rest{};
    R squares{};
    for (const R& v : x) {
      const R d = v - mean;
      rest = rest + d;
      squares = squares + d * d;
    }
    return {mean, (squares - rest * rest / n) / n};
  }

  /// With delta = x - mean^, E bounding |mean^ - mu|, k roundings in a division: exactly sum delta = c0 with
  /// |c0| <= c = nE, sum delta^2 = q0 <= q = n(V + E^2), and nV = q0 - c0^2/n. d = delta(1+e), |e| <= u.
  ///   squares: 2 roundings of d, one of the square, G of the sum; 1+h = (1+gamma_3)(1+G):
  ///            |squares^ - q0| <= h q + (1+h) n eta/2
  ///   rest:    |rest^ - c0| <= Ec = (u + G(1+u))(D1 + nE)
  ///   rest^2/n, with l = gamma_{1+k}: [(1+l) Ec(2c + Ec) + l c^2]/n + eta(1+l)
  ///   B = (1+g)[ (1+u)(both) + u nV ]/n + gV + eta/2, g = gamma_k.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    MomentBound out;
    const Growth growth = growth_in_any_order(facts.n, f);
    out.mean = mean_of_sum(facts, f, Division::by_count, growth);
    out.in_range = sums_in_range(facts, f) && squares_in_range(facts, f, out.mean);
    out.mean_exact = out.mean.value() == 0;
    out.variance_nonnegative = facts.n == 1;
    if (facts.n == 1) return out;
    if (deviations_are_exact(facts, f, Division::by_count)) {  // and sum d is 0
      out.variance = variance_by_division(facts, f, Division::by_count);
      out.variance_nonnegative = true;
      return out;
    }
    const Upward u = f.u, one = 1.0, two = 2.0, v = facts.variance, eta = f.eta;
    const double n = static_cast<double>(facts.n), k = division_roundings(f, facts.n, Division::by_count);
    const Upward c = Upward(n) * out.mean, q = Upward(n) * (v + out.mean * out.mean);
    const Upward g3 = f.term(BoundTerm::corrected_roundings, gamma(3, f.u));
    const Upward sum = f.term(BoundTerm::corrected_sum, growth.of_terms), h = g3 + sum + g3 * sum;
    const Upward of_squares =
        h * q + (one + h) * f.term(BoundTerm::corrected_square_underflow, Upward(n) * Upward(f.eta / 2));
    const Upward rest_sum = f.term(BoundTerm::corrected_rest_sum, growth.of_terms);
    const Upward rest_off = (f.term(BoundTerm::corrected_differences, u) + rest_sum * (one + u)) *
                            (Upward(facts.abs_dev_sum) + c);
    const Upward l = gamma(1 + k, f.u), g = gamma(k, f.u);
    const Upward of_rest =
        divide(f.term(BoundTerm::corrected_rest_error, (one + l) * rest_off * (two * c + rest_off)) +
                   f.term(BoundTerm::corrected_rest_square, l * c * c),
               n) +
        f.term(BoundTerm::corrected_rest_underflow, eta * (one + l));
    out.variance = (one + g) * (divide((one + u) * (of_squares + of_rest), n) +
                                f.term(BoundTerm::corrected_subtraction, u * v)) +
                   f.term(BoundTerm::corrected_division, g * v) +
                   f.term(BoundTerm::corrected_underflow, f.eta / 2);
    const Upward rest = c + rest_off;
    out.in_range = out.in_range && (rest * rest * two).value() <= f.omega;
    return out;
  }
};

}  // namespace normcheck
