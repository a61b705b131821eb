// Long rows on which a right kernel is all but exact, so that a mistake that every bound hides can be seen.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// What the tally of these rows is called, and its findings: no regime, though --regime takes it.
inline constexpr std::string_view evidence_name = "evidence";

struct EvidenceRequest {
  DType dtype = DType::f32;
  DType parameters = DType::f32;  ///< of gamma and beta: x's, or f32 for halves
  std::int64_t n = 65536;
  std::optional<double> eps{};  ///< else 1e-5
  std::uint64_t seed = 1;
};

/// How many rows there are of a length.
inline constexpr int evidence_kinds = 8;

/// One row of n elements (n >= 256), the `kind`-th of evidence_kinds. x is mean + {-d, 0, d} with few zeros,
/// so that sums of x and of squared deviations are exact in f32 in any order; mean is 0, or d. gamma is g
/// with the sign of the deviation, and beta brings y to where its ulp is a fixed part of g: for a mean of 0
/// the divisor n-1 moves y by 17 ulp at n = 65536 (in halves, whose parameters have few digits, about as
/// much), while the 3 or 4 roundings of a right kernel stay under 1. In every other kind of f32 eps is a part
/// of the variance that can be seen. The same on every machine.
Case evidence_case(const EvidenceRequest& request, int kind);

/// The lengths that a default run looks at, longest last: powers of two, and lengths with a tail.
const std::vector<std::int64_t>& evidence_lengths();

}  // namespace normcheck
