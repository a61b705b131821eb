// y of a row as an affine function of x: its slope and offset say which mean and variance were used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "oracles/contract.h"
#include "oracles/diagnose.h"
#include "oracles/hypotheses.h"
#include "oracles/row_input.h"

namespace normcheck {

/// An element of y that is looked at.
struct DiagnosisSample {
  std::int64_t column = 0;
  double got = 0;
  Quad exact = 0;
  double allowed = 0;  ///< finite
};

struct FittedLine {
  std::int64_t elements = 0;
  bool none = false;                                ///< every y is NaN or infinite
  bool straight = false;                            ///< the rest of it is rounding
  double mean = 0, variance = 0;                    ///< what it implies, where it has a slope
  bool implies = false;                             ///< it has one
  double relative_root = 0;                         ///< rstd over the exact one, less 1
  bool coarse = false;                              ///< and that is more than y's own rounding
  bool in_one_pass = false, one_pass_only = false;  ///< within the bound of one pass; beyond the contract's
  bool clamped = false;                             ///< its variance is 0
};

/// Adds the line of a row whose elements are `samples`; none where the row has none, or is constant.
void fit_line(const HypothesisRow& row, const std::vector<DiagnosisSample>& samples, const RowInput& input,
              const Case& c, DType output, std::vector<FittedLine>& lines);

/// What roundings explain, by their bounds: one pass, a narrower type, a coarse root. `right`: all elements
/// keep the contract; `wrong`: some do not.
std::vector<Explanation> by_rounding(const std::vector<FittedLine>& lines, const Case& c,
                                     const Observation& observed, bool right, bool wrong);
/// "a reciprocal root good to 12 bits", where that is all that is wrong.
std::vector<Explanation> by_coarse_root(const std::vector<FittedLine>& lines);

}  // namespace normcheck
