// One row of a case as the judge sees it: its values, facts, estimate and, on demand, exact statistics.
#pragma once

#include <optional>
#include <vector>

#include "corpus/case.h"
#include "oracles/bound.h"
#include "oracles/condition.h"
#include "oracles/estimate.h"
#include "oracles/exact.h"
#include "oracles/filter/filter.h"
#include "oracles/judge.h"
#include "oracles/wide.h"

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
  std::optional<WideRow> wide;    ///< likewise
  double gamma_largest = 0;       ///< of the finite ones, in magnitude; 1 where absent
  double beta_largest = 0;

  explicit RowInput(const Case& c);
  /// Loads row `row`, unless it is loaded; false if it holds a NaN or an infinity (then there are no
  /// statistics). The case must not change in between.
  bool load(std::int64_t row, bool prefixes);
  double gamma_at(std::int64_t i) const { return gamma.empty() ? 1.0 : gamma[static_cast<std::size_t>(i)]; }
  double beta_at(std::int64_t i) const { return beta.empty() ? 0.0 : beta[static_cast<std::size_t>(i)]; }
  const ExactRow& exact_row();
  const WideRow& wide_row();

  /// The outputs of a row as the filter measures them, n each.
  struct Filtered {
    std::vector<double> reference, error_ulp, uncertainty;
    std::vector<double> gamma, beta;  ///< as the filter takes them
  };
  /// Of the loaded row, against `y`, which has the dtype and shape of x. Nothing where the filter says
  /// nothing.
  const Filtered* filter(const Tensor& y);
  /// What the bounds ask of element i, and the estimate of y (left open where integers must decide).
  struct Element {
    ElementFacts facts;
    Estimated y;
  };
  Element element(std::int64_t i, OracleChoice oracle = OracleChoice::automatic) const;

 private:
  std::int64_t loaded_ = -1;
  bool loaded_prefixes_ = false;
  bool finite_ = false;
  Filtered filtered_;
};

}  // namespace normcheck
