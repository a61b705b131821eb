// Error and bound of every implementation on the same few rows, to set beside what each costs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reports/sweep.h"

namespace normcheck {

struct AccuracyPoint {
  const Row* row;
  DType dtype;
  std::int64_t n;
  double kappa;          ///< as asked for
  std::string contract;  ///< whose bound it is: `own` of a row of the table
  double error_ulp;      ///< the largest of y; infinite for NaN
  double bound_ulp;      ///< at that element; infinite where there is none
  std::string input;     ///< the name of its rows
};

/// Of each job on rows of 1024 numbers at kappa 1 and 100, as far as the dtype has such rows; several at once
/// where there are cores, in the jobs' order.
std::vector<AccuracyPoint> accuracy_points(std::span<const SweepJob> jobs, const SweepPlan& plan);

}  // namespace normcheck
