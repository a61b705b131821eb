// Fills the row facts: condition number, sums and deviations of one row, in arithmetic of 106 or 113 bits
// with the arithmetic's own error added, so that every fact is a bound.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus/row_facts.h"
#include "oracles/double_double.h"
#include "oracles/prefix.h"
#include "oracles/quad.h"

namespace normcheck {

/// Facts and statistics of one row of finite numbers, in pairs of doubles where the range allows, else in
/// Quad. Reusable: `fill` keeps the memory.
class RowCondition {
 public:
  RowCondition() = default;
  RowCondition(const RowCondition&) = delete;
  RowCondition& operator=(const RowCondition&) = delete;

  /// x: n >= 1 finite values (any double), kept by pointer while the facts are in use. `prefixes`: also the
  /// prefix and block facts, which the recursions of Welford and Chan read.
  void fill(const double* x, std::int64_t n, bool prefixes);

  /// What somebody else has of the row already, in pairs of doubles, each with its error.
  struct Known {
    Pair mean, variance;
    double mean_error = 0, variance_error = 0;
  };
  /// The facts from these, in a fraction of the time: of mean(), variance() and their errors nothing is said
  /// then. Where the row is out of the range of pairs, or an error is 2^-40 of the variance or its root, as
  /// fill does it.
  void fill_from(const Known& known, const double* x, std::int64_t n, bool prefixes);

  const RowFacts& facts() const { return facts_; }
  Quad mean() const { return mean_; }
  double mean_error() const { return mean_error_; }  ///< |mean() - exact| <= this
  /// Whether every x is in the range in which pairs of doubles have their stated error.
  bool in_pair_range() const { return in_pair_range_; }
  Quad variance() const { return variance_; }
  double variance_error() const { return variance_error_; }  ///< likewise; both are 0 on a constant row
  const double* x() const { return x_; }

 private:
  void fill_row(const double* x, std::int64_t n, bool prefixes, const Known* known);
  void fill_by_pairs();
  void fill_by(const Known& known);
  void fill_spread(const Known& known, double squares, double dev_sum, double max_dev);
  void fill_by_quads();
  void fill_bits(int quantum);

  RowFacts facts_;
  const double* x_ = nullptr;
  bool in_pair_range_ = false;
  double sum_ = 0;  ///< of the x; exact where they sum exactly in double
  Quad mean_ = 0;
  Quad variance_ = 0;
  double mean_error_ = 0;
  double variance_error_ = 0;
  std::vector<double> deviation_;

  PrefixTable<double> plain_prefixes_;
  PrefixTable<Pair> pair_prefixes_;
  PrefixTable<Quad> quad_prefixes_;
};

}  // namespace normcheck
