// A row as a kernel sees it that reads subnormal inputs as 0, and what that widens.
#pragma once

#include <memory>

#include "oracles/bound.h"
#include "oracles/row_input.h"

namespace normcheck {

/// A kernel under subnormals=flush may compute, within its bound there, the layer norm of the row with its
/// subnormal x all 0; and for each of gamma and beta that is subnormal that of 0.
class FlushedRow {
 public:
  /// Of the row that `as_is` has loaded; nothing where none of its x is subnormal.
  static std::unique_ptr<FlushedRow> of(const RowInput& as_is, const Contract& contract);

  /// For an allowance of a number of the row as it is, the allowance about its exact value that covers the
  /// other row too: the latter's own, and the distance of the two exact values. Infinity where the latter has
  /// none.
  double y(double allowance, std::int64_t i, const Estimated& as_is) const;
  /// An upper bound of how far the exact y_i of the two rows are apart; infinity where that is not known.
  double move(std::int64_t i, const Estimated& as_is) const;
  double mean(double allowance, const Estimated& as_is) const;
  double rstd(double allowance, const Estimated& as_is) const;

 private:
  FlushedRow(Case row, const Contract& contract);
  bool bounded() const;

  Case problem_;
  RowInput input_;
  std::optional<RowAllowance> allowance_;
};

/// How far y moves where a subnormal gamma or beta of column i is 0, twice over.
double flushed_parameters(const Case& c, std::int64_t i, const ElementFacts& e);

}  // namespace normcheck
