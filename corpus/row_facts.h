// What a bound may know about one row of data: plain numbers, each rounded to the safe side.
#pragma once

#include <cstdint>
#include <limits>

namespace normcheck {

/// Facts about the elements lo..hi-1 of a row. Upper bounds.
struct BlockFacts {
  double mean_abs = 0;        ///< >= |mean of the block|
  double square_dev_sum = 0;  ///< >= sum of (x - mean of the block)^2
  bool constant = false;
};

/// One row x_0..x_{n-1} of finite numbers, mu its exact mean, V its exact biased variance. Every field
/// is an upper bound of what it names unless it ends in `_lo`. Filled by oracles/condition.
struct RowFacts {
  static constexpr int no_claim = std::numeric_limits<int>::max();

  std::int64_t n = 0;
  bool constant = false;   ///< all x equal (+0 and -0 are)
  double mean_abs = 0;     ///< |mu|
  double abs_sum = 0;      ///< A1, sum of |x|
  double square_sum = 0;   ///< Q, sum of x^2
  double abs_dev_sum = 0;  ///< D1, sum of |x - mu|
  double variance = 0;     ///< V
  double variance_lo = 0;
  double max_abs = 0;          ///< max |x|, exactly
  double max_dev = 0;          ///< max |x - mu|
  double kappa = 0;            ///< sqrt(Q/(nV)), to be shown, no bound; infinity where V is 0, Q not
  int sum_bits = 0;            ///< all x are multiples of q = 2^quantum with A1 <= 2^sum_bits * q, so that
                               ///< every partial sum, in any order, is exact in a format of that many bits
  int quantum = 0;             ///< of the largest such q
  int square_bits = no_claim;  ///< Q <= 2^square_bits * q^2: likewise of the sums of x^2
  int mean_bits = no_claim;    ///< mu is a number of so many significant bits
  int dev_quantum = 0;         ///< where mean_bits claims: all x and mu are multiples of r = 2^dev_quantum,
  int dev_square_bits = no_claim;     ///< and nV <= 2^dev_square_bits * r^2: likewise of those of (x-mu)^2
  const double* deviation = nullptr;  ///< n values, |x_i - mu|
  const double* x = nullptr;          ///< the n values themselves

  // Prefix facts, k = 0..n-1, of x_0..x_k (prefix mean mu_k, prefix sum of squared deviations S_k).
  const double* prefix_mean_abs = nullptr;    ///< |mu_k|
  const double* prefix_square_dev = nullptr;  ///< S_k
  const double* dev_before = nullptr;         ///< |x_k - mu_{k-1}|  (0 at k = 0)
  const double* dev_after = nullptr;          ///< |x_k - mu_k|
  std::int64_t constant_prefix = 0;           ///< the first so many elements are equal
  bool plain = false;  ///< n <= 1024, and of what is not constant, blocks too, means and their gaps are from
                       ///< 2^-410 to 2^310, and sums of squares from 2^-750 to 2^620

  /// Facts of a block, in O(1). mean_gap: >= |mean(lo..mid-1) - mean(mid..hi-1)|.
  BlockFacts (*block)(const void* context, std::int64_t lo, std::int64_t hi) = nullptr;
  double (*mean_gap)(const void* context, std::int64_t lo, std::int64_t mid, std::int64_t hi) = nullptr;
  /// The row with its elements sorted by i mod `lanes`, each lane in order: n, constant, x, and the prefix
  /// and block facts of that order, nothing else. Good until other lanes, or another row, are asked for.
  const RowFacts& (*in_lanes)(const void* context, std::int64_t lanes) = nullptr;
  const void* context = nullptr;
};

}  // namespace normcheck
