// A 113-bit IEEE format, in software: wide enough that a row's statistics have errors far below any u here.
#pragma once

#include <cfloat>
#include <cstdint>

namespace normcheck {

// binary128: 113 significant bits, exponents to +-16383, so sums of squares of doubles neither overflow nor
// underflow. Its operations are correctly rounded (libgcc's soft-fp, or the hardware's).
#if LDBL_MANT_DIG == 113
using Quad = long double;
#elif defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Quad;
#else
#error "normcheck needs a 113-bit floating type: __float128, or a long double of 113 bits"
#endif

/// Unit roundoff of Quad.
constexpr double quad_u = 0x1p-113;

inline Quad abs(Quad v) { return v < 0 ? -v : v; }

/// The smallest double >= v, for v >= 0; infinity beyond the largest.
inline double round_up(Quad v) {
  const double d = static_cast<double>(v);
  if (static_cast<Quad>(d) >= v) return d;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, d) + 1);
}
/// The largest double <= v, for v >= 0.
inline double round_down(Quad v) {
  const double d = static_cast<double>(v);
  if (static_cast<Quad>(d) <= v) return d;
  return __builtin_bit_cast(double, __builtin_bit_cast(std::uint64_t, d) - 1);
}

}  // namespace normcheck
