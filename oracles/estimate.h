// A fast second opinion with a proven error: what it can decide need not go to the exact oracle.
#pragma once

#include <cstdint>

#include "oracles/condition.h"
#include "oracles/quad.h"

namespace normcheck {

/// |value - exact| <= error; an infinite error says nothing.
struct Estimated {
  Quad value = 0;
  double error = 0;
};

/// y, x_hat, rstd of one row from its 113-bit statistics, each with its error. `usable()` is false where
/// var+eps is 0 or known too badly; then everything goes to the exact oracle.
class RowEstimate {
 public:
  RowEstimate(const RowCondition& condition, double eps);

  bool usable() const { return usable_; }
  /// gamma and beta finite.
  Estimated y(std::int64_t i, double gamma, double beta) const;
  Estimated x_hat(std::int64_t i) const { return y(i, 1.0, 0.0); }
  Estimated rstd() const;
  Estimated mean() const { return {condition_->mean(), condition_->mean_error()}; }
  Estimated variance() const { return {condition_->variance(), condition_->variance_error()}; }
  Estimated deviation(std::int64_t i) const;

 private:
  const RowCondition* condition_;
  bool usable_ = false;
  Quad rstd_ = 0;
  double rstd_relative_ = 0;  ///< relative error of rstd_
  double shift_ = 0;          ///< >= rstd * (error of the mean), doubled
};

/// What an estimate can say of |got - exact| against an allowance.
enum class Decision { yes, no, unknown };

/// |got - exact| <= allowance? For finite got. The difference is formed in Quad (one rounding, relative
/// 2^-113) and turned into a double (relative 2^-53): covered by widening it by 2^-50.
Decision decide_within(const Estimated& e, double got, double allowance);

}  // namespace normcheck
