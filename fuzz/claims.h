// What the oracle and bound targets hold against the exact oracle: the claims as they stand, or planted ones.
#pragma once

#include <string_view>

#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// claims.cpp: what is given. claims_planted.cpp: less than is true, of the one thing that NORMCHECK_PLANTED
/// names.
double claimed_error(double stated);  ///< of an estimate
double eps_of_second(double eps);     ///< what the wide oracle is asked for
/// Of a mean and a variance that `who` computes.
MomentBound claimed_bound(std::string_view who, const MomentBound& proven);

}  // namespace normcheck
