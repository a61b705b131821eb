// The allowance: how errors of mean and variance, and the roundings of a finish, reach y.
//
// Throughout: E bounds |mean^ - mu|, B the error of var^ and of eps's rounding, w = var+eps, r = 1/sqrt(w),
// X = (x-mu) r, u and eta of the working format. Every product that can underflow carries eta/2.
#include "oracles/bound.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "oracles/flush.h"
#include "oracles/root_bound.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

DType accumulate_of(const Contract& contract, DType storage) {
  if (contract.kind == ContractKind::stable) return stable_accumulate(storage);
  if (contract.kind == ContractKind::claims)
    return contract.claims->accumulate.value_or(stable_accumulate(storage));
  if (contract.row == nullptr) throw std::invalid_argument("contract own without an implementation");
  return contract.row->accumulate;
}

/// What the contract says of root, eps and x_hat: `stable` leaves the root open.
Variant variant_of(const Contract& contract) {
  if (contract.kind == ContractKind::own) return contract.row->variant;
  Variant out;
  if (contract.kind == ContractKind::claims) {
    out.eps_f64 = contract.claims->eps == Claims::Eps::f64;
    out.x_hat_storage = contract.claims->x_hat_storage;
  }
  return out;
}

Working format_under(const Contract& contract, DType storage, BoundTerm halved) {
  const Working format = working(accumulate_of(contract, storage), halved);
  return contract.flush() ? flushing(format) : format;
}

/// eps as the form that the contract describes adds it; 0 where it may be flushed.
double eps_as_added(const Contract& contract, DType accumulate, double eps) {
  if (contract.flush() && eps < smallest_normal(working(accumulate))) return 0;
  if (variant_of(contract).eps_f64) return eps;
  const bool twice = contract.kind == ContractKind::claims && contract.claims->eps == Claims::Eps::f32;
  if (twice) eps = to_double(DType::f32, round_to(DType::f32, eps));
  return to_double(accumulate, round_to(accumulate, eps));
}

}  // namespace

RowAllowance::RowAllowance(const Contract& contract, DType storage, const RowFacts& facts, double eps,
                           BoundTerm halved)
    : format_(format_under(contract, storage, halved)),
      half_eta_(format_.eta / 2),
      plain_eta_(std::max(format_.eta, 0x1p-1000)),
      plain_half_eta_(std::max(half_eta_, 0x1p-1000)),
      accumulate_(accumulate_of(contract, storage)),
      variant_(variant_of(contract)),
      of_y_(narrowing(format_, storage)),
      of_x_hat_(variant_.x_hat_storage ? narrowing(format_, storage) : Narrowing{}),
      constant_(facts.constant),
      eps_rounded_(eps_as_added(contract, accumulate_, eps)),
      mean_abs_(facts.mean_abs),
      max_abs_(facts.max_abs),
      max_dev_(facts.max_dev),
      flush_(contract.flush() ? smallest_normal(working(accumulate_)) : 0) {
  // x_hat is stored, and read again.
  if (flush_ > 0 && of_x_hat_.u > 0) of_x_hat_.half_eta = 2 * smallest_normal(working(storage));
  const Upward w = Upward(facts.variance) + Upward(eps);
  in_range_ = (w * Upward(4.0)).value() <= format_.omega;
  w_lo_ = facts.variance_lo == 0 ? eps : step_down(facts.variance_lo + eps);
  rstd_exact_ = divide(Upward(1.0), sqrt_lo(w_lo_)).value();
  // A compiler that may reassociate, and use reciprocals, makes of a careful form some careful form, and
  // drops what compensates for rounding; of others it makes one with one rounding more here and there.
  const bool own = contract.kind == ContractKind::own, fast = variant_.build == Build::fast;
  any_association_ = !own || fast;
  root_error_ = careful_root_error(format_, variant_.eps_f64);
  const Claims* claims = contract.kind == ContractKind::claims ? contract.claims.get() : nullptr;
  if (claims != nullptr) {
    direct_ = claims->direct;
    folded_ = claims->folded;
    half_folded_ = claims->half_folded;
    if (claims->rsqrt_ulp) root_error_ = careful_root_error(format_, variant_.eps_f64, *claims->rsqrt_ulp);
  }
  if (own) {
    // -ffast-math may distribute (x-mean)*rstd too, or factor it out.
    direct_ = fast || variant_.finish == Finish::direct;
    folded_ = fast || variant_.finish == Finish::folded;
    half_folded_ = fast || variant_.finish == Finish::half_folded;
    root_error_ = any_association_ ? root_error_ : root_error(variant_, format_);
    if (!(fast && is_right(*contract.row))) add_form(contract.row->moments(facts, format_), facts, eps);
  }
  if (claims != nullptr && !claims->moments.empty()) {
    for (const MomentBoundFunction form : claims->moments) add_form(form(facts, format_), facts, eps);
  } else if (!own || (fast && is_right(*contract.row))) {
    for (const MomentBoundFunction form : careful_forms()) add_form(form(facts, format_), facts, eps);
  }
  Upward mean = 0.0, variance = 0.0, rstd = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    mean = max(mean, forms_[static_cast<std::size_t>(i)].mean);
    variance = max(variance, forms_[static_cast<std::size_t>(i)].variance);
    rstd = max(rstd, forms_[static_cast<std::size_t>(i)].rstd);
  }
  const Narrowing output = narrowing(format_, statistics_dtype(contract, storage));
  mean_step_ = mean.value();
  variance_step_ = variance.value();
  rstd_step_ = rstd.value();
  mean_ = output(mean, Upward(mean_abs_)).value();
  rstd_ = output(rstd, Upward(rstd_exact_)).value();
}

