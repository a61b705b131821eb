// What crosses between the program and the rows of two and three, which are compiled with flags of their own.
#pragma once

#include <cstdint>

namespace normcheck_abi {

/// All rows (x1, x2[k]) of one x1, or (x1, x2[k], x3), given as floats that are numbers of the dtype.
struct PairSlice {
  int algorithm;  ///< 0 two_pass, 1 welford, 2 compensated_mean; 3: a fault, two_pass that divides by n-1
  bool bf16;      ///< else f16
  bool three;     ///< rows of three; of f16 only
  double eps;     ///< > 0
  float x1, x3;
  const float* x2;
  std::int64_t count;
  std::uint16_t* y;         ///< count numbers an element: y1 of every row, then y2 of every row, ...
  double* error_ulp;        ///< likewise; as the filter states it
  double* uncertainty_ulp;  ///< likewise
};

/// What was certain of a slice: a `sure` output is rounded right or not, and its error good to 2^-20 ulp.
struct PairSummary {
  std::int64_t not_rounded;
  std::int64_t open;  ///< outputs that are not sure
  double largest;     ///< |error| of those that are
};
inline constexpr double pair_error_good = 0x1p-20;

extern "C" {
/// Runs the algorithm in f32, eight rows at a time, rounds to the dtype, and measures all outputs.
void normcheck_build_pairs(const PairSlice& slice, PairSummary& summary);
}

}  // namespace normcheck_abi
