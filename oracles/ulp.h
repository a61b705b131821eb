// The unit in the last place, as the project defines it: of the exact value, in the output's format.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "corpus/dtype.h"

namespace normcheck {

/// floor(log2|v|), and `of_zero` for 0; the library's answer only where the exponent field is not it.
inline int exponent_of(double v, int of_zero) {
  const auto field = static_cast<int>(std::bit_cast<std::uint64_t>(v) >> 52 & 0x7ff);
  return field > 0 && field < 0x7ff ? field - 1023 : v == 0 ? of_zero : std::ilogb(v);
}
/// 2^e, for any e: 0 or infinity where that is no double.
inline double power_of_two(int e) {
  return e >= -1022 && e <= 1023 ? std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52)
                                 : std::ldexp(1.0, e);
}

/// log2 of ulp(value): floor(log2|value|) clamped to [emin, emax], minus precision-1. Zero and the
/// subnormal range have the subnormal spacing.
inline int ulp_exponent(DType dtype, double value) {
  const Format& f = format_of(dtype);
  return std::clamp(exponent_of(value, f.emin), f.emin, f.emax) - (f.precision - 1);
}

inline double ulp(DType dtype, double value) { return power_of_two(ulp_exponent(dtype, value)); }

/// The magnitude from which round-to-nearest overflows: omega + ulp(omega)/2. Infinity for f64, whose
/// threshold is not a double (an f64 |y|+B of infinity is handled by the caller).
inline double overflow_threshold(DType dtype) {
  const Format f = format_of(dtype);
  if (dtype == DType::f64) return std::numeric_limits<double>::infinity();
  return std::ldexp(2.0 - std::ldexp(1.0, -f.precision), f.emax);
}

}  // namespace normcheck
