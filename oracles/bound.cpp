// The allowance: how errors of mean and variance, and the roundings of a finish, reach y.
//
// Throughout: E bounds |mean^ - mu|, B the error of var^ and of eps's rounding, w = var+eps, r = 1/sqrt(w),
// X = (x-mu) r, u and eta of the working format. Every product that can underflow carries eta/2.
#include "oracles/bound.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "oracles/ulp.h"

namespace normcheck {
namespace {

/// 0 times anything is 0: an error that multiplies nothing.
Upward times(double factor, Upward error) { return factor == 0 ? Upward(0.0) : Upward(factor) * error; }

DType accumulate_of(const Contract& contract, DType storage) {
  if (contract.kind == ContractKind::stable) return stable_accumulate(storage);
  if (contract.row == nullptr) throw std::invalid_argument("contract own without an implementation");
  return contract.row->accumulate;
}

}  // namespace

RowAllowance::RowAllowance(const Contract& contract, DType storage, const RowFacts& facts, double eps)
    : format_(working(accumulate_of(contract, storage))),
      accumulate_(accumulate_of(contract, storage)),
      storage_(storage),
      constant_(facts.constant),
      eps_rounded_(to_double(accumulate_, round_to(accumulate_, eps))),
      mean_abs_(facts.mean_abs) {
  const Upward w = Upward(facts.variance) + Upward(eps);
  in_range_ = (w * Upward(4.0)).value() <= format_.omega;
  w_lo_ = facts.variance_lo == 0 ? eps : step_down(facts.variance_lo + eps);
  rstd_exact_ = divide(Upward(1.0), sqrt_lo(w_lo_)).value();
  any_association_ = contract.kind == ContractKind::stable;
  if (contract.kind == ContractKind::own) {
    direct_ = contract.row->finish == Finish::direct;
    folded_ = contract.row->finish == Finish::folded;
    half_folded_ = contract.row->finish == Finish::half_folded;
    add_form(contract.row->moments(facts, format_), facts, eps, false);
  } else {
    for (const MomentBoundFunction form : careful_forms()) add_form(form(facts, format_), facts, eps, true);
  }
  Upward mean = 0.0, variance = 0.0, rstd = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    mean = max(mean, forms_[static_cast<std::size_t>(i)].mean);
    variance = max(variance, forms_[static_cast<std::size_t>(i)].variance);
    rstd = max(rstd, forms_[static_cast<std::size_t>(i)].rstd);
  }
  const DType output = is_half(storage) ? DType::f32 : storage;
  mean_step_ = mean.value();
  variance_step_ = variance.value();
  rstd_step_ = rstd.value();
  mean_ = narrow(mean, mean_abs_, output).value();
  rstd_ = narrow(rstd, rstd_exact_, output).value();
}

/// rstd: with t = B/w < 1, w^ = fl(var^ + eps^) lies in w(1 +- t)(1 +- u), and 1/sqrt in two roundings gives
///   1 + rho = (1+u) / ((1-u) sqrt(1-t) sqrt(1-u)),
/// a reciprocal root good to 2 ulp, 4u relative, 1 + rho = (1+4u) / (sqrt(1-t) sqrt(1-u)). Whatever t, where
/// var^ >= 0 the rounding of var^ + eps^ is monotone, so rstd^ <= (1+4u)/sqrt(eps^).
void RowAllowance::add_form(const MomentBound& moments, const RowFacts& facts, double eps,
                            bool approximate_root) {
  const Upward one = 1.0, u = format_.u;
  const Upward root_error = approximate_root ? Upward(4.0) * u : divide(Upward(2.0) * u, one_minus_lo(u));
  const Upward root = one + root_error;
  const double eps_gap = std::fabs(eps_rounded_ - eps);
  const Upward eps_error = eps_gap == 0 ? 0.0 : std::nextafter(eps_gap, Upward::infinity());
  in_range_ = in_range_ && moments.in_range && std::isfinite(eps_rounded_);
  nonnegative_ = nonnegative_ && moments.variance_nonnegative;
  mean_exact_ = mean_exact_ && moments.mean_exact;

  Form form;
  form.mean = moments.mean;
  form.variance = moments.variance;
  const bool capped = moments.variance_nonnegative && eps_rounded_ > 0;
  const Upward cap = capped ? divide(root, sqrt_lo(eps_rounded_)) : Upward(Upward::infinity());
  const Upward t = divide(moments.variance + eps_error, w_lo_);
  if (t.value() < 1) {
    // 1/s - 1 = (1-s^2)/(s(1+s)), so that no bound near u is lost beside 1; s^2 = (1-t)(1-u).
    const double s = multiply_lo(sqrt_lo(one_minus_lo(t)), sqrt_lo(one_minus_lo(u)));
    const Upward of_sum = divide(t + u, multiply_lo(s, step_down(1 + s)));
    const Upward rho = root_error + of_sum + root_error * of_sum;
    form.rstd = rho * Upward(rstd_exact_);
    form.rstd_abs = min((one + rho) * Upward(rstd_exact_), cap);
  } else {
    void_ = void_ || !(constant_ && capped);
    form.rstd = constant_ && capped ? max(cap, Upward(rstd_exact_)) : Upward(Upward::infinity());
    form.rstd_abs = constant_ ? cap : Upward(Upward::infinity());
  }
  // A constant row by the direct finish, var^ the mean of squares about the mean that the finish subtracts:
  // var^ >= (x-m)^2 (1-g) - eta(1+g), g = gamma_{n+5}, and eps^ >= eta, so |x-m| rstd^ <= root *
  // sqrt((1/(1-u) + g)/(1-g)), whatever the error of the mean.
  form.x_hat_cap = Upward::infinity();
  if (constant_ && moments.mean_of_squares && capped) {
    const Upward g = gamma(static_cast<double>(facts.n) + 5, format_.u);
    const Upward ratio = divide(divide(one, one_minus_lo(u)) + g, one_minus_lo(g));
    form.x_hat_cap = root * sqrt(ratio) * (one + u) * (one + u) + Upward(format_.eta / 2);
  }
  fill_coefficients(form);
  forms_.at(static_cast<std::size_t>(form_count_++)) = form;
}

