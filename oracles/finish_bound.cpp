// From the bounds of a row's moments to the allowance of one element, for each finish: one formula, in
// bounds that round up at each operation, or, ten times as fast, in plain doubles.
//
// Notation and the row's coefficients are those of bound.cpp. N is Upward or double.
//
// Why plain doubles will do: every formula here is made of sums and products of nonnegative numbers alone,
// fewer than 32 of them one after the other. Rounding to nearest loses at most 2^-53 of each, and Upward
// gains at most 2^-53 + 2^-52 + 2^-105, so that without underflow the result in doubles times
//   (1 + 2^-51.4)^32 / (1 - 2^-53)^32 < 1 + 2^-45
// is not below the result in Upward, which is a bound. An operation that underflows is off by at most 2^-1074
// more, and meets at most two factors after that which are not near 1 or below it. Where these are at most
// 2^202, 32 such losses come to less than 2^-660, which is less than 2^-200 of a result of at least 2^-400.
// Both have the same zeros, and so take the same branches: they compare what they are given, and an error of
// x_hat, which is 0 only where each of its terms is (no product of two nonzero terms of it underflows, as
// `moderate` and `plain_fits` see to).
#include <algorithm>
#include <type_traits>

#include "oracles/bound.h"

namespace normcheck {
namespace {

constexpr double inflation = 1 + 0x1p-44;
constexpr double largest_plain = 0x1p+200;
constexpr double smallest_plain = 0x1p-400;  // of a result

bool is_zero(Upward v) { return v.value() == 0; }
bool is_zero(double v) { return v == 0; }
double max(double a, double b) { return a < b ? b : a; }
double min(double a, double b) { return a < b ? a : b; }

template <class N>
N as(Upward v) {
  return v.value();
}

/// 0 times anything is 0: an error that multiplies nothing.
template <class N>
N times(double factor, N error) {
  return factor == 0 ? N(0.0) : N(factor) * error;
}

/// Whether the element's facts are of a size for plain doubles; false if one is NaN.
bool plain_fits(const ElementFacts& e) {
  const double sum = e.x_abs + e.deviation + e.x_hat_abs + e.gamma_abs + e.beta_abs + e.y_abs;
  return sum <= largest_plain && (e.deviation == 0 || e.deviation >= 1 / largest_plain);
}

}  // namespace

// In plain doubles at least 2^-1000, which is nothing beside a result of 2^-400: an operation on a subnormal
// number costs a hundred times what another does.
template <class N>
N RowAllowance::eta() const {
  return std::is_same_v<N, double> ? plain_eta_ : format_.eta;
}
template <class N>
N RowAllowance::eta_half() const {
  return std::is_same_v<N, double> ? plain_half_eta_ : half_eta_;
}

/// Whether the row's coefficients are of a size for plain doubles.
bool RowAllowance::moderate(const Form& f) const {
  const Upward sum = Upward(mean_abs_) + f.mean + f.rstd + f.rstd_abs + f.direct_per_deviation +
                     f.direct_constant + f.half_per_deviation + f.half_per_x + f.half_constant +
                     f.folded_per_deviation + f.folded_mean;
  return sum.value() <= largest_plain && f.direct_per_deviation.value() >= 1 / largest_plain;
}

/// x_hat = fl(centre^ r^), as bound.cpp has it, then perhaps rounded to the storage type; nothing where x = m
/// for sure.
template <class N>
N RowAllowance::direct_x_hat(const Form& form, const ElementFacts& e) const {
  if (e.deviation == 0 && form.centre.absolute.value() == 0) return 0.0;
  const N error = min(times(e.deviation, as<N>(form.direct_per_deviation)) + as<N>(form.direct_constant),
                      as<N>(form.x_hat_cap));
  return of_x_hat_(error, N(e.x_hat_abs));
}

/// x_hat = fl(fl(x r^) - fl(m r^)): u|X| + (1+u){ |x-mu||r^-r| + E r^ + u r^(|x| + |m|) + eta }. Here, in b
/// of the folded finish and in y itself a difference or a sum can be flushed, and so can what reads it.
template <class N>
N RowAllowance::half_folded_x_hat(const Form& form, const ElementFacts& e) const {
  return format_.term(BoundTerm::half_subtraction, N(format_.u)) * N(e.x_hat_abs) +
         times(e.deviation, as<N>(form.half_per_deviation)) + as<N>(form.half_per_x) * N(e.x_abs) +
         as<N>(form.half_constant) + N(2 * flush_);
}

/// y = fl(fl(gamma x_hat^) + beta): u|y| + (1+u)( u|gamma X| + (1+u)|gamma| B_X + eta/2 ). Multiplying by
/// +-1 and adding 0 are exact, and so is everything where x_hat^ = X = 0. An fma only drops a rounding.
template <class N>
N RowAllowance::scale_shift(N x_hat_error, const ElementFacts& e) const {
  const N u = format_.u, one = 1.0;
  if (is_zero(x_hat_error) && e.x_hat_abs == 0) return 0.0;
  N product = x_hat_error;
  if (e.gamma_abs != 1) {
    product = format_.term(BoundTerm::scale_product, u) * N(e.gamma_abs) * N(e.x_hat_abs) +
              (one + u) * N(e.gamma_abs) * x_hat_error +
              format_.term(BoundTerm::scale_underflow, eta_half<N>());
  }
  if (e.beta_abs == 0) return product;
  return format_.term(BoundTerm::shift_addition, u) * N(e.y_abs) + (one + u) * product;
}

/// a = fl(gamma r^), b = fl(beta - fl(a m)), y = fl(fl(x a) + b). Exactly, x a + beta - a m differs from y by
/// at most |x-mu||a-gamma r| + a E; then a m, x a, b and the last sum round:
///   u|y| + (1+u){ |x-mu||a-gamma r| + a E + u a|m| + u a|x| + eta + u(|beta| + (1+u) a|m| + eta/2) }.
template <class N>
N RowAllowance::folded(const Form& form, const ElementFacts& e) const {
  const N u = format_.u, one = 1.0, ga = e.gamma_abs;
  const N half_eta = format_.term(BoundTerm::folded_scale_underflow, eta_half<N>());
  N a = as<N>(form.rstd_abs), per_deviation = as<N>(form.rstd);
  if (e.gamma_abs != 1) {
    a = (one + u) * ga * as<N>(form.rstd_abs) + half_eta;
    per_deviation = ga * as<N>(form.folded_per_deviation) + half_eta;
  }
  const N of_product = format_.term(BoundTerm::folded_product, u) * N(e.x_abs);
  N inner = times(e.deviation, per_deviation) + a * (as<N>(form.folded_mean) + of_product) +
            format_.term(BoundTerm::folded_underflow, eta<N>()) + N(2 * flush_);
  if (e.beta_abs != 0) {
    const N am = a * (N(mean_abs_) + as<N>(form.mean));
    inner += format_.term(BoundTerm::folded_shift, u) * (N(e.beta_abs) + (one + u) * am + half_eta);
  }
  return format_.term(BoundTerm::folded_addition, u) * N(e.y_abs) + (one + u) * inner;
}

/// What (x-m) gamma r^ and (x-m)(gamma r^) can lose beyond ((x-m) r^) gamma: as many roundings, but the first
/// product underflows by eta/2 before it meets r^ or x-m.
template <class N>
N RowAllowance::association(const Form& form, const ElementFacts& e) const {
  return N(2.0) * eta_half<N>() * (as<N>(form.rstd_abs) + N(e.deviation) + as<N>(form.mean));
}

template <class N>
N RowAllowance::error_of_y(const ElementFacts& e) const {
  N error = 0.0;
  for (int i = 0; i < form_count_; ++i) {
    const Form& form = forms_[static_cast<std::size_t>(i)];
    if (direct_) {
      N direct = scale_shift(direct_x_hat<N>(form, e), e);
      if (any_association_ && e.gamma_abs != 1 && !is_zero(direct)) direct += association<N>(form, e);
      error = max(error, direct);
    }
    if (half_folded_) error = max(error, scale_shift(half_folded_x_hat<N>(form, e), e));
    if (folded_) error = max(error, folded<N>(form, e));
  }
  return of_y_(error + N(2 * flush_), N(e.y_abs));
}

double RowAllowance::y_error_rounded_up(const ElementFacts& e) const { return error_of_y<Upward>(e).value(); }

double RowAllowance::y_error(const ElementFacts& e) const {
  if (moderate_ && plain_fits(e)) {
    const double error = error_of_y<double>(e);
    if (error >= smallest_plain) return error * inflation;
  }
  return y_error_rounded_up(e);
}

/// Of the finishes that have an x_hat.
Upward RowAllowance::x_hat_error(const Form& form, const ElementFacts& e) const {
  Upward error = 0.0;
  if (direct_) error = max(error, direct_x_hat<Upward>(form, e));
  if (half_folded_) error = max(error, half_folded_x_hat<Upward>(form, e));
  return error;
}

double RowAllowance::x_hat(const ElementFacts& e) const {
  Upward error = 0.0;
  for (int i = 0; i < form_count_; ++i)
    error = max(error, x_hat_error(forms_[static_cast<std::size_t>(i)], e));
  return error.value();
}

/// Whether no intermediate of the allowed finishes can overflow on this element, the last sum apart (where
/// y itself may overflow both outcomes are right, and the judge sees to it).
bool RowAllowance::finish_in_range(const Form& form, const ElementFacts& e) const {
  const Upward limit = format_.omega, two = 2.0;
  const Upward ga = e.gamma_abs, m = Upward(mean_abs_) + form.mean;
  const Upward x_hat = Upward(e.x_hat_abs) + x_hat_error(form, e);
  Upward largest = max(x_hat, ga * x_hat);
  if (any_association_) largest = max(largest, ga * (Upward(e.deviation) + form.mean));
  if (folded_ || half_folded_) {
    const Upward a = folded_ ? max(ga, Upward(half_folded_ ? 1.0 : 0.0)) * form.rstd_abs : form.rstd_abs;
    largest = max(largest, max(a, a * (Upward(e.x_abs) + m) + (folded_ ? Upward(e.beta_abs) : Upward(0.0))));
  }
  return (two * largest).value() <= limit.value();
}

ElementAllowance RowAllowance::y(const ElementFacts& e) const {
  const auto fits = [&](const Form& form) { return finish_in_range(form, e); };
  return {y_error(e), std::all_of(forms_.begin(), forms_.begin() + form_count_, fits)};
}

// What overflow depends on grows with each of the facts: if an element that has the largest of each is in
// range, so are all.
bool RowAllowance::in_range(double gamma_abs, double beta_abs) const {
  ElementFacts e;
  e.x_abs = max_abs_;
  e.deviation = max_dev_;
  e.x_hat_abs = (Upward(max_dev_) * Upward(rstd_exact_)).value();
  e.gamma_abs = gamma_abs;
  e.beta_abs = beta_abs;
  const auto fits = [&](const Form& form) { return finish_in_range(form, e); };
  return std::all_of(forms_.begin(), forms_.begin() + form_count_, fits);
}

}  // namespace normcheck
