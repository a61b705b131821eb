// From the bound of mean and variance to the allowance of rstd, x_hat and y, for each finish.
#pragma once

#include <array>
#include <cstdint>

#include "corpus/row_facts.h"
#include "impl/algorithms/moment_bound.h"
#include "impl/arithmetic/upward.h"
#include "impl/table.h"
#include "oracles/contract.h"
#include "oracles/element.h"
#include "oracles/narrowing.h"

namespace normcheck {

/// The allowance of everything on one row under a contract: the largest over the forms it allows.
class RowAllowance {
 public:
  /// `halved`: by a test alone, one term to be halved.
  RowAllowance(const Contract& contract, DType storage, const RowFacts& facts, double eps,
               BoundTerm halved = BoundTerm::none);

  /// Statistics, counts and eps are in the safe range of every form: where false nothing is judged.
  bool in_range() const { return in_range_; }
  /// y has no bound on this row: the error of the variance reaches var+eps.
  bool voided() const { return void_; }
  /// Even where void, NaN is wrong: var^ >= 0 in every form, and eps as rounded is > 0.
  bool class_demanded() const { return nonnegative_ && eps_rounded_ > 0; }
  /// Every form has the exact mean here.
  bool mean_exact() const { return mean_exact_; }
  /// Where no bound holds and eps as rounded is > 0: an upper bound of any rstd^ whose var^ is >= 0.
  double void_rstd() const;
  /// Where only the class is judged, an infinity is right if this reaches the overflow threshold.
  double void_magnitude(const ElementFacts& e) const;
  /// There, the largest number met on the way to y; where this may overflow even NaN (inf-inf, 0*inf) is
  /// no fault.
  double void_intermediate(const ElementFacts& e) const;

  ElementAllowance y(const ElementFacts& e) const;
  /// The allowance of y alone, for a caller who has asked in_range of the row's largest gamma and beta.
  double y_error(const ElementFacts& e) const;
  /// The same by operations that each round up, which takes longer: at most y_error, and at least its
  /// (1 + 2^-40)th part.
  double y_error_rounded_up(const ElementFacts& e) const;
  /// Every element of the row with |gamma| and |beta| up to these is in range.
  bool in_range(double gamma_abs, double beta_abs) const;
  double x_hat(const ElementFacts& e) const;
  double largest_working() const { return format_.omega; }
  /// Of the statistics as outputs (rounded to their dtype), and as steps in the working type.
  double mean() const { return mean_; }
  double mean_step() const { return mean_step_; }
  double variance_step() const { return variance_step_; }
  double rstd() const { return rstd_; }
  double rstd_step() const { return rstd_step_; }
  double centre(double deviation) const;

 private:
  /// One form of the moments: its errors, the interval of its rstd, and what of the finishes' bounds is the
  /// same for the whole row (bound.cpp says what each multiplies).
  struct Form {
    Upward mean;      ///< E
    Upward variance;  ///< B_v
    MomentBound::Centre centre;
    Upward rstd;       ///< |rstd^ - rstd|
    Upward rstd_abs;   ///< rstd^ itself
    Upward x_hat_cap;  ///< |x_hat^| on a constant row by the direct finish
    Upward direct_per_deviation, direct_constant;
    Upward half_per_deviation, half_per_x, half_constant;
    Upward folded_per_deviation, folded_mean;
  };
  void add_form(const MomentBound& proven, const RowFacts& facts, double eps);
  void fill_coefficients(Form& form) const;
  // In finish_bound.cpp, for N = Upward and N = double.
  template <class N>
  N eta() const;
  template <class N>
  N eta_half() const;
  template <class N>
  N direct_x_hat(const Form& form, const ElementFacts& e) const;
  template <class N>
  N half_folded_x_hat(const Form& form, const ElementFacts& e) const;
  template <class N>
  N scale_shift(N x_hat_error, const ElementFacts& e) const;
  template <class N>
  N folded(const Form& form, const ElementFacts& e) const;
  template <class N>
  N association(const Form& form, const ElementFacts& e) const;
  template <class N>
  N error_of_y(const ElementFacts& e) const;
  Upward x_hat_error(const Form& form, const ElementFacts& e) const;
  bool finish_in_range(const Form& form, const ElementFacts& e) const;
  bool moderate(const Form& form) const;

  Working format_;
  double half_eta_, plain_eta_, plain_half_eta_;  ///< plain: for plain doubles (finish_bound.cpp)
  DType accumulate_;
  Variant variant_;
  Narrowing of_y_;
  Narrowing of_x_hat_;  ///< on its way to gamma
  bool direct_ = true, folded_ = true, half_folded_ = true;
  bool any_association_ = true;  ///< the factors of gamma (x-m) r in any order
  std::array<Form, 4> forms_;    ///< form_count_ of them
  int form_count_ = 0;
  bool moderate_ = true;  ///< the coefficients are of a size that plain doubles can deal with
  bool constant_ = false;
  bool in_range_ = true;
  bool void_ = false;
  bool nonnegative_ = true;
  bool mean_exact_ = true;
  Upward root_error_;   ///< of the reciprocal root itself, relative
  Upward root_growth_;  ///< rstd^ sqrt(var^+eps^), at most
  double eps_rounded_ = 0;
  double mean_abs_ = 0;
  double max_abs_ = 0;
  double max_dev_ = 0;
  double flush_ = 0;       ///< what one subnormal number taken as 0 loses, at most; 0: none is
  double w_lo_ = 0;        ///< lower bound of var+eps
  double rstd_exact_ = 0;  ///< upper bound of 1/sqrt(var+eps)
  double mean_ = 0, mean_step_ = 0, variance_step_ = 0, rstd_ = 0, rstd_step_ = 0;
};

}  // namespace normcheck
