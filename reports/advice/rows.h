// The rows that advice is given on: many kinds, of a dtype, a length and a condition number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "reports/advice/evaluate.h"

namespace normcheck {

/// What is asked about: rows of n numbers whose mean is up to about kappa times their spread,
/// kappa = sqrt(1 + mean^2/variance).
struct Setting {
  DType dtype = DType::f32;
  std::int64_t n = 0;
  double kappa = 1;
  double eps = 1e-5;
};

/// Of that kappa, up to 5% more, and variance about 1, as far as the format reaches: two values about the
/// mean (as the report's plots have), normal ones, a ramp, and one element near 0 among many that are not,
/// whose sums no format holds exactly; and rows of the regimes (props/gen.h) whose kappa is no larger.
/// Without gamma and beta. The same every time.
std::vector<Case> advice_rows(const Setting& setting);
/// The first of these kinds, one row each: for bounds alone, at other n and kappa.
std::vector<Case> few_rows(const Setting& setting);

/// Rows that a search found bad for these subjects (fuzz/attack, with no kappa above the setting's): a few
/// seconds at most, the same every time. Nothing for n above 16,384.
std::vector<Case> searched_rows(const Setting& setting, const std::vector<Subject>& subjects,
                                const std::vector<Case>& seeds);

}  // namespace normcheck
