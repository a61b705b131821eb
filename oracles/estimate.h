// A fast second opinion with a proven error: what it can decide need not go to the exact oracle.
#pragma once

#include <cmath>
#include <cstdint>

#include "oracles/condition.h"
#include "oracles/double_double.h"
#include "oracles/quad.h"

namespace normcheck {

/// |value.hi + value.lo - exact| <= error; an infinite error says nothing.
struct Estimated {
  Pair value;
  double error = 0;
  /// An upper bound of |exact|.
  double magnitude() const { return std::fabs(value.hi) * (1 + 0x1p-51) + error * (1 + 0x1p-51); }
};

/// y, x_hat, rstd of one row from its statistics, each with its error. `usable()` is false where var+eps is 0
/// or known too badly; then everything goes to the exact oracle.
class RowEstimate {
 public:
  RowEstimate(const RowCondition& condition, double eps);

  bool usable() const { return usable_; }
  /// gamma and beta finite; an absent gamma is 1, an absent beta 0.
  struct Element {
    Estimated x_hat;
    Estimated y;
  };
  Element element(std::int64_t i, double gamma, double beta) const;
  Estimated rstd() const;
  Estimated mean() const;

 private:
  Estimated y_by_quads(std::int64_t i, double gamma, double beta) const;
  Estimated affine(Estimated x_hat, double gamma, double beta) const;

  const RowCondition* condition_;
  bool usable_ = false;
  bool pairs_ = false;  ///< x and rstd are in the range of pairs
  Quad rstd_ = 0;
  Pair rstd_pair_;
  Pair minus_mean_;
  double rstd_relative_ = 0;  ///< relative error of rstd_
  double shift_ = 0;          ///< >= rstd * (error of the mean), doubled
};

/// What an estimate can say of |got - exact| against an allowance.
enum class Decision { yes, no, unknown };

/// |got - exact| <= allowance? For finite got. The difference got - hi is exact as a pair, so the distance as
/// a double is off by a few of its own ulps: covered by widening it by 2^-48.
Decision decide_within(const Estimated& e, double got, double allowance);

/// got - (hi + lo), to a relative 2^-50; NaN or infinite only where doubles overflow.
inline double signed_distance(const Estimated& e, double got) {
  const Pair d = two_sum(got, -e.value.hi);
  return d.hi + (d.lo - e.value.lo);
}

}  // namespace normcheck
