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
  std::optional<RowEstimate> estimate;  ///< after load_filtered, on demand: see `estimated`
  std::optional<ExactRow> exact;        ///< made on demand
  std::optional<WideRow> wide;          ///< likewise
  double gamma_largest = 0;             ///< of the finite ones, in magnitude; 1 where absent
  double beta_largest = 0;

  RowInput() = default;
  explicit RowInput(const Case& c) { start(c); }
  /// Another case, no row of which is loaded; the memory is kept. Nothing else may be called before.
  void start(const Case& c);
  /// Loads row `row`, unless it is loaded; false if it holds a NaN or an infinity (then there are no
  /// statistics). The case must not change in between.
  bool load(std::int64_t row, bool prefixes);
  /// The same, and `y`, which has the dtype and shape of x, as the filter measures it: `filtered` says where
  /// it does. There the facts are made of its statistics, and the estimate on demand.
  bool load_filtered(std::int64_t row, bool prefixes, const Tensor& y);
  double gamma_at(std::int64_t i) const { return gamma.empty() ? 1.0 : gamma[static_cast<std::size_t>(i)]; }
  double beta_at(std::int64_t i) const { return beta.empty() ? 0.0 : beta[static_cast<std::size_t>(i)]; }
  const ExactRow& exact_row();
  const WideRow& wide_row();
  const RowEstimate& estimated();
  /// Whether the row has an rstd that is known to some bits.
  bool usable() const { return filter_holds_ || estimate->usable(); }

  /// The outputs of a row as the filter measures them, n each.
  struct Filtered {
    std::vector<double> reference, error_ulp, uncertainty;
    std::vector<double> gamma, beta;  ///< as the filter takes them
    double rstd = 0;                  ///< an upper bound of 1/sqrt(var+eps)
  };
  /// Of the loaded row: nothing where the filter says nothing, or was not asked.
  const Filtered* filtered() const { return filter_holds_ ? &filtered_ : nullptr; }
  /// What the bounds ask of element i, and the estimate of y (left open where integers must decide).
  struct Element {
    ElementFacts facts;
    Estimated y;
  };
  /// There must be an estimate.
  Element element(std::int64_t i, OracleChoice oracle = OracleChoice::automatic) const;

 private:
  std::int64_t loaded_ = -1;
  bool loaded_prefixes_ = false;
  bool finite_ = false;
  bool filter_holds_ = false;
  Filtered filtered_;
  RowCondition precise_;  ///< what the estimate is of, where `condition` is made of the filter's statistics

  bool take_row(std::int64_t row);
};

}  // namespace normcheck
