// Two passes by the sums of a GPU block: threads stride through the row, then shuffles, then warps.
#pragma once

#include <cstdint>
#include <string_view>

#include "impl/algorithms/sum_bound.h"
#include "impl/algorithms/tree_height.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

/// A block of 256 threads, 8 warps of 32. Thread t sums terms t, t + 256, ...; then v[l] = v[l] + v[l +
/// offset] for offset = 16, 8, 4, 2, 1 inside each warp (shuffle-down), and for 4, 2, 1 over the warps' sums.
struct BlockOfWarps {
  static constexpr int lanes = 32;
  static constexpr int warps = 8;
  static constexpr int threads = lanes * warps;

  template <class R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    R v[threads] = {};
    for (std::int64_t i = lo; i < hi; ++i) {
      R& own = v[(i - lo) % threads];
      own = own + term(i);
    }
    for (int warp = 0; warp < warps; ++warp) v[warp] = shuffle_down(v + warp * lanes, lanes);
    return shuffle_down(v, warps);
  }
  /// ceil(n/256) - 1 + 5 + 3 on a long row.
  static Growth growth(std::int64_t n, const Working& f) {
    return growth_of_tree(tree_height<BlockOfWarps>(n), f);
  }

 private:
  template <class R>
  static R shuffle_down(R* v, int size) {
    for (int offset = size / 2; offset > 0; offset /= 2)
      for (int l = 0; l < offset; ++l) v[l] = v[l] + v[l + offset];
    return v[0];
  }
};

struct WarpTree : TwoPassOver<BlockOfWarps> {
  static constexpr std::string_view name = "warp_tree";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; sums of 256 threads at stride, then shuffles, then warps";
  static constexpr std::string_view first_order_mean = "h u mean|x| + u|mu|, h = n/256 + 7";
  static constexpr std::string_view first_order_variance = "(h+4) u V + E^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/warp_tree.h, impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
