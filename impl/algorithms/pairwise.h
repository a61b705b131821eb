// Two passes by NumPy's blocked pairwise summation.
#pragma once

#include <string_view>

#include "impl/algorithms/summation.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

struct Pairwise : TwoPassOver<PairwiseBlocks> {
  static constexpr std::string_view name = "pairwise";
};

}  // namespace normcheck
