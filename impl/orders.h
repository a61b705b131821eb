// The bounds of an algorithm's moments when its sums are taken in another order than its own.
#pragma once

#include <optional>
#include <string_view>

#include "impl/algorithms/moment_bound.h"

namespace normcheck {

struct OrderedBound {
  MomentBoundFunction moments;
  bool reads_prefixes;
};

/// `order`: own, any, sequential, reversed, pairwise, lanes<L> or block<B>, L and B powers of two up to 1024.
/// two_pass has a bound in each of them; welford, welford_reciprocal, chan and lanes<L> have their own and
/// that over any merge tree; every other algorithm has its own alone. Nothing where there is none, or no such
/// algorithm.
std::optional<OrderedBound> moments_in_order(std::string_view algorithm, std::string_view order);

}  // namespace normcheck
