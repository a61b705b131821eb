// Statistics of every prefix and block of a row, for the recursions that follow the data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "corpus/row_facts.h"
#include "oracles/double_double.h"
#include "oracles/quad.h"

namespace normcheck {

/// Sums of z = x - x_0 and z^2 up to each index, in N, from which any block's mean and sum of squared
/// deviations follow in O(1), with the arithmetic's error added. N is double where the range of pairs allows
/// it and the row is short: n <= kPlainPrefixes adds at most 2^-29 max z to a gap and 2^-29 max z^2 to a sum
/// of squares, which the bounds multiply by u. Else Pair, where the range allows, or Quad.
constexpr std::int64_t kPlainPrefixes = 1024;
template <class N>
class PrefixTable {
 public:
  /// x is kept by pointer; fills the prefix part of `facts`, which points into this table.
  void fill(const double* x, std::int64_t n, RowFacts& facts);

 private:
  static BlockFacts block(const void* context, std::int64_t lo, std::int64_t hi);
  static double mean_gap(const void* context, std::int64_t lo, std::int64_t mid, std::int64_t hi);
  static const RowFacts& in_lanes(const void* context, std::int64_t lanes);
  /// The mean of a block less x_0.
  N offset(std::int64_t lo, std::int64_t hi) const;
  bool constant(std::int64_t lo, std::int64_t hi) const {
    return run_[static_cast<std::size_t>(hi - 1)] <= lo;
  }

  const double* x_ = nullptr;
  std::vector<N> sum_, square_;
  std::vector<std::int64_t> run_;  ///< where the run of equal values that holds each index starts
  std::vector<double> mean_abs_, square_dev_, before_, after_;
  double offset_error_ = 0;
  double mean_error_ = 0;
  double square_error_ = 0;

  /// The row in lanes, filled when first asked for; a table is used by one thread at a time.
  struct Lanes {
    std::int64_t lanes = 0;  ///< 0: of another row
    std::vector<double> x;
    RowFacts facts;
    std::unique_ptr<PrefixTable> table;
  };
  mutable Lanes by_lane_;
};

extern template class PrefixTable<double>;
extern template class PrefixTable<Pair>;
extern template class PrefixTable<Quad>;

}  // namespace normcheck
