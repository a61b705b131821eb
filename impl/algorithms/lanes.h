// Welford in the lanes of a vector unit, merged in a balanced tree at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "impl/algorithms/merge.h"

namespace normcheck {

/// Lane l holds elements l, l + L, l + 2L, ...; then lane j takes lane j + width for width = 1, 2, 4, ...,
/// by Chan's merge. A lane without elements is left out. var = S/n, or S times a rounded 1/n.
template <int L, Division how>
struct LanesThen {
  static_assert(L == 4 || L == 8 || L == 16);
  static constexpr std::string_view name = L == 4 ? "lanes4" : L == 8 ? "lanes8" : "lanes16";
  static constexpr std::string_view formula =
      "L lanes of Welford at stride L; merges: d = mean_b - mean_a, mean = mean_a + d nb/(na+nb), S = S_a + "
      "S_b + d^2 na nb/(na+nb); var = S/n";
  static constexpr std::string_view first_order_mean =
      "welford's of n/L elements, and a merge adds u|mu| + 3u|d| nb/(na+nb) to the weighted mean of both; "
      "about (n/(2L) + log2 L) u|mu|";
  static constexpr std::string_view first_order_variance =
      "the sum of welford's sums over all parts, and of 2u (S_a+S_b) + c (2|d| (E_a+E_b) + 7u d^2), c = na "
      "nb/(na+nb), over all merges; divided by n, and u V";
  static constexpr std::string_view derivation =
      "impl/algorithms/lanes.h, impl/algorithms/merge.h, impl/algorithms/welford.h";
  static constexpr Division division = how;
  static constexpr bool reads_prefixes = true;

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    Partial<R> lane[L];
    for (std::size_t i = 0; i < x.size(); ++i) welford_add(lane[i % L], x[i]);
    for (int width = 1; width < L; width *= 2) {
      for (int j = 0; j + width < L; j += 2 * width)
        if (lane[j + width].n > 0) lane[j] = merge(lane[j], lane[j + width]);
    }
    return {lane[0].mean, mean_of<how>(lane[0].square_dev, count<R>(lane[0].n), count<R>(1))};
  }

  /// Welford's recursion in each lane and `merge_bound` over the same tree, on the row sorted by lanes, where
  /// each lane and each merged group of lanes is a block.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    const RowFacts& sorted = facts.in_lanes(facts.context, L);
    return moments_of_partial(facts, f, group(sorted, f, 0, L), how);
  }

 private:
  /// Where lane j starts in the sorted row: the first n mod L lanes have one element more.
  static std::int64_t start(std::int64_t n, int lane) {
    return lane * (n / L) + std::min<std::int64_t>(lane, n % L);
  }
  static PartialBound group(const RowFacts& sorted, const Working& f, int first, int lanes) {
    const std::int64_t lo = start(sorted.n, first), hi = start(sorted.n, first + lanes);
    if (lanes == 1) return welford_recursion(sorted, f, lo, hi);
    const std::int64_t mid = start(sorted.n, first + lanes / 2);
    const PartialBound left = group(sorted, f, first, lanes / 2);
    if (mid == hi) return left;
    return merge_bound(sorted, f, lo, mid, hi, left, group(sorted, f, first + lanes / 2, lanes / 2));
  }
};
template <int L>
using Lanes = LanesThen<L, Division::by_count>;
template <int L>
using LanesByReciprocal = LanesThen<L, Division::by_reciprocal>;

}  // namespace normcheck
