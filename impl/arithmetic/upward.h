// Arithmetic on nonnegative bounds in which every operation rounds up, so that a bound stays a bound.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace normcheck {

/// A nonnegative number or +infinity, known to be at least the quantity that it stands for. Infinity
/// means "no bound" and absorbs: a NaN that would come of inf*0 or inf/inf is infinity.
/// Each operation is done in double to nearest, then moved to the next double up. Nearest is within half
/// an ulp of the exact result, subnormals included, so the next double is not below it; where an operand
/// is exactly 0 (or 1 in a product) the result is exact and is not moved.
class Upward {
 public:
  constexpr Upward() = default;
  /// `value` must be >= 0; NaN becomes infinity.
  constexpr Upward(double value) : value_(value >= 0 ? value : infinity()) {}

  constexpr double value() const { return value_; }
  constexpr bool finite() const { return value_ < infinity(); }
  static constexpr double infinity() { return std::numeric_limits<double>::infinity(); }

  friend Upward operator+(Upward a, Upward b) {
    if (a.value_ == 0) return b;
    if (b.value_ == 0) return a;
    return next(a.value_ + b.value_);
  }
  friend Upward operator*(Upward a, Upward b) {
    if (a.value_ == 0 || b.value_ == 0) return (a.finite() && b.finite()) ? 0.0 : infinity();
    if (a.value_ == 1) return b;
    if (b.value_ == 1) return a;
    return next(a.value_ * b.value_);
  }
  /// `divisor` is a LOWER bound of the true divisor; a divisor of 0 gives infinity.
  friend Upward divide(Upward a, double divisor_lo) {
    if (!(divisor_lo > 0) || !a.finite()) return infinity();
    if (a.value_ == 0) return 0.0;
    if (divisor_lo == infinity()) return std::numeric_limits<double>::denorm_min();
    return next(a.value_ / divisor_lo);
  }
  friend Upward sqrt(Upward a) { return a.value_ == 0 ? Upward(0.0) : next(std::sqrt(a.value_)); }
  friend Upward max(Upward a, Upward b) { return a.value_ < b.value_ ? b : a; }
  friend Upward min(Upward a, Upward b) { return a.value_ < b.value_ ? a : b; }
  Upward& operator+=(Upward b) { return *this = *this + b; }

 private:
  static Upward next(double v) {
    if (!(v < infinity())) return infinity();
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) + 1);
  }
  double value_ = 0;
};

Upward divide(Upward a, double divisor_lo);
Upward sqrt(Upward a);

/// The next double below a nonnegative one (0 stays 0): a lower bound after one rounded operation.
inline double step_down(double v) {
  if (!(v > 0)) return 0;
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v) - 1);
}
/// A lower bound of 1 - t for an upper bound t; 0 if t >= 1.
inline double one_minus_lo(Upward t) { return t.value() < 1 ? step_down(1 - t.value()) : 0; }
/// A lower bound of sqrt(v_lo).
inline double sqrt_lo(double v_lo) { return step_down(std::sqrt(v_lo)); }
/// A lower bound of a_lo * b_lo.
inline double multiply_lo(double a_lo, double b_lo) { return step_down(a_lo * b_lo); }

/// gamma_k = k u / (1 - k u), the classical growth of k roundings; infinity where k u >= 1.
/// (Higham, Accuracy and Stability of Numerical Algorithms, lemma 3.1.)
inline Upward gamma(double k, double u) {
  const Upward ku = Upward(k) * Upward(u);
  return divide(ku, one_minus_lo(ku));
}

}  // namespace normcheck
