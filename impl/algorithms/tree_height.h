// The height of a summation tree, found by running the summation itself over heights.
#pragma once

#include <algorithm>
#include <cstdint>

namespace normcheck {

/// A partial sum as far as its height goes: the most additions that round on the way of any of its terms.
/// R{}, the zero that a running sum starts from, is empty: adding to it is exact.
struct TreeHeight {
  std::int64_t height = -1;  ///< -1: an exact zero, 0: one term

  friend TreeHeight operator+(TreeHeight a, TreeHeight b) {
    if (a.height < 0) return b;
    if (b.height < 0) return a;
    return {1 + std::max(a.height, b.height)};
  }
};

/// Of a summation that does nothing but add, over n >= 1 terms. O(n).
template <class Summation>
std::int64_t tree_height(std::int64_t n) {
  const auto term = [](std::int64_t) { return TreeHeight{0}; };
  return Summation::template sum<TreeHeight>(0, n, term).height;
}

}  // namespace normcheck
