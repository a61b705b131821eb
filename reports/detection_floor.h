// The detection floor: the smallest fault of a layer norm that an allowance lets nobody hide, by dtype and n.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "oracles/bound.h"
#include "oracles/row_input.h"

namespace normcheck {

/// What shows on one row under one contract, all else exact. A fault shows where the y of some element leaves
/// its allowance. Infinite, and the ratios 0, where the contract has no bound.
struct Floor {
  double root = 0;      ///< relative error of rstd: the least of allowance/|gamma*x_hat|
  double divisor = 0;   ///< relative error of the variance, to first order: 2 root (var+eps)/var
  double lost_far = 0;  ///< one x_j left out of both sums, |x_j - mean| the largest: change/allowance
  double lost_mid = 0;  ///< the same with |x_j - mean| the median
};

/// The relative error of rstd that shows on the loaded row, which has no NaN or infinity; infinite where none
/// does.
double root_floor(const RowInput& input, const RowAllowance& allowance);
/// The row must be loaded with prefix facts if the contract reads them; absent gamma and beta.
Floor detection_floor(const RowInput& input, const Contract& contract);

struct FloorPoint {
  DType dtype;
  std::string_view data;  ///< a generator of corpus/generate.h, seed 1
  std::int64_t n;
  std::string_view contract;  ///< "stable", or the row whose own bound it is
  Floor floor;
};

/// One row of n generated numbers: "balanced" (integers, whose sums, squares and mean are exact) or "normal".
/// eps is 1e-5.
Case floor_case(DType dtype, std::string_view data, std::int64_t n);

/// For each dtype, both kinds of data, n = 16 to 65536 by powers of 4, `stable` and the own bounds of
/// two_pass, pairwise, lanes8, compensated_mean and neumaier (f32 sums for halves, else in the dtype).
std::vector<FloorPoint> detection_floors(const std::vector<DType>& dtypes);

/// As tables, 100 columns wide.
std::string floors_text(const std::vector<FloorPoint>& points);

}  // namespace normcheck
