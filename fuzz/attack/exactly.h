// What the exact y says of one row's output as a whole.
#pragma once

#include <limits>
#include <optional>

#include "corpus/case.h"
#include "impl/observation.h"
#include "oracles/contract.h"

namespace normcheck {

/// Of the elements that came out finite.
struct Exactly {
  double normwise_u = 0;  ///< the largest |error| over u times the row's largest |gamma*x_hat|+|beta|
  double distance_u = 0;  ///< the largest distance from another output, likewise
  double error_abs = 0;   ///< the largest |error|
  double allowed_abs = std::numeric_limits<double>::infinity();  ///< what the contract allows there
};

/// Of a case of one row; `other` is another output on it. All 0 where there are no numbers to compare.
Exactly exactly_of(const Case& c, const Observation& observed, const std::optional<Observation>& other,
                   const Contract& contract);

}  // namespace normcheck