/// rstd: with t = B/w < 1, w^ = fl(var^ + eps^) lies in w(1 +- t)(1 +- u), and 1/sqrt in two roundings gives
///   1 + rho = (1+u) / ((1-u) sqrt(1-t) sqrt(1-u)),
/// a reciprocal root good to 2 ulp, 4u relative, 1 + rho = (1+4u) / (sqrt(1-t) sqrt(1-u)). Whatever t, where
/// var^ >= 0 the rounding of var^ + eps^ is monotone, so rstd^ <= (1+4u)/sqrt(eps^).
void RowAllowance::add_form(const MomentBound& proven, const RowFacts& facts, double eps) {
  const MomentBound moments = flush_ > 0 ? flushed(proven, facts, format_, flush_) : proven;
  const Upward one = 1.0, u = format_.u;
  const Upward root = one + root_error_;
  root_growth_ = max(root_growth_, root * (one + u));
  // Of the sum var + eps; eps_f64 takes it, and the root, in double, to which it rounds a wider var^.
  const Upward of_w = format_.term(BoundTerm::root_of_sum, variant_.eps_f64 ? Upward(0x1p-53) : u);
  const Narrowing of_var = variant_.eps_f64 ? narrowing(format_, DType::f64) : Narrowing{};
  const double eps_gap = std::fabs(eps_rounded_ - eps);
  // Flushed, the sum can be too.
  const Upward eps_error =
      (eps_gap == 0 ? Upward(0.0) : Upward(std::nextafter(eps_gap, Upward::infinity()))) +
      Upward(2.0) * Upward(flush_);
  in_range_ = in_range_ && moments.in_range && std::isfinite(eps_rounded_);
  nonnegative_ = nonnegative_ && moments.variance_nonnegative;
  mean_exact_ = mean_exact_ && moments.mean_exact;

  Form form;
  form.mean = moments.mean;
  form.variance = of_var(moments.variance, Upward(facts.variance));
  form.centre =
      moments.centre && variant_.build != Build::fast
          ? *moments.centre
          : MomentBound::Centre{format_.term(BoundTerm::centre_rounding, u),
                                format_.term(BoundTerm::centre_mean_error, (one + u) * moments.mean)};
  form.centre.absolute += Upward(4.0) * Upward(flush_);
  const bool capped = moments.variance_nonnegative && eps_rounded_ > 0;
  const Upward cap = capped ? divide(root, sqrt_lo(eps_rounded_)) : Upward(Upward::infinity());
  const Upward t = divide(format_.term(BoundTerm::root_of_variance, form.variance) +
                              format_.term(BoundTerm::root_of_eps, eps_error),
                          w_lo_);
  if (t.value() < 1) {
    // 1/s - 1 = (1-s^2)/(s(1+s)), so that no bound near u is lost beside 1; s^2 = (1-t)(1-u).
    const double s = multiply_lo(sqrt_lo(one_minus_lo(t)), sqrt_lo(one_minus_lo(of_w)));
    const Upward of_sum = divide(t + of_w, multiply_lo(s, step_down(1 + s)));
    const Upward rho = root_error_ + of_sum + root_error_ * of_sum;
    form.rstd = rho * Upward(rstd_exact_);
    form.rstd_abs = min((one + rho) * Upward(rstd_exact_), cap);
  } else {
    void_ = void_ || !(constant_ && capped);
    form.rstd = constant_ && capped ? max(cap, Upward(rstd_exact_)) : Upward(Upward::infinity());
    form.rstd_abs = constant_ ? cap : Upward(Upward::infinity());
  }
  // Rounded from double, rstd^ can overflow.
  if (variant_.eps_f64) in_range_ = in_range_ && (capped ? cap : form.rstd_abs).value() <= format_.omega;
  // A constant row by the direct finish, var^ the mean of squares about the mean that the finish subtracts:
  // var^ >= (x-m)^2 (1-g) - eta(1+g), g = gamma_{n+5}, and eps^ >= eta, so |x-m| rstd^ <= root *
  // sqrt((1/(1-u) + g)/(1-g)), whatever the error of the mean. (An eps in double can be below eta: no such
  // cap.) Flushed, var^ has lost at most 2N of each square and 3N of each sum, on the average over n, and N
  // by the division: less than 8N(1+g) <= eps^ + eta.
  form.x_hat_cap = Upward::infinity();
  if (constant_ && moments.mean_of_squares && capped && of_var.u == 0 &&
      eps_rounded_ >= std::max(16 * flush_, smallest_subnormal(accumulate_))) {
    const Upward g = gamma(static_cast<double>(facts.n) + 5, format_.u);
    const Upward ratio = divide(divide(one, one_minus_lo(u)) + g, one_minus_lo(g));
    form.x_hat_cap = root * sqrt(ratio) * (one + u) * (one + u) + Upward(format_.eta / 2);
  }
  fill_coefficients(form);
  moderate_ = moderate_ && moderate(form);
  forms_.at(static_cast<std::size_t>(form_count_++)) = form;
}

