// How much a PASS says: the smallest fault of the variance that must show, and where a known mistake need
// not.
#pragma once

#include <cstdint>
#include <string>

#include "corpus/case.h"
#include "oracles/contract.h"

namespace normcheck {

/// What the bound of a contract would see on the rows of a case.
struct Sharpness {
  /// The relative error of rstd that leaves the allowance of some element, all else exact: the least of
  /// allowance/|gamma*x_hat| in a row, and of the rows the median.
  double rstd_error = 0;
  std::int64_t rows = 0;  ///< asked: those that have a bound, of at most 256 spread evenly; 0: none has
};
Sharpness sharpness(const Case& c, const Contract& contract = {});

/// Where `stable` allows all that naive gets wrong (accumulated in f32 for halves, else in the dtype), or
/// has no bound: "n 64: kappa 1, 1e7 up   n 1024: ...". At each n and decade of kappa one to three rows are
/// tried, made as those of the report's plot are, and one that hides it is enough; the same text every time.
std::string blind_zone(DType dtype);

/// The same of one length and kappa, on rows of kappa_case with seed 1.
bool is_blind(DType dtype, std::int64_t n, double kappa);

}  // namespace normcheck