// With R = rstd^: direct |x-mu|(|r^-r| + g2 R) + E R (1+g2) + eta/2; half folded, inside its last rounding,
// |x-mu||r^-r| + u R|x| + R(E + u|m|) + eta; folded |x-mu|(|r^-r| + uR) and E + u|m|, times gamma.
void RowAllowance::fill_coefficients(Form& form) const {
  const Upward u = format_.u, one = 1.0, g2 = gamma(2, format_.u), r = form.rstd_abs;
  const Upward m = Upward(mean_abs_) + form.mean;
  form.direct_per_deviation = form.rstd + g2 * r;
  form.direct_constant = (one + g2) * form.mean * r + Upward(format_.eta / 2);
  form.half_per_deviation = (one + u) * form.rstd;
  form.half_per_x = (one + u) * u * r;
  form.half_constant = (one + u) * (r * (form.mean + u * m) + Upward(format_.eta));
  form.folded_per_deviation = form.rstd + u * r;
  form.folded_mean = form.mean + u * m;
}

/// x_hat = fl(fl(x-m) r^): |x-mu||r^-r| + E r^ + gamma_2 (|x-mu|+E) r^ + eta/2; nothing where x = m for sure.
Upward RowAllowance::direct_x_hat(const Form& form, const ElementFacts& e) const {
  if (e.deviation == 0 && form.mean.value() == 0) return 0.0;
  return min(times(e.deviation, form.direct_per_deviation) + form.direct_constant, form.x_hat_cap);
}

/// x_hat = fl(fl(x r^) - fl(m r^)): u|X| + (1+u){ |x-mu||r^-r| + E r^ + u r^(|x| + |m|) + eta }.
Upward RowAllowance::half_folded_x_hat(const Form& form, const ElementFacts& e) const {
  return Upward(format_.u) * Upward(e.x_hat_abs) + times(e.deviation, form.half_per_deviation) +
         form.half_per_x * Upward(e.x_abs) + form.half_constant;
}

/// y = fl(fl(gamma x_hat^) + beta): u|y| + (1+u)( u|gamma X| + (1+u)|gamma| B_X + eta/2 ). Multiplying by
/// +-1 and adding 0 are exact, and so is everything where x_hat^ = X = 0. An fma only drops a rounding.
Upward RowAllowance::scale_shift(Upward x_hat_error, const ElementFacts& e) const {
  const Upward u = format_.u, one = 1.0;
  if (x_hat_error.value() == 0 && e.x_hat_abs == 0) return 0.0;
  Upward product = x_hat_error;
  if (e.gamma_abs != 1) {
    product = u * Upward(e.gamma_abs) * Upward(e.x_hat_abs) + (one + u) * Upward(e.gamma_abs) * x_hat_error +
              Upward(format_.eta / 2);
  }
  return e.beta_abs == 0 ? product : u * Upward(e.y_abs) + (one + u) * product;
}

/// a = fl(gamma r^), b = fl(beta - fl(a m)), y = fl(fl(x a) + b). Exactly, x a + beta - a m differs from y by
/// at most |x-mu||a-gamma r| + a E; then a m, x a, b and the last sum round:
///   u|y| + (1+u){ |x-mu||a-gamma r| + a E + u a|m| + u a|x| + eta + u(|beta| + (1+u) a|m| + eta/2) }.
Upward RowAllowance::folded(const Form& form, const ElementFacts& e) const {
  const Upward u = format_.u, one = 1.0, half_eta = format_.eta / 2;
  const Upward ga = e.gamma_abs;
  Upward a = form.rstd_abs, per_deviation = form.rstd;
  if (e.gamma_abs != 1) {
    a = (one + u) * ga * form.rstd_abs + half_eta;
    per_deviation = ga * form.folded_per_deviation + half_eta;
  }
  Upward inner =
      times(e.deviation, per_deviation) + a * (form.folded_mean + u * Upward(e.x_abs)) + Upward(format_.eta);
  if (e.beta_abs != 0) {
    const Upward am = a * (Upward(mean_abs_) + form.mean);
    inner += u * (Upward(e.beta_abs) + (one + u) * am + half_eta);
  }
  return u * Upward(e.y_abs) + (one + u) * inner;
}

