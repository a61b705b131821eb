// Two passes by cascaded running sums, PyTorch's cascade_sum.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "impl/algorithms/sum_bound.h"
#include "impl/algorithms/tree_height.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

/// Four running sums. The first takes `step` terms and is then emptied into the second; after each `step`
/// terms of the second, that is emptied into the third, and so on; terms left over go into the first; the end
/// adds up all four. step = 2^max(4, ceil(log2 n)/4), so four levels of `step` hold n terms (to within the
/// rounding of the quotient: the last level takes what comes).
/// (PyTorch, aten/src/ATen/native/cpu/SumKernel.cpp, multi_row_sum with one row; its vector lanes left out.)
struct CascadeSum {
  static constexpr int levels = 4;

  template <class R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    const std::int64_t n = hi - lo;
    const int power = power_of(n);
    const std::int64_t step = std::int64_t{1} << power;
    R level[levels] = {};
    std::int64_t i = 0;
    while (i + step <= n) {
      for (std::int64_t j = 0; j < step; ++j, ++i) level[0] = level[0] + term(lo + i);
      for (int l = 1; l < levels; ++l) {
        level[l] = level[l] + level[l - 1];
        level[l - 1] = R{};
        if ((i & ((step - 1) << (l * power))) != 0) break;
      }
    }
    for (; i < n; ++i) level[0] = level[0] + term(lo + i);
    return ((level[0] + level[1]) + level[2]) + level[3];
  }
  /// About 4(step - 1) + 3: gamma of the height, with step near n^(1/4).
  static Growth growth(std::int64_t n, const Working& f) {
    return growth_of_tree(tree_height<CascadeSum>(n), f);
  }

 private:
  static int power_of(std::int64_t n) {
    const int log2_up = n <= 1 ? 0 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
    return log2_up / levels > 4 ? log2_up / levels : 4;
  }
};

struct Cascade : TwoPassOver<CascadeSum> {
  static constexpr std::string_view name = "cascade";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; sums in four levels, each emptied into the next after s "
      "terms";
  static constexpr std::string_view first_order_mean =
      "h u mean|x| + u|mu|, h at most 4s + 1, s = max(16, n^(1/4))";
  static constexpr std::string_view first_order_variance = "(h+4) u V + E^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/cascade.h, impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
