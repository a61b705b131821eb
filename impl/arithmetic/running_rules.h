// What one rounded operation adds to an error: its residual, bounded from above.
#pragma once

#include <cmath>

#include "impl/arithmetic/upward.h"

namespace normcheck {

/// What one operation z = fl(a op b) adds by itself, z finite: the residual, and not u|z|, so that an
/// operation that is exact adds nothing. a, b, z are numbers of R in double, R = double or a format of at
/// most 24 bits with exponents of at most 10 bits. Each result is an upper bound, NaN for "none". Residuals
/// of + - are floats; those of * / and sqrt are, unless they underflow (Boldo and Daumas, Representable
/// correcting terms for possibly underflowing floating point operations, 2003): then the fma rounds, and an
/// eta covers what it drops. In the short formats no residual underflows in double, but a result may
/// underflow in R, which its residual includes.
struct RunningRules {
  using Bound = Upward;
  static constexpr double exact_from = 0x1p-968;  ///< eta/u: residuals of results above are doubles

  /// >= |z - (a + b)|, by Knuth's TwoSum: a + b = s + e exactly (s = z in double). If it overflows inside,
  /// NaN.
  static double sum(double a, double b, double z) {
    const double s = a + b, of_b = s - a, of_a = s - of_b;
    const double e = (a - of_a) + (b - of_b), d = s - z;
    return residual(d + e, d == 0 || e == 0);
  }
  /// >= |z - ab|
  static double product(double a, double b, double z) {
    const bool exact = a == 0 || b == 0 || std::fabs(a * b) >= exact_from;
    return residual(std::fma(a, b, -z), exact);
  }
  /// >= |zb - a| for z = fl(a/b)
  static double quotient(double a, double b, double z) {
    return residual(std::fma(z, b, -a), a == 0 || std::fabs(a) >= exact_from);
  }
  /// >= |z^2 - a| for z = fl(sqrt(a))
  static double root(double a, double z) {
    return residual(std::fma(z, z, -a), a == 0 || std::fabs(a) >= exact_from);
  }

 private:
  static double residual(double r, bool exact) {
    return exact ? std::fabs(r) : (Upward(std::fabs(r)) + Upward(0x1p-1074)).value();
  }
};

}  // namespace normcheck
