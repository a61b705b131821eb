// Where an output's error comes from: the six steps of one row, each with the error that it makes and the one
// that it inherits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/table.h"
#include "oracles/contract.h"
#include "reports/console.h"

namespace normcheck {

/// One step, at the element that is explained. Errors are signed, got less exact.
struct ExplainedStep {
  std::string name;    ///< of step_names, or "y": the rounding to the storage type
  std::string shape;   ///< "[2,1]"
  bool formed = true;  ///< false: the finish never forms it, or nothing is told of it
  double exact = 0;
  double got = 0;
  double own_ulp = 0;        ///< got less the exact function of what the steps before gave, in ulp of `unit`
  double inherited_ulp = 0;  ///< that function less the exact value: what came in
  DType unit = DType::f32;
  /// By how much y moves, in ulp of y, as this step's exact result is replaced by what it gave, those before
  /// being replaced already and those behind exact: over all steps these add up to the error of y.
  double of_y_ulp = 0;
};

struct Explained {
  std::string impl;
  Case problem;
  std::int64_t row = 0, column = 0;
  bool tells_steps = true;  ///< a row of the table; a kernel from outside tells its outputs alone
  double kappa = 0;
  std::string verdict;
  double error_ulp = 0;    ///< of that element of y
  double allowed_ulp = 0;  ///< infinite where void
  std::vector<ExplainedStep> steps;
  std::string step;  ///< the one that lost most; empty: none lost anything
  std::string why;   ///< in a sentence
};

/// Explains the element of y that is worst under the contract; of a kernel from outside, what its mean, rstd
/// and y tell. InputError for a case that is refused, that the implementation does not take, or whose row
/// holds no numbers.
Explained explain_case(const Row& row, const Case& c, const Contract& contract);

std::string explained_text(const Explained& e, const std::string& replay, const Style& style);
/// The graph of the computation with the errors on its edges; for light and dark.
std::string explained_svg(const Explained& e);

}  // namespace normcheck
