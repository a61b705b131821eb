// The unit in the last place, as the project defines it: of the exact value, in the output's format.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/dtype.h"

namespace normcheck {

/// log2 of ulp(value): floor(log2|value|) clamped to [emin, emax], minus precision-1. Zero and the
/// subnormal range have the subnormal spacing.
inline int ulp_exponent(DType dtype, double value) {
  const Format f = format_of(dtype);
  const int e = value == 0 ? f.emin : std::ilogb(value);
  return std::clamp(e, f.emin, f.emax) - (f.precision - 1);
}

inline double ulp(DType dtype, double value) { return std::ldexp(1.0, ulp_exponent(dtype, value)); }

/// The magnitude from which round-to-nearest overflows: omega + ulp(omega)/2. Infinity for f64, whose
/// threshold is not a double (an f64 |y|+B of infinity is handled by the caller).
inline double overflow_threshold(DType dtype) {
  const Format f = format_of(dtype);
  if (dtype == DType::f64) return std::numeric_limits<double>::infinity();
  return std::ldexp(2.0 - std::ldexp(1.0, -f.precision), f.emax);
}

}  // namespace normcheck
