// The estimate and its error: every term is doubled at least, which covers second order and the rounding
// of the error's own arithmetic (relative 2^-50 at most).
#include "oracles/estimate.h"

#include <cmath>
#include <limits>

namespace normcheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Covers what doubles lose near their smallest numbers: an error below it is never claimed.
constexpr double kSmallest = 0x1p-1070;

/// 1/sqrt(w) for w > 0: a double's guess of the mantissa, then two Newton steps (53 to over 100 bits, then
/// to the format's last few).
Quad reciprocal_root(Quad w) {
  Quad scale = 1;
  while (w >= 0x1p+512) w *= 0x1p-512, scale *= 0x1p-256;
  while (w < 0x1p-512) w *= 0x1p+512, scale *= 0x1p+256;
  Quad r = 1.0 / std::sqrt(static_cast<double>(w));
  for (int step = 0; step < 2; ++step) r += r * (1 - w * r * r) / 2;
  return r * scale;
}

}  // namespace

RowEstimate::RowEstimate(const RowCondition& condition, double eps) : condition_(&condition) {
  const Quad w = condition.variance() + eps;
  if (!(w > 0)) return;
  rstd_ = reciprocal_root(w);
  // rstd_ = (1+d)/sqrt(w) gives w rstd_^2 = (1+d)^2, so |d| <= |1 - w rstd_^2|, itself computed with at
  // most three roundings of numbers near 1; an error t of w, relative, moves 1/sqrt by at most t for t < 1/2.
  const Quad residual = abs(1 - w * rstd_ * rstd_);
  const double of_w = round_up(Quad(condition.variance_error()) / w) + 0x1p-112;
  if (!(of_w < 0x1p-10)) return;
  rstd_relative_ = 2 * (round_up(residual) + 0x1p-110 + of_w);
  shift_ = 2 * round_up(rstd_ * condition.mean_error());
  usable_ = std::isfinite(shift_);
}

Estimated RowEstimate::rstd() const {
  return {rstd_, usable_ ? round_up(rstd_ * rstd_relative_) + kSmallest : kInfinity};
}

Estimated RowEstimate::deviation(std::int64_t i) const {
  const Quad d = condition_->x()[i] - condition_->mean();
  return {d, 2 * (round_up(abs(d) * 0x1p-112) + condition_->mean_error()) + kSmallest};
}

Estimated RowEstimate::y(std::int64_t i, double gamma, double beta) const {
  // x-mean, times rstd, times gamma: three roundings and the errors of mean and rstd; then + beta.
  const Quad product = (condition_->x()[i] - condition_->mean()) * rstd_ * gamma;
  const Quad value = product + beta;
  if (!usable_) return {value, kInfinity};
  const double size = static_cast<double>(abs(product));
  const double of_product = size * (rstd_relative_ + 0x1p-109) + std::fabs(gamma) * shift_;
  const double error = 2 * of_product + static_cast<double>(abs(value)) * 0x1p-111 + kSmallest;
  return {value, std::isfinite(error) ? error : kInfinity};
}

Decision decide_within(const Estimated& e, double got, double allowance) {
  const double distance = static_cast<double>(abs(Quad(got) - e.value));
  if (distance * (1 + 0x1p-50) + e.error * (1 + 0x1p-50) + kSmallest <= allowance * (1 - 0x1p-50))
    return Decision::yes;
  if (distance * (1 - 0x1p-50) - e.error * (1 + 0x1p-50) - kSmallest > allowance * (1 + 0x1p-50))
    return Decision::no;
  return Decision::unknown;
}

}  // namespace normcheck
