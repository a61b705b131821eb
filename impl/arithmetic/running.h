// A number that carries a proven bound of its own rounding error through every operation.
#pragma once

#include <cmath>
#include <cstdint>

#include "impl/arithmetic/arithmetic.h"
#include "impl/arithmetic/open_comparisons.h"
#include "impl/arithmetic/running_rules.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

/// value(): what R computes, bit for bit. error(): at least |value - exact|, where `exact` is the same
/// expression over the exact inputs; infinity where nothing is known, and then for all that follows. With
/// a, b the computed operands, A, B the exact ones, al >= |a-A|, be >= |b-B| and res from RunningRules:
///   + -   al + be + res
///   *     |a|be + |b|al + al be + res
///   /     (res + al + |z|be) / (|b| - be), since z - A/B = ((zb - a) + z(B-b) - (A-a)) / B;
///         infinity where be >= |b|, as B may be 0
///   sqrt  (res + al) / (z + sqrt(a - al)), since z - sqrt(A) = (z^2 - A) / (z + sqrt(A));
///         infinity where al > a, as A may be negative
/// all rounded up (Running error analysis: Wilkinson; Higham, Accuracy and Stability of Numerical Algorithms,
/// section 3.3, to first order; here nothing is dropped). A value that is NaN or infinite has no bound.
/// Comparisons are those of the values, so the bound is that of the branches taken. Where a comparison is
/// open (see OpenComparisons) the exact numbers may take another one, and then it matters whether both
/// compute the same thing: in Neumaier's sum they do, in a clamp they do not.
template <Arithmetic R, class Rules = RunningRules>
class Running {
  using Bound = typename Rules::Bound;
  using Traits = ArithmeticTraits<R>;

 public:
  Running() = default;  ///< 0, exact
  explicit Running(R value) : Running(value, 0.0) {}
  Running(R value, Bound error) : value_(value), error_(bounded(value) ? error : Bound(Bound::infinity())) {}

  R value() const { return value_; }
  Bound error() const { return error_; }

  friend Running operator+(const Running& a, const Running& b) {
    const R z = a.value_ + b.value_;
    return {z, a.error_ + b.error_ + Bound(Rules::sum(a.number(), b.number(), Traits::to_double(z)))};
  }
  friend Running operator-(const Running& a, const Running& b) {
    const R z = a.value_ - b.value_;
    return {z, a.error_ + b.error_ + Bound(Rules::sum(a.number(), -b.number(), Traits::to_double(z)))};
  }
  friend Running operator*(const Running& a, const Running& b) {
    const R z = a.value_ * b.value_;
    const Bound local = Rules::product(a.number(), b.number(), Traits::to_double(z));
    return {z, a.size() * b.error_ + b.size() * a.error_ + a.error_ * b.error_ + local};
  }
  friend Running operator/(const Running& a, const Running& b) {
    const R z = a.value_ / b.value_;
    const double quotient = Traits::to_double(z), divisor = std::fabs(b.number()), off = b.error_.value();
    const Bound local = Rules::quotient(a.number(), b.number(), quotient);
    return {z, divide(local + a.error_ + Bound(std::fabs(quotient)) * b.error_,
                      off == 0 ? divisor : step_down(divisor - off))};
  }
  static Running root(const Running& a) requires RootedArithmetic<R> {
    const R z = Traits::root(a.value_);
    const double off = a.error_.value(), low = a.number() - off, root = Traits::to_double(z);
    const Bound squares = Bound(Rules::root(a.number(), root)) + a.error_;
    if (!(low >= 0)) return {z, Bound::infinity()};
    if (squares.value() == 0) return {z, 0.0};
    return {z, divide(squares, step_down(root + sqrt_lo(off == 0 ? low : step_down(low))))};
  }
  friend bool operator<(const Running& a, const Running& b) {
    OpenComparisons::compared(b.number() - a.number(), (a.error_ + b.error_).value());
    return a.value_ < b.value_;
  }

 private:
  static bool bounded(R v) { return std::isfinite(Traits::to_double(v)); }
  double number() const { return Traits::to_double(value_); }
  Bound size() const { return std::fabs(number()); }

  R value_{};
  Bound error_ = 0.0;
};

template <class R, class Rules>
struct ArithmeticTraits<Running<R, Rules>> {
  using Number = Running<R, Rules>;
  static Number from_count(std::int64_t n) {
    return rounded(ArithmeticTraits<R>::from_count(n), static_cast<double>(n));
  }
  static Number from_double(double v) { return rounded(ArithmeticTraits<R>::from_double(v), v); }
  static double to_double(const Number& v) { return ArithmeticTraits<R>::to_double(v.value()); }
  static Number root(const Number& v) requires RootedArithmetic<R> { return Number::root(v); }

 private:
  /// v - fl(v) is a double: a multiple of v's last bit, and smaller than v or than fl(v).
  static Number rounded(R value, double v) {
    return Number(value, std::fabs(v - ArithmeticTraits<R>::to_double(value)));
  }
};

}  // namespace normcheck
