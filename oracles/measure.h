// One output against one exact number: within its allowance or not, its error in ulp, correctly rounded or
// not.
#pragma once

#include <cstdint>
#include <type_traits>

#include "corpus/dtype.h"
#include "oracles/estimate.h"
#include "oracles/exact.h"

namespace normcheck {

struct Measure {
  bool within = false;
  bool correctly_rounded = false;
  double error_ulp = 0;  ///< signed; infinite for NaN and for a wrong infinity
  double error_abs = 0;  ///< |got - exact|, rounded
};

/// The exact value, made only if the estimate cannot decide: refers to a callable, which must outlive it.
class ExactSource {
 public:
  template <class F>
  requires(!std::is_same_v<F, ExactSource>) ExactSource(const F& make)
      : context_(&make), call_([](const void* f) { return (*static_cast<const F*>(f))(); }) {}
  ExactValue operator()() const { return call_(context_); }

 private:
  const void* context_;
  ExactValue (*call_)(const void*);
};

/// `allowance` in absolute terms, finite or infinite. Decides by the estimate where its error allows, else by
/// integers. An infinity passes where |exact| + allowance reaches the overflow threshold of `dtype` with
/// its sign, and so does a finite value within the allowance.
Measure measure(DType dtype, std::uint64_t got, const Estimated& estimate, const ExactSource& exact,
                double allowance);

}  // namespace normcheck
