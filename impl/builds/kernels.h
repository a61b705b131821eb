// Which kernels each build with flags of its own has: the same lists inside the build and outside of it.
#pragma once

#include <cstddef>
#include <type_traits>

#include "impl/algorithms/compensated_mean.h"
#include "impl/algorithms/kahan.h"
#include "impl/algorithms/lanes.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/neumaier.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/layer_norm_call.h"
#include "impl/variant.h"

namespace normcheck {

template <class Algorithm_, class R_, Finish finish_ = Finish::direct>
struct BuildOf {
  using Algorithm = Algorithm_;
  using R = R_;
  static constexpr Finish finish = finish_;
};

template <class... Kernels>
struct KernelList {
  /// Where `Wanted` stands in the list; what is not in it does not compile.
  template <class Wanted>
  static consteval std::size_t index_of() {
    std::size_t index = 0;
    if (!(... || (std::is_same_v<Wanted, Kernels> || (++index, false)))) throw "the build has no such kernel";
    return index;
  }
};

using FmaKernels = KernelList<BuildOf<TwoPass, float>, BuildOf<TwoPass, float, Finish::folded>,
                              BuildOf<TwoPass, float, Finish::half_folded>, BuildOf<TwoPass, double>,
                              BuildOf<Welford, float>, BuildOf<Welford, double>, BuildOf<Naive, float>,
                              BuildOf<CompensatedMean, float>, BuildOf<Lanes<8>, float>>;

using FastKernels =
    KernelList<BuildOf<TwoPass, float>, BuildOf<TwoPass, float, Finish::folded>, BuildOf<Welford, float>,
               BuildOf<Naive, float>, BuildOf<CompensatedMean, float>, BuildOf<Lanes<8>, float>,
               BuildOf<Kahan, float>, BuildOf<Neumaier, float>>;

}  // namespace normcheck
