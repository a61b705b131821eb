// Two passes by NumPy's blocked pairwise summation.
#pragma once

#include <string_view>

#include "impl/algorithms/summation.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

struct Pairwise : TwoPassOver<PairwiseBlocks> {
  static constexpr std::string_view name = "pairwise";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; sums of 8 lanes in blocks of at most 128, the blocks in a "
      "tree";
  static constexpr std::string_view first_order_mean = "h u mean|x| + u|mu|, h about 18 + log2(n/128)";
  static constexpr std::string_view first_order_variance = "(h+4) u V + E^2";
  static constexpr std::string_view derivation =
      "impl/algorithms/two_pass.h, impl/algorithms/summation.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
