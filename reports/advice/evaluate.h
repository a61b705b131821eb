// Runs implementations on rows and sets the error of each beside the bound that is proven of it there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "oracles/bound.h"
#include "oracles/contract.h"
#include "oracles/row_input.h"

namespace normcheck {

/// An implementation and whose bound speaks for it.
struct Subject {
  const Row* row = nullptr;
  Contract contract;  ///< its own, mostly
};

/// One loaded row: what the bounds and the errors need of each element. `row` of the case must be finite,
/// with var+eps above 0.
class RowTruth {
 public:
  /// Shares the scratch of `input`, which must stay. False: nothing can be measured on this row.
  bool load(RowInput& input, std::int64_t row, bool prefixes);

  std::int64_t size() const { return static_cast<std::int64_t>(elements_.size()); }
  double kappa() const { return input_->condition.facts().kappa; }
  double variance() const { return static_cast<double>(input_->condition.variance()); }
  const RowFacts& facts() const { return input_->condition.facts(); }
  /// The ulp of the row's largest |y|: what errors of a row are told in.
  double unit() const { return unit_; }
  double y(std::int64_t i) const { return elements_[static_cast<std::size_t>(i)].y.value.hi; }
  /// |got - exact|, infinite for NaN and infinities.
  double error(std::int64_t i, std::uint64_t got) const;
  /// The largest allowance of an element under the contract; infinite where there is none.
  double bound(const Contract& contract) const;
  /// The allowance of each element, likewise; false where there is none.
  bool bounds(const Contract& contract, std::vector<double>& out) const;

 private:
  RowInput* input_ = nullptr;
  std::vector<RowInput::Element> elements_;
  std::vector<bool> fine_;  ///< the estimate of y tells a small part of an ulp
  double unit_ = 0;
};

/// Over many rows. In absolute terms, and in ulp of the row's largest |y|.
struct Evaluated {
  double error_abs = 0, error_ulp = 0;  ///< the largest seen
  double bound_abs = 0, bound_ulp = 0;  ///< the largest over the rows that have one
  std::int64_t rows = 0;                ///< that ran
  std::int64_t void_rows = 0;           ///< without a bound
  std::string error_case;               ///< of the largest error in ulp
  std::int64_t exceeded = 0;            ///< rows whose error is above the bound: one of both is wrong
  bool proven() const { return rows > 0 && void_rows == 0; }
  void take(const Evaluated& other);
};

/// Adds what each subject gives on the rows of the case to `out`, one a subject. Rows that are not finite, or
/// have var+eps = 0, are left out. Returns how many were not.
std::int64_t evaluate(const Case& c, std::span<const Subject> subjects, std::span<Evaluated> out);

}  // namespace normcheck
