// Chan, Golub and LeVeque's merge: Welford in blocks of eight, merged pairwise in a balanced tree.
#pragma once

#include <span>
#include <string_view>

#include "impl/algorithms/merge.h"

namespace normcheck {

struct Chan {
  static constexpr std::string_view name = "chan";
  static constexpr std::string_view formula =
      "Welford in blocks of 8, merged in a balanced tree: d = mean_b - mean_a, mean = mean_a + d nb/(na+nb), "
      "S = S_a + S_b + d^2 na nb/(na+nb); var = S/n";
  static constexpr std::string_view first_order_mean =
      "welford's of 8 elements, and a merge adds u|mu| + 3u|d| nb/(na+nb) to the weighted mean of both; "
      "about (log2(n/8) + 4.4) u|mu|";
  static constexpr std::string_view first_order_variance =
      "the sum of welford's sums over all parts, and of 2u (S_a+S_b) + c (2|d| (E_a+E_b) + 7u d^2), c = na "
      "nb/(na+nb), over all merges; divided by n, and u V";
  static constexpr std::string_view derivation =
      "impl/algorithms/chan.h, impl/algorithms/merge.h, impl/algorithms/welford.h";
  static constexpr bool reads_prefixes = true;
  static constexpr std::int64_t block = 8;

  template <Arithmetic R>
  static Partial<R> partial(std::span<const R> x) {
    const auto n = static_cast<std::int64_t>(x.size());
    if (n <= block) return welford_partial(x);
    const auto mid = static_cast<std::size_t>(split(n));
    return merge(partial(x.first(mid)), partial(x.subspan(mid)));
  }

  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    const Partial<R> p = partial(x);
    return {p.mean, p.square_dev / count<R>(p.n)};
  }

  /// The recursion of `merge_bound` over the same tree, leaves by Welford's.
  static MomentBound bound(const RowFacts& facts, const Working& f) {
    return moments_of_partial(facts, f, partial_bound(facts, f, 0, facts.n), Division::by_count);
  }

 private:
  /// The left part: about half, in whole blocks.
  static std::int64_t split(std::int64_t n) { return (n / 2 + block - 1) / block * block; }

  static PartialBound partial_bound(const RowFacts& facts, const Working& f, std::int64_t lo,
                                    std::int64_t hi) {
    if (hi - lo <= block) return welford_recursion(facts, f, lo, hi);
    const std::int64_t mid = lo + split(hi - lo);
    return merge_bound(facts, f, lo, mid, hi, partial_bound(facts, f, lo, mid),
                       partial_bound(facts, f, mid, hi));
  }
};

}  // namespace normcheck
