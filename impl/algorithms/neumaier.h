// Two passes by Neumaier's compensated sums.
#pragma once

#include <cstdint>
#include <string_view>

#include "impl/algorithms/sum_bound.h"
#include "impl/algorithms/two_pass.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// Whether sums that grow so have no overflow either: a compensated sum may pass |sum| by twice its error.
inline bool compensated_in_range(const RowFacts& facts, const Working& f, const Growth& growth) {
  const Upward grown = (Upward(1.0) + Upward(2.0) * growth.of_positive()) * Upward(facts.abs_sum);
  return grown.value() <= f.omega;
}

/// A running sum beside a running sum of the errors of its additions, added at the end. Each error is formed
/// exactly, the larger operand first (Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation
/// endlicher Summen, 1974; Dekker's FastTwoSum).
struct NeumaierSum {
  template <Arithmetic R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    R s{};
    R rest{};
    for (std::int64_t i = lo; i < hi; ++i) {
      const R v = term(i);
      const R t = s + v;
      rest = size(s) < size(v) ? rest + ((v - t) + s) : rest + ((s - t) + v);
      s = t;
    }
    return s + rest;
  }
  /// The n-1 additions that round have errors e with sum |e| <= gamma_{n-1} A1 in all, and s + sum e is
  /// exact; the running sum of the e is off by gamma_{n-2} sum |e|, and the last addition rounds once:
  ///   |sum^ - sum| <= u|sum| + (1+u) gamma_{n-2} gamma_{n-1} A1 <= u|sum| + gamma_{n-1}^2 A1
  /// (Ogita, Rump and Oishi, Accurate sum and dot product, 2005, proposition 4.5). Nothing underflows.
  static Growth growth(std::int64_t n, const Working& f) {
    const Upward g = gamma(static_cast<double>(n - 1), f.u);
    return {f.u, g * g};
  }

 private:
  template <Arithmetic R>
  static R size(const R& v) {
    return v < R{} ? R{} - v : v;
  }
};

/// For a sum whose computed terms are not all added: nonnegative terms have a nonnegative sum where the
/// relative error is less than 1.
template <class Summation>
struct CompensatedTwoPass : TwoPassOver<Summation> {
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    const Growth growth = Summation::growth(facts.n, f);
    MomentBound out = two_pass_bound(facts, f, Division::by_count, growth);
    out.variance_nonnegative = facts.n == 1 || growth.of_positive().value() < 1;
    out.in_range = out.in_range && compensated_in_range(facts, f, growth);
    return out;
  }
};

struct Neumaier : CompensatedTwoPass<NeumaierSum> {
  static constexpr std::string_view name = "neumaier";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; each sum beside the sum of its rounding errors";
  static constexpr std::string_view first_order_mean = "2 u|mu| + (n u)^2 mean|x|";
  static constexpr std::string_view first_order_variance = "5 u V + E^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/neumaier.h, impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
