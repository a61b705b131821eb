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
struct Subject {
  using Algorithm = Algorithm_;
  using R = R_;
  static constexpr Finish finish = finish_;
};

template <class... Subjects>
struct SubjectList {
  /// Where `Wanted` stands in the list; what is not in it does not compile.
  template <class Wanted>
  static consteval std::size_t index_of() {
    std::size_t index = 0;
    if (!(... || (std::is_same_v<Wanted, Subjects> || (++index, false))))
      throw "the build has no such kernel";
    return index;
  }
};

using FmaSubjects = SubjectList<Subject<TwoPass, float>, Subject<TwoPass, float, Finish::folded>,
                                Subject<TwoPass, float, Finish::half_folded>, Subject<TwoPass, double>,
                                Subject<Welford, float>, Subject<Welford, double>, Subject<Naive, float>,
                                Subject<CompensatedMean, float>, Subject<Lanes<8>, float>>;

using FastSubjects =
    SubjectList<Subject<TwoPass, float>, Subject<TwoPass, float, Finish::folded>, Subject<Welford, float>,
                Subject<Naive, float>, Subject<CompensatedMean, float>, Subject<Lanes<8>, float>,
                Subject<Kahan, float>, Subject<Neumaier, float>>;

}  // namespace normcheck
