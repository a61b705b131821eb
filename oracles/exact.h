// The exact oracle: decides every question about a row by comparing integers, in Boost.Multiprecision.
#pragma once

#include <cstdint>
#include <memory>

#include "corpus/dtype.h"

namespace normcheck {

/// One exact quantity of a row, base + g/sqrt(B) with rational base, g and integer B > 0 (or rational
/// when g is 0 or B is a square): nothing in it is rounded. Immutable; cheap to move.
class ExactValue {
 public:
  struct Data;
  explicit ExactValue(std::unique_ptr<const Data> data);
  ~ExactValue();
  ExactValue(ExactValue&&) noexcept;
  ExactValue& operator=(ExactValue&&) noexcept;

  /// sign(value - t) for a finite t.
  int compare(double t) const;
  /// |got - value| <= allowance, for finite got and finite allowance >= 0: got-allowance and
  /// got+allowance are formed exactly.
  bool within(double got, double allowance) const;
  /// |got - value| <= k ulp(value) in the format of `dtype`, for finite k >= 0. got NaN: false; got
  /// infinite: stands for +-2^(emax+1).
  bool within_ulp(DType dtype, std::uint64_t got, double k) const;
  /// The bits of the correctly rounded value (nearest, ties to even; overflow to infinity). A value that
  /// is exactly 0 gives +0.
  std::uint64_t round(DType dtype) const;
  /// got is one of the (at most two) neighbours of the value in the format.
  bool faithful(DType dtype, std::uint64_t got) const;
  /// Signed (got - value)/ulp(value), correct to a relative 2^-50; +-infinity for a wrong infinity and
  /// for NaN; 0 exactly iff got equals the value. An overflowed value against the right infinity is 0.
  /// An error beyond the range of double (f64 only) is its largest or smallest number, never infinite or 0.
  double error_ulp(DType dtype, std::uint64_t got) const;
  /// ulp(value) = 2^this: exponent clamped to [emin, emax], minus precision-1; emin's for 0.
  int ulp_exponent(DType dtype) const;
  /// The value correctly rounded to double.
  double to_double() const;

 private:
  std::unique_ptr<const Data> data_;
};

/// Exact statistics of one row of finite numbers. With integers X_i = x_i 2^-e: S1 = sum X_i,
/// S2 = sum X_i^2, A_i = n X_i - S1, B = n S2 - S1^2 + n^2 eps 2^-2e; then y_i = beta + gamma A_i/sqrt(B).
class ExactRow {
 public:
  /// x: n >= 1 finite values; eps finite and >= 0. Throws std::invalid_argument otherwise.
  ExactRow(const double* x, std::int64_t n, double eps);
  ~ExactRow();
  ExactRow(ExactRow&&) noexcept;
  ExactRow& operator=(ExactRow&&) noexcept;

  /// B == 0: the variance and eps are both 0, and y and rstd have no value (asking throws
  /// std::domain_error).
  bool degenerate() const;
  ExactValue y(std::int64_t i, double gamma, double beta) const;
  ExactValue x_hat(std::int64_t i) const;
  ExactValue rstd() const;
  ExactValue mean() const;
  ExactValue variance() const;
  ExactValue deviation(std::int64_t i) const;  ///< x_i - mean

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
};

}  // namespace normcheck
