// One output against one exact number: within its allowance or not, its error in ulp, correctly rounded or
// not.
#pragma once

#include <cstdint>
#include <functional>

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

/// The exact value, made only if the estimate cannot decide.
using ExactSource = std::function<ExactValue()>;

/// `allowance` in absolute terms, finite or infinite. Decides by the estimate where its error allows, else by
/// integers. An infinity passes where |exact| + allowance reaches the overflow threshold of `dtype` with
/// its sign, and so does a finite value within the allowance.
Measure measure(DType dtype, std::uint64_t got, const Estimated& estimate, const ExactSource& exact,
                double allowance);

}  // namespace normcheck
