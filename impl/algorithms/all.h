// Every algorithm of this folder as one list of types, for what is to hold for all of them.
#pragma once

#include <type_traits>

#include "impl/algorithms/cascade.h"
#include "impl/algorithms/chan.h"
#include "impl/algorithms/compensated_mean.h"
#include "impl/algorithms/corrected.h"
#include "impl/algorithms/kahan.h"
#include "impl/algorithms/lanes.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/naive_clamped.h"
#include "impl/algorithms/neumaier.h"
#include "impl/algorithms/pairwise.h"
#include "impl/algorithms/reversed.h"
#include "impl/algorithms/shifted.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/warp_tree.h"
#include "impl/algorithms/welford.h"
#include "impl/algorithms/welford_reciprocal.h"

namespace normcheck {

template <class... Algorithms>
struct AlgorithmList {
  static constexpr int size = sizeof...(Algorithms);
  /// visit(std::type_identity<Algorithm>{}) for each of them, in order.
  template <class Visit>
  static void for_each(const Visit& visit) {
    (visit(std::type_identity<Algorithms>{}), ...);
  }
};

/// A new algorithm is one more name here.
using EveryAlgorithm =
    AlgorithmList<Naive, NaiveClamped, Shifted, TwoPass, TwoPassByReciprocal, Corrected, CompensatedMean,
                  Reversed, Pairwise, Cascade, WarpTree, Kahan, Neumaier, Welford, WelfordByReciprocal,
                  WelfordReciprocal, Lanes<4>, Lanes<8>, LanesByReciprocal<8>, Lanes<16>, Chan>;

}  // namespace normcheck
