// Collects what is seen of the elements of one row into the verdict on the row.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracles/demand.h"
#include "oracles/flushed_row.h"
#include "oracles/judge_row.h"

namespace normcheck {

/// y is judged in judge_row.cpp, mean and rstd in judge_statistics.cpp.
class RowJudge {
 public:
  RowJudge(RowInput& input, std::int64_t row, const Observation& observed, const Contract& contract,
           OracleChoice oracle, std::vector<double>* errors, ErrorStatistics& statistics)
      : input_(input),
        row_(row),
        observed_(observed),
        contract_(contract),
        full_range_(contract.claims && contract.claims->full_range),
        unbounded_(rounded_on_reading(contract, *input.problem).has_value()),
        oracle_(oracle),
        figures_(errors != nullptr),
        errors_(errors),
        statistics_(statistics),
        unit_roundoff_(unit_roundoff(observed.y.dtype)) {}

  RowOutcome run();

 private:
  void judge_nonfinite_row();
  void judge_finite_row();
  void judge_statistics(bool finite);
  void judge_statistic(Output output, std::uint64_t got, const Estimated& estimate, double allowance);
  /// The allowance that the bound gives, widened by what may be flushed of the inputs.
  double allowance_of(std::int64_t i, const ElementFacts& e, double own) const;
  void judge_element(std::int64_t i, bool row_fits);
  /// Whether the filter settles the element: it is right, and no largest figure is its own.
  bool settled_by_filter(std::int64_t i, bool row_fits);
  Measure measured_by_wide(const WideValue& value, DType dtype, std::uint64_t got, double allowance,
                           const ExactSource& exact) const;
  void judge_unbounded(std::int64_t i, const ElementFacts& e);
  void judge_number(std::int64_t i, const RowInput::Element& e, double allowance);
  /// An element of y that was compared with a number.
  struct Number {
    std::int64_t column = 0;
    double want = 0;
    double error_ulp = 0;
    double normwise_u = 0;
    double allowance = 0;
  };
  ElementReport report_of(const Number& number) const;
  void judge_special_column(std::int64_t i);
  void judge_infinite_beta(std::int64_t i);
  void judge_void_element(std::int64_t i, const ElementFacts& e);
  void make_void() {
    ++out_.counts.voided;
    voided_ = true;
  }
  void describe_range();

  ElementReport report(Output output, std::int64_t column, std::uint64_t got) const;
  /// Another class (NaN, an infinity, a number) was demanded.
  void wrong_class(Output output, std::uint64_t got, double want, const std::string& reason,
                   std::int64_t column = 0);
  /// Of a constant row: whether y is beta, as a kernel gives that takes a short cut there.
  bool is_beta_of_constant(std::int64_t column) const;
  void class_outcome(std::int64_t column, bool right, double want, const std::string& reason);
  void wrong(ElementReport r);

  std::int64_t n() const { return static_cast<std::int64_t>(input_.x.size()); }
  std::uint64_t y_bits(std::int64_t i) const { return observed_.y.bits(row_ * n() + i); }
  double y_value(std::int64_t i) const { return observed_.y.value(row_ * n() + i); }
  bool in_range() const { return allowance_->in_range() && (input_.usable() || degenerate()); }
  // 0 * inf: y is NaN and rstd infinite by definition.
  bool degenerate() const { return input_.condition.facts().constant && input_.problem->eps == 0; }

  RowInput& input_;
  std::int64_t row_;
  const Observation& observed_;
  const Contract& contract_;
  const RowInput::Filtered* filtered_ = nullptr;  // where the filter may settle elements
  bool full_range_;                               // numbers outside the safe range are judged too
  bool unbounded_;                                // what x, gamma or beta lose on reading is in no bound
  OracleChoice oracle_;
  bool figures_;  // are to be shown, and measured as well as can be
  std::vector<double>* errors_;
  ErrorStatistics& statistics_;
  double unit_roundoff_;
  std::optional<RowAllowance> allowance_;
  std::unique_ptr<FlushedRow> flushed_;  // where the contract lets it be computed in place of the row
  Demand demand_;
  bool constant_ = false;        // the row is: x_hat is 0, whatever it is multiplied by
  bool exact_constant_ = false;  // the row is constant, and the contract has beta there
  RowOutcome out_;
  Number largest_number_;
  double largest_ = -1;             // its |error|; of the elements that are right
  bool differs_from_beta_ = false;  // the exact y somewhere is not beta
  bool ignorable_ = true;           // so far every allowance reaches |y - beta|
  bool voided_ = false;
  bool wrong_ = false;
};

}  // namespace normcheck