/// What (x-m) gamma r^ and (x-m)(gamma r^) can lose beyond ((x-m) r^) gamma: as many roundings, but the first
/// product underflows by eta/2 before it meets r^ or x-m.
Upward RowAllowance::association(const Form& form, const ElementFacts& e) const {
  return Upward(2.0) * Upward(format_.eta / 2) * (form.rstd_abs + Upward(e.deviation) + form.mean);
}

/// Whether no intermediate of the allowed finishes can overflow on this element, the last sum apart (where
/// y itself may overflow both outcomes are right, and the judge sees to it).
bool RowAllowance::finish_in_range(const Form& form, const ElementFacts& e, Upward x_hat_error) const {
  const Upward limit = format_.omega, two = 2.0;
  const Upward ga = e.gamma_abs, m = Upward(mean_abs_) + form.mean;
  const Upward x_hat = Upward(e.x_hat_abs) + x_hat_error;
  Upward largest = max(x_hat, ga * x_hat);
  if (any_association_) largest = max(largest, ga * (Upward(e.deviation) + form.mean));
  if (folded_ || half_folded_) {
    const Upward a = folded_ ? max(ga, Upward(half_folded_ ? 1.0 : 0.0)) * form.rstd_abs : form.rstd_abs;
    largest = max(largest, max(a, a * (Upward(e.x_abs) + m) + (folded_ ? Upward(e.beta_abs) : Upward(0.0))));
  }
  return (two * largest).value() <= limit.value();
}

Upward RowAllowance::narrow(Upward error, Upward magnitude, DType output) const {
  if (format_of(accumulate_).precision <= format_of(output).precision) return error;
  return error + Upward(unit_roundoff(output)) * (magnitude + error) + Upward(smallest_subnormal(output) / 2);
}

ElementAllowance RowAllowance::y(const ElementFacts& e) const {
  ElementAllowance out{0, true};
  Upward error = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    const Form& form = forms_[static_cast<std::size_t>(i)];
    Upward x_hat_error = 0.0;
    if (direct_) {
      x_hat_error = direct_x_hat(form, e);
      Upward direct = scale_shift(x_hat_error, e);
      if (any_association_ && e.gamma_abs != 1 && direct.value() > 0) direct += association(form, e);
      error = max(error, direct);
    }
    if (half_folded_) {
      const Upward half = half_folded_x_hat(form, e);
      error = max(error, scale_shift(half, e));
      x_hat_error = max(x_hat_error, half);
    }
    if (folded_) error = max(error, folded(form, e));
    out.in_range = out.in_range && finish_in_range(form, e, x_hat_error);
  }
  out.y = narrow(error, e.y_abs, storage_).value();
  return out;
}

double RowAllowance::x_hat(const ElementFacts& e) const {
  Upward error = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    if (direct_) error = max(error, direct_x_hat(forms_[static_cast<std::size_t>(i)], e));
    if (half_folded_) error = max(error, half_folded_x_hat(forms_[static_cast<std::size_t>(i)], e));
  }
  return error.value();
}

double RowAllowance::centre(double deviation) const {
  const Upward mean = mean_step_;
  return (mean + Upward(format_.u) * (Upward(deviation) + mean)).value();
}

/// Of any rstd^ whose var^ is >= 0: eps alone bounds it.
double RowAllowance::void_rstd() const {
  return divide(Upward(1.0) + Upward(8.0) * Upward(format_.u), sqrt_lo(eps_rounded_)).value();
}

double RowAllowance::void_magnitude(const ElementFacts& e) const {
  if (!(eps_rounded_ > 0)) return Upward::infinity();
  const Upward spread = Upward(e.deviation) + Upward(mean_step_);
  return (Upward(e.gamma_abs) * spread * Upward(void_rstd()) * Upward(2.0) + Upward(e.beta_abs)).value();
}

double RowAllowance::void_intermediate(const ElementFacts& e) const {
  if (!(eps_rounded_ > 0)) return Upward::infinity();
  const Upward mean = Upward(mean_abs_) + Upward(mean_step_), two = 2.0;
  Upward largest = two * Upward(void_rstd()) * (Upward(e.deviation) + Upward(mean_step_));
  if (any_association_) {
    largest = max(largest, two * Upward(e.gamma_abs) * (Upward(e.deviation) + Upward(mean_step_)));
  }
  if (half_folded_) largest = max(largest, two * Upward(void_rstd()) * (Upward(e.x_abs) + mean));
  if (folded_) {
    const Upward a = Upward(e.gamma_abs) * Upward(void_rstd());
    largest = max(largest, two * max(a, a * (Upward(e.x_abs) + mean) + Upward(e.beta_abs)));
  }
  return largest.value();
}

}  // namespace normcheck
