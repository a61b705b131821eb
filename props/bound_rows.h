// Rows that make rounding errors add up, in any format, and the check of moments against a bound.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/algorithms/moments.h"
#include "impl/arithmetic/half.h"
#include "impl/arithmetic/native.h"
#include "oracles/exact.h"

namespace normcheck {

template <class R>
inline constexpr DType dtype_of = DType::f32;
template <>
inline constexpr DType dtype_of<double> = DType::f64;
template <>
inline constexpr DType dtype_of<Half> = DType::f16;
template <>
inline constexpr DType dtype_of<BFloat16> = DType::bf16;

inline constexpr std::int64_t hard_kinds = 10;

/// n values of the format, of one kind out of hard_kinds: rows on which errors add up, and ordinary ones.
std::vector<double> hard_row(CounterRng& rng, DType dtype, std::int64_t kind, std::int64_t n);

template <class R>
std::vector<R> narrowed_row(const std::vector<double>& x) {
  std::vector<R> out;
  out.reserve(x.size());
  for (const double v : x) out.push_back(ArithmeticTraits<R>::from_double(v));
  return out;
}

/// How many rows a sweep has, and how long they are: exact truth costs more in wide formats, and a bound for
/// halves says nothing on long rows.
struct Reach {
  std::int64_t rows;
  std::int64_t longest;
};
inline Reach reach_of(DType dtype) {
  if (dtype == DType::f64) return {2000, 600};
  if (dtype == DType::f32) return {6000, 2000};
  return {6000, 200};
}
/// One row in forty is as long as `reach` allows, the others have 70 elements at most.
inline std::int64_t draw_length(CounterRng& rng, const Reach& reach, std::int64_t row) {
  return rng.between(1, row % 40 == 0 ? reach.longest : 70);
}

/// What a sweep met: the largest errors as shares of their bounds, and the rows without a finite bound.
struct Tightness {
  double mean = 0;
  double variance = 0;
  std::int64_t rows = 0;
  std::int64_t without_bound = 0;  ///< infinite, for the mean or the variance
  std::int64_t out_of_range = 0;
};
std::string text_of(const Tightness& seen);

/// Parts of a bound to hold moments to: 1 and 1, or less of one as a fault that must be seen.
struct Parts {
  double mean = 1;
  double variance = 1;
};

/// Whether computed moments keep these parts of their bound. A row that is not certainly in range passes, and
/// is counted.
::testing::AssertionResult keeps(const ExactRow& exact, Moments<double> got, const MomentBound& bound,
                                 Parts parts, Tightness& seen);

template <class R>
Moments<double> in_double(const Moments<R>& m) {
  return {ArithmeticTraits<R>::to_double(m.mean), ArithmeticTraits<R>::to_double(m.var)};
}

}  // namespace normcheck
