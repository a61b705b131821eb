// Rows that are made, not sought: of which sums in a known order lose all that they can.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// Rows of n elements, 4 or more, of a float dtype, without gamma and beta: a large number, then numbers of
/// half its spacing, each of which is lost in a tie, for sums in order, in reverse, in 4, 8 or 16 lanes, and
/// in a tree; and one number near the mean, whose y is nothing but the mean's error.
std::vector<Case> lost_terms(DType dtype, std::int64_t n, double eps);

}  // namespace normcheck
