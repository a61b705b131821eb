// Known mistakes and conventions as exact formulas: what a layer norm gives that differs in one thing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "corpus/case.h"
#include "oracles/quad.h"

namespace normcheck {

/// Mean and biased variance of some elements, to a relative 2^-100 of their size; no numbers where there are
/// no elements.
struct Moments2 {
  Quad mean = 0;
  Quad variance = 0;
};

/// A case as hypotheses see it, one row at a time. x of the row is finite.
class HypothesisRow {
 public:
  explicit HypothesisRow(const Case& c);
  /// False where the row holds a NaN or an infinity.
  bool load(std::int64_t row);

  std::int64_t row = 0;
  std::int64_t rows = 0;
  std::int64_t n = 0;
  std::vector<double> x;
  Moments2 exact;  ///< of the row
  double eps = 0;
  Quad max_abs = 0;  ///< of the row

  double gamma(std::int64_t i) const { return parameter(gamma_, i, 1); }
  double beta(std::int64_t i) const { return parameter(beta_, i, 0); }
  bool has_gamma() const { return !gamma_.empty(); }
  bool has_beta() const { return !beta_.empty(); }
  /// The extent of the innermost dim, of the last but one (1 where it is not normalized), and of all outer
  /// ones.
  std::int64_t last_extent() const { return last_; }
  const Case& problem() const { return *problem_; }

  /// Of the first `count` elements of the row.
  Moments2 of_first(std::int64_t count) const;
  /// Of the row with `zeros` zeros behind it.
  Moments2 with_zeros(std::int64_t zeros) const;
  /// Of x at first, first+step, ... (count of them) of the whole tensor; remembered.
  const Moments2& of_slice(std::int64_t first, std::int64_t count, std::int64_t step) const;

 private:
  static double parameter(const std::vector<double>& values, std::int64_t i, double absent) {
    if (values.empty()) return absent;
    const auto size = static_cast<std::int64_t>(values.size());
    return values[static_cast<std::size_t>(((i % size) + size) % size)];
  }
  const Case* problem_;
  std::vector<double> gamma_, beta_;
  std::int64_t last_ = 1;
  mutable std::map<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>, Moments2> slices_;
};

/// One thing that is different. What is empty is as it should be.
struct Hypothesis {
  std::string name;         ///< "eps outside the root"
  bool convention = false;  ///< in use on purpose: no mistake, another function
  bool by_element = false;  ///< its moments are not the same for all elements of a row
  std::function<Moments2(const HypothesisRow&, std::int64_t of)> moments;  ///< `of`: an element, or 0
  std::function<Quad(const HypothesisRow&, Quad variance)> root;           ///< rstd
  std::function<Quad(const HypothesisRow&, std::int64_t of, Quad x_hat)> affine;
  /// Whether it differs at all on such a case; empty: always.
  std::function<bool(const HypothesisRow&)> applies;
  /// In place of the three above: y of a row.
  std::function<std::vector<Quad>(const HypothesisRow&)> whole;
  bool silent = false;  ///< a NaN of `whole` says nothing
  std::string group;    ///< its name without the numbers that differ from case to case; empty: the name
  std::string kind;     ///< what many have in common, "rounded to f16 on the way"; empty: nothing

  /// What the elements of a row share, or that of one element.
  struct Statistics {
    Quad mean = 0;
    Quad rstd = 0;
  };
  Statistics statistics(const HypothesisRow& r, std::int64_t of) const;
  /// y; NaN or infinite where the formula has no value.
  Quad y(const HypothesisRow& r, const Statistics& s, std::int64_t of) const;
};

/// 1/sqrt(w); NaN for w below 0, infinity for 0.
Quad reciprocal_root_of(Quad w);

/// The formulas, the more usual first.
std::span<const Hypothesis> hypotheses();
/// Sums, squares and steps that round to a half, each in several orders: run, not bounded. Several share a
/// name.
std::span<const Hypothesis> narrow_hypotheses();
/// Those with a whole number in them (how many elements, which divisor), with the number that comes nearest
/// to the mean and variance that a row's y implies.
std::vector<Hypothesis> fitted_hypotheses(const HypothesisRow& r, double mean, double variance);

}  // namespace normcheck
