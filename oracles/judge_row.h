// One row of one observation under one contract: which elements are proved, wrong, void, vacuous or skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracles/judge.h"
#include "oracles/row_input.h"

namespace normcheck {

struct RowOutcome {
  Verdict verdict = Verdict::pass;
  ElementCounts counts;
  std::optional<ElementReport> worst_wrong;
  std::optional<ElementReport> largest;  ///< of the elements that are right, the one of largest error
  double kappa = 0;
  std::string range_class;  ///< outside the safe range: what came out
};

/// Judges y, and mean and rstd where given. |errors| in ulp of the elements that were compared with a
/// number are appended to `errors`, if there is one, and folded into `statistics`.
RowOutcome judge_row(RowInput& input, std::int64_t row, const Observation& observed, const Contract& contract,
                     OracleChoice oracle, std::vector<double>* errors, ErrorStatistics& statistics);

/// Fills the exact value of a report on a number: want, its rounding, the allowance in its ulp.
void settle_report(RowInput& input, ElementReport& report);

}  // namespace normcheck
