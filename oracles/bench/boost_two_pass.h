// The direct oracle: two passes in a wide float, then the error in ulp of each output.
#pragma once

#include <algorithm>
#include <cmath>

#include "oracles/bench/paths.h"

namespace normcheck::bench {

template <class Real>
void boost_two_pass(Work& work) {
  using std::sqrt;
  const Format f = format_of(work.dtype);
  const Real count = static_cast<double>(work.n);
  Real sum = 0, squares = 0;
  for (const double x : work.x_double) sum += x;
  const Real mean = sum / count;
  for (const double x : work.x_double) {
    const Real d = x - mean;
    squares += d * d;
  }
  const Real rstd = 1 / sqrt(Real(squares / count + work.eps));
  for (std::size_t i = 0; i < work.x_double.size(); ++i) {
    const Real y = (work.x_double[i] - mean) * rstd;
    const double near = static_cast<double>(y);
    const int e = std::clamp(near == 0 ? f.emin : std::ilogb(near), f.emin, f.emax) - (f.precision - 1);
    work.error[i] = std::ldexp(static_cast<double>(Real(work.got_double[i] - y)), -e);
  }
}

}  // namespace normcheck::bench
