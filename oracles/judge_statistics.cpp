// Judges the mean and rstd of a row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/row_judge.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

void RowJudge::judge_statistic(Output output, std::uint64_t got, const Estimated& estimate,
                               double allowance) {
  RowInput& input = input_;
  const DType dtype = statistics_dtype(contract_, input_.problem->x.dtype);
  const auto exact = [&input, output] {
    return output == Output::mean ? input.exact_row().mean() : input.exact_row().rstd();
  };
  if (flushed_) {
    allowance =
        output == Output::mean ? flushed_->mean(allowance, estimate) : flushed_->rstd(allowance, estimate);
    if (std::isinf(allowance)) return;
  }
  const Estimated used = oracle_ == OracleChoice::automatic ? estimate : Estimated{estimate.value, kInfinity};
  Demand demand;
  demand.flush = demand_.flush;
  const bool wide = oracle_ == OracleChoice::wide && !demand.flush;
  const Measure m =
      wide ? measured_by_wide(output == Output::mean ? input.wide_row().mean() : input.wide_row().rstd(),
                              dtype, got, allowance, exact)
           : measure(dtype, got, used, exact, allowance, demand);
  // Without a bound, outside the safe range, the class is judged all the same.
  const bool no_number =
      std::isinf(allowance) && !std::isfinite(to_double(dtype, got)) && !m.correctly_rounded;
  if (m.within && !no_number) return;
  ElementReport r = report(output, 0, got);
  r.want = estimate.value.hi;
  r.error_ulp = m.error_ulp;
  r.allowed_abs = allowance;
  r.allowed_ulp = allowance / ulp(dtype, r.want);
  wrong(std::move(r));
}

void RowJudge::judge_statistics(bool finite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (observed_.mean) {
    const std::uint64_t got = observed_.mean->bits(row_);
    const double value = observed_.mean->value(row_);
    if (!finite) {
      bool any_nan = false, positive = false, negative = false;
      for (const double v : input_.x) {
        any_nan = any_nan || std::isnan(v);
        positive = positive || v == kInfinity;
        negative = negative || v == -kInfinity;
      }
      const bool infinity_right =
          !any_nan && positive != negative && value == (positive ? kInfinity : -kInfinity);
      if (!std::isnan(value) && !infinity_right)
        wrong_class(Output::mean, got, nan, "x holds a NaN or an infinity");
    } else if (!unbounded_ && (allowance_->in_range() || full_range_)) {
      judge_statistic(Output::mean, got, input_.estimated().mean(), allowance_->mean());
    }
  }
  if (observed_.rstd) {
    const std::uint64_t got = observed_.rstd->bits(row_);
    const double value = observed_.rstd->value(row_);
    if (!finite) {
      // Of what judge_nonfinite_row lets pass the rstd is that of some variance.
      const bool let_pass =
          n() == 1 || std::any_of(input_.x.begin(), input_.x.end(), [](double v) { return std::isinf(v); });
      if (!std::isnan(value) && !(let_pass && value >= 0))
        wrong_class(Output::rstd, got, nan, "x holds a NaN or an infinity");
      return;
    }
    if (unbounded_ || (!allowance_->in_range() && !full_range_)) return;
    if (degenerate()) {
      // A root that is refined by Newton's steps multiplies that infinity by 0.
      if (allowance_->mean_exact() && value != kInfinity && !std::isnan(value)) {
        wrong_class(Output::rstd, got, kInfinity, "variance and eps are both 0: neither infinite nor NaN");
      }
    } else if (allowance_->voided()) {
      // rstd^ lies between 0 and what eps alone allows.
      const bool inf_possible = allowance_->void_rstd() >= largest_finite(observed_.rstd->dtype);
      const bool possible = value >= 0 && (std::isfinite(value) || inf_possible);
      if (allowance_->class_demanded() && !flushed_ && !possible) {
        wrong_class(Output::rstd, got, input_.exact_row().rstd().to_double(),
                    "a variance that is not negative has a root");
      }
    } else if (input_.usable()) {
      judge_statistic(Output::rstd, got, input_.estimated().rstd(), allowance_->rstd());
    }
  }
}

}  // namespace normcheck
