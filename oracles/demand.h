// What a contract demands of one number: to lie within an allowance, within so many ulp, to be rounded right.
#pragma once

#include <optional>

#include "oracles/contract.h"
#include "oracles/measure.h"

namespace normcheck {

struct Demand {
  std::optional<double> max_ulp;  ///< each that is given must be kept, and then no allowance is asked
  Claims::Rounding rounding = Claims::Rounding::any;
  bool flush = false;     ///< 0 will do for what may be subnormal
  double flush_move = 0;  ///< a demand in ulp holds of a number that is at most so far from the exact one
  bool by_ulp() const { return max_ulp || rounding != Claims::Rounding::any; }
  /// What it comes to in absolute terms, for an exact value of about `want`.
  double allowance(DType dtype, double want) const;
};
/// Of y under the contract; the row is constant or not.
Demand demand_of(const Contract& contract, bool constant);

/// measure(), with `within` as demanded.
Measure measure(DType dtype, std::uint64_t got, const Estimated& estimate, const ExactSource& exact,
                double allowance, const Demand& demand);

}  // namespace normcheck
