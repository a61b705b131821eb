// The orders in which a row is summed: first to last, last to first, and in trees; each with its growth.
#pragma once

#include <algorithm>
#include <cstdint>

#include "impl/algorithms/sum_bound.h"
#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

// A summation sums term(lo) .. term(hi-1), where term gives an R, and says with `growth(n, format)` how the
// error of n terms grows. Trees say it by their height: the most additions that round on the way of any term
// (adding to an exact 0 does not round).

/// One running sum, first to last.
struct Sequential {
  template <Arithmetic R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    R s{};
    for (std::int64_t i = lo; i < hi; ++i) s = s + term(i);
    return s;
  }
  static Growth growth(std::int64_t n, const Working& f) { return growth_in_any_order(n, f); }
};

/// One running sum, last to first.
struct FromTheEnd {
  template <Arithmetic R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    R s{};
    for (std::int64_t i = hi; i > lo; --i) s = s + term(i - 1);
    return s;
  }
  static Growth growth(std::int64_t n, const Working& f) { return growth_in_any_order(n, f); }
};

/// NumPy's blocked pairwise summation: eight running sums in blocks of at most 128, the blocks in a tree.
struct PairwiseBlocks {
  static constexpr std::int64_t block = 128;

  template <Arithmetic R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    const std::int64_t n = hi - lo;
    if (n < 8) return Sequential::sum<R>(lo, hi, term);
    if (n > block) {
      const std::int64_t mid = lo + n / 2 / 8 * 8;
      return sum<R>(lo, mid, term) + sum<R>(mid, hi, term);
    }
    R lane[8];
    for (std::int64_t j = 0; j < 8; ++j) lane[j] = term(lo + j);
    std::int64_t i = lo + 8;
    for (; i + 8 <= hi; i += 8) {
      for (std::int64_t j = 0; j < 8; ++j) lane[j] = lane[j] + term(i + j);
    }
    R s = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    for (; i < hi; ++i) s = s + term(i);
    return s;
  }
  static std::int64_t height(std::int64_t n) {
    if (n < 8) return n - 1;
    if (n <= block) return n / 8 - 1 + 3 + n % 8;
    const std::int64_t left = n / 2 / 8 * 8;
    return 1 + std::max(height(left), height(n - left));
  }
  static Growth growth(std::int64_t n, const Working& f) { return growth_of_tree(height(n), f); }
};

}  // namespace normcheck
