// Settles elements by the filter's word, where it is enough; and by the wide oracle's, where that is asked
// for.
#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/row_judge.h"
#include "oracles/ulp.h"

namespace normcheck {

// The filter is precise enough for a verdict. Of a figure that is to be shown it is not: what could be a
// largest error, share or normwise error is measured anew where figures are asked for; else the filter's are
// taken, each widened by its uncertainty. Everything that is compared is widened by 2^-40 of itself, which
// covers the few roundings here.
bool RowJudge::settled_by_filter(std::int64_t i, bool row_fits) {
  constexpr double wider = 1 + 0x1p-40;
  const auto at = static_cast<std::size_t>(i);
  const double uncertainty = filtered_->uncertainty[at];
  if (!(uncertainty < (figures_ ? 0x1p-10 : 0x1p-21))) return false;
  const double error_ulp = filtered_->error_ulp[at];
  const double size = std::fabs(error_ulp), largest = (size + uncertainty) * wider;
  if (figures_ && !(largest < statistics_.max_ulp && largest < largest_)) return false;
  const filter::Rounded rounded = filter::correctly_rounded(error_ulp, uncertainty);
  if (rounded == filter::Rounded::unknown) return false;

  // Where y and its reference lie in two binades, the error is below 2^-10 of the smaller unit.
  const double reference = filtered_->reference[at], unit = ulp(observed_.y.dtype, reference);
  ElementFacts e;
  e.x_abs = std::fabs(input_.x[at]);
  e.deviation = input_.condition.facts().deviation[i];
  e.gamma_abs = std::fabs(input_.gamma_at(i));
  e.beta_abs = std::fabs(input_.beta_at(i));
  e.x_hat_abs = e.deviation * filtered_->rstd * wider;
  e.y_abs = (std::fabs(reference) + unit * uncertainty) * wider;
  const ElementAllowance a = row_fits ? ElementAllowance{allowance_->y_error(e), true} : allowance_->y(e);
  if (!a.in_range || !std::isfinite(a.y)) return false;
  const double error = largest * unit, share = e.gamma_abs * e.x_hat_abs;
  if (!(error <= a.y)) return false;
  const double normwise = size == 0 ? 0 : error / (unit_roundoff_ * (share + e.beta_abs));
  const double of_bound = size == 0 ? 0 : error / a.y;
  if (figures_) {
    if (!(of_bound * wider < statistics_.max_share_of_bound) ||
        !(normwise * wider < statistics_.max_normwise_u))
      return false;
  } else {
    statistics_.max_ulp = std::max(statistics_.max_ulp, size);
    statistics_.max_normwise_u = std::max(statistics_.max_normwise_u, normwise);
    statistics_.max_share_of_bound = std::max(statistics_.max_share_of_bound, of_bound);
    if (size > largest_) {
      largest_ = size;
      largest_number_ = {i, reference, error_ulp, normwise, a.y};
    }
  }
  differs_from_beta_ = differs_from_beta_ || share > 0;
  ignorable_ = ignorable_ && a.y >= share;
  if (errors_ != nullptr) errors_->push_back(size);
  ++statistics_.judged;
  if (rounded == filter::Rounded::no) ++statistics_.not_correctly_rounded;
  ++out_.counts.proved;
  return true;
}

Measure RowJudge::measured_by_wide(const WideValue& value, DType dtype, std::uint64_t got_bits,
                                   double allowance, const ExactSource& exact) const {
  const double got = to_double(dtype, got_bits), infinity = std::numeric_limits<double>::infinity();
  const Estimated nothing{{0, 0}, infinity};
  if (!std::isfinite(got)) return measure(dtype, got_bits, nothing, exact, allowance);
  Measure out;
  out.within = std::isinf(allowance) || value.within(got, allowance);
  out.correctly_rounded = to_double(dtype, value.round(dtype)) == got;
  out.error_ulp = value.error_ulp(dtype, got_bits);
  out.error_abs = std::fabs(out.error_ulp) * ulp(dtype, value.to_double());
  return out;
}

}  // namespace normcheck
