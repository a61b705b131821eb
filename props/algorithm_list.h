// Every algorithm of impl/algorithms, for the promises that hold for all of them.
#pragma once

#include <type_traits>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"

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
using EveryAlgorithm = AlgorithmList<Naive, TwoPass, Welford, Chan>;

}  // namespace normcheck
