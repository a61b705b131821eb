// float and double as arithmetics: the machine's own operations, each rounded once (no contraction).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559);
#if defined(__FLT_EVAL_METHOD__)
static_assert(__FLT_EVAL_METHOD__ == 0, "float operations must be rounded to float, not kept wider");
#endif

template <>
struct ArithmeticTraits<float> {
  static float from_count(std::int64_t n) { return static_cast<float>(n); }
  static float from_double(double v) { return static_cast<float>(v); }
  static double to_double(float v) { return static_cast<double>(v); }
  static float root(float v) { return std::sqrt(v); }
};

template <>
struct ArithmeticTraits<double> {
  static double from_count(std::int64_t n) { return static_cast<double>(n); }
  static double from_double(double v) { return v; }
  static double to_double(double v) { return v; }
  static double root(double v) { return std::sqrt(v); }
};

static_assert(RootedArithmetic<float> && RootedArithmetic<double>);

}  // namespace normcheck
