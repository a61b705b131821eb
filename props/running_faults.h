// What the running bound is checked with: equality of bits, and rules with one fault each that must be seen.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "impl/arithmetic/running.h"
#include "props/bound_rows.h"

namespace normcheck {

/// NaNs are equal.
inline bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

/// A bound that is rounded to nearest instead of up.
class NearestBound {
 public:
  NearestBound(double value) : value_(value >= 0 ? value : infinity()) {}
  double value() const { return value_; }
  bool finite() const { return value_ < infinity(); }
  static constexpr double infinity() { return Upward::infinity(); }

  friend NearestBound operator+(NearestBound a, NearestBound b) { return a.value_ + b.value_; }
  friend NearestBound operator*(NearestBound a, NearestBound b) { return a.value_ * b.value_; }
  friend NearestBound divide(NearestBound a, double divisor) {
    return divisor > 0 ? a.value_ / divisor : infinity();
  }

 private:
  double value_;
};

struct ToNearest : RunningRules {
  using Bound = NearestBound;
};

/// The standard model, u|z| for every operation, but without eta/2 where products and quotients underflow.
template <class R>
struct NoUnderflow : RunningRules {
  static double product(double, double, double z) { return unit_roundoff(dtype_of<R>) * std::fabs(z); }
  static double quotient(double, double b, double z) { return product(0, 0, z) * std::fabs(b); }
};

/// The residual of an fma, taken for exact where it underflows.
struct ResidualsNeverUnderflow : RunningRules {
  static double product(double a, double b, double z) { return std::fabs(std::fma(a, b, -z)); }
  static double quotient(double a, double b, double z) { return std::fabs(std::fma(z, b, -a)); }
};

struct ExactRoots : RunningRules {
  static double root(double, double) { return 0; }
};

}  // namespace normcheck