// With R = rstd^ and |centre^ - (x-mu)| <= c1 |x-mu| + c0, which is u |x-mu| + (1+u) E unless the algorithm
// says better: direct |x-mu|(|r^-r| + R(c1 + u(1+c1))) + (1+u) c0 R + eta/2; half folded, inside its last
// rounding, |x-mu||r^-r| + u R|x| + R(E + u|m|) + eta; folded |x-mu|(|r^-r| + uR) and E + u|m|, times gamma.
void RowAllowance::fill_coefficients(Form& form) const {
  const Upward u = format_.u, one = 1.0, r = form.rstd_abs;
  const Upward m = Upward(mean_abs_) + form.mean;
  const Upward c1 = form.centre.relative, c0 = form.centre.absolute;
  const auto term = [&](BoundTerm id, Upward value) { return format_.term(id, value); };
  using enum BoundTerm;
  form.direct_per_deviation = form.rstd + (c1 + term(x_hat_product, u * (one + c1))) * r;
  form.direct_constant = (one + u) * c0 * r + term(x_hat_underflow, format_.eta / 2);
  form.half_per_deviation = (one + u) * form.rstd;
  form.half_per_x = term(half_product, (one + u) * u * r);
  form.half_constant = (one + u) * (r * (term(half_mean_error, form.mean) + term(half_mean_product, u * m)) +
                                    term(half_underflow, format_.eta));
  form.folded_per_deviation = form.rstd + term(folded_scale, u * r);
  form.folded_mean = term(folded_mean_error, form.mean) + term(folded_mean_product, u * m);
}

double RowAllowance::centre(double deviation) const {
  Upward out = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    const MomentBound::Centre& c = forms_[static_cast<std::size_t>(i)].centre;
    out = max(out, c.relative * Upward(deviation) + c.absolute);
  }
  return out.value();
}

/// Of any rstd^ whose var^ is >= 0: eps alone bounds it.
double RowAllowance::void_rstd() const {
  return divide(max(root_growth_, Upward(1.0) + Upward(8.0) * Upward(format_.u)), sqrt_lo(eps_rounded_))
      .value();
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
