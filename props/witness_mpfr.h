// A third witness: layer norm in MPFR, which shares no source with either oracle. Where MPFR is not there is
// a stub in its place.
#pragma once

#include <cstdint>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck {

/// Whether it was built with MPFR.
bool has_mpfr();

/// y of every element of a row in `digits` decimal digits by two passes, in the dtype, rounded to nearest
/// once (to the subnormal spacing below the normal range); -0 and +0 as 0. `near_tie[i]`: y is so near to
/// half-way between two numbers, relatively 10^-(digits/2), that it may be a tie.
std::vector<std::uint64_t> mpfr_rounded(DType dtype, const std::vector<double>& x, double eps, double gamma,
                                        double beta, int digits, std::vector<bool>& near_tie);

}  // namespace normcheck
