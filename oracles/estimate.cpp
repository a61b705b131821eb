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
  minus_mean_ = to_pair(-condition.mean());
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
  rstd_pair_ = to_pair(rstd_);
  pairs_ = usable_ && condition.in_pair_range() && pair_safe(rstd_pair_.hi);
}

Estimated RowEstimate::rstd() const {
  return {rstd_pair_,
          usable_ ? std::fabs(rstd_pair_.hi) * (2 * rstd_relative_ + kPairError) + kSmallest : kInfinity};
}

Estimated RowEstimate::mean() const {
  return {negate(minus_mean_), condition_->mean_error() + std::fabs(minus_mean_.hi) * kPairError + kSmallest};
}

// x-mean, times rstd: two operations of kPairError each, the relative error of rstd, and rstd times the
// error of the mean.
RowEstimate::Element RowEstimate::element(std::int64_t i, double gamma, double beta) const {
  if (!pairs_ || !pair_safe(gamma) || !pair_safe(beta))
    return {y_by_quads(i, 1, 0), y_by_quads(i, gamma, beta)};
  Estimated x_hat;
  x_hat.value = multiply(add(minus_mean_, condition_->x()[i]), rstd_pair_);
  x_hat.error = 2 * (std::fabs(x_hat.value.hi) * (rstd_relative_ + 4 * kPairError) + shift_) + kSmallest;
  return {x_hat, affine(x_hat, gamma, beta)};
}

/// gamma times x_hat plus beta: one more rounding each, but by 1 and of 0, which are exact.
Estimated RowEstimate::affine(Estimated x_hat, double gamma, double beta) const {
  Estimated y = x_hat;
  if (gamma != 1) {
    y.value = multiply(y.value, gamma);
    y.error = std::fabs(gamma) * y.error * (1 + 0x1p-50) + 2 * std::fabs(y.value.hi) * kPairError + kSmallest;
  }
  if (beta != 0) {
    y.value = add(y.value, beta);
    y.error = y.error * (1 + 0x1p-50) + 2 * std::fabs(y.value.hi) * kPairError + kSmallest;
  }
  return y;
}

Estimated RowEstimate::y_by_quads(std::int64_t i, double gamma, double beta) const {
  const Quad product = (condition_->x()[i] - condition_->mean()) * rstd_ * gamma;
  const Quad value = product + beta;
  const Pair rounded = to_pair(value);
  if (!usable_ || !std::isfinite(rounded.hi)) return {rounded, kInfinity};
  const double size = static_cast<double>(abs(product));
  const double of_product = size * (rstd_relative_ + 0x1p-109) + std::fabs(gamma) * shift_;
  const double error = 2 * (of_product + std::fabs(rounded.hi) * kPairError) + kSmallest;
  return {rounded, std::isfinite(error) ? error : kInfinity};
}

Decision decide_within(const Estimated& e, double got, double allowance) {
  const double distance = std::fabs(signed_distance(e, got));
  if (!std::isfinite(distance)) return Decision::unknown;
  const double error = e.error * (1 + 0x1p-48) + kSmallest;
  if (distance * (1 + 0x1p-48) + error <= allowance * (1 - 0x1p-48)) return Decision::yes;
  if (distance * (1 - 0x1p-48) - error > allowance * (1 + 0x1p-48)) return Decision::no;
  return Decision::unknown;
}

}  // namespace normcheck
