// One row of one observation under one contract: which elements are proved, wrong, void, vacuous or skipped.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "oracles/bound.h"
#include "oracles/condition.h"
#include "oracles/estimate.h"
#include "oracles/exact.h"
#include "oracles/judge.h"
#include "oracles/measure.h"

namespace normcheck {

/// What the rows of a case share: gamma and beta as doubles, and scratch that is kept from row to row.
struct RowInput {
  const Case* problem = nullptr;
  std::vector<double> x;      ///< the row's values
  std::vector<double> gamma;  ///< n values; empty: absent
  std::vector<double> beta;
  RowCondition condition;
  std::optional<RowEstimate> estimate;
  std::optional<ExactRow> exact;  ///< made on demand

  explicit RowInput(const Case& c);
  /// Loads row `row`; false if it holds a NaN or an infinity (then there are no statistics).
  bool load(std::int64_t row, bool prefixes);
  double gamma_at(std::int64_t i) const { return gamma.empty() ? 1.0 : gamma[static_cast<std::size_t>(i)]; }
  double beta_at(std::int64_t i) const { return beta.empty() ? 0.0 : beta[static_cast<std::size_t>(i)]; }
  const ExactRow& exact_row();
  Estimated y(std::int64_t i, OracleChoice oracle) const;
  ElementFacts element(std::int64_t i) const;
};

/// v rounded to the dtype, as a double.
double round_to_value(DType dtype, double v);

struct RowOutcome {
  Verdict verdict = Verdict::pass;
  ElementCounts counts;
  std::optional<ElementReport> worst_wrong;
  std::optional<ElementReport> largest;  ///< of the elements that are right, the one of largest error
  double kappa = 0;
  std::string range_class;  ///< outside the safe range: what came out
};

/// Judges y, and mean and rstd where given. |errors| in ulp of the elements that were compared with a
/// number are appended to `errors`, and folded into `statistics`.
RowOutcome judge_row(RowInput& input, std::int64_t row, const Observation& observed, const Contract& contract,
                     OracleChoice oracle, std::vector<double>& errors, ErrorStatistics& statistics);

/// Fills the exact value of a report on a number: want, its rounding, the allowance in its ulp.
void settle_report(RowInput& input, ElementReport& report);

}  // namespace normcheck
