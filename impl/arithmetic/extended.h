// long double as an arithmetic: the x87 format of 64 significant bits, f80, where the machine has it.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// On other machines long double is another format: double, binary128 or two doubles. The code compiles
/// there, and its rows offer nothing (Row::missing).
inline constexpr bool long_double_is_f80 =
    std::numeric_limits<long double>::digits == 64 && std::numeric_limits<long double>::max_exponent == 16384;

/// Why long double does not compute in f80 here; empty if it does. Asked of the machine too: some systems,
/// and some emulators, set the x87 to round to 53 bits.
inline std::string_view missing_f80() {
  volatile long double one = 1, last_bit = 0x1p-63L;
  volatile long double sum = one + last_bit;
  return long_double_is_f80 && sum - one == last_bit ? "" : "a long double of 64 significant bits";
}

template <>
struct ArithmeticTraits<long double> {
  static long double from_count(std::int64_t n) { return static_cast<long double>(n); }
  static long double from_double(double v) { return v; }
  static double to_double(long double v) { return static_cast<double>(v); }
  static long double root(long double v) { return std::sqrt(v); }
};

static_assert(RootedArithmetic<long double>);

}  // namespace normcheck
