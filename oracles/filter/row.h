// What both ways of settling a row share: rstd from the variance, the error in ulp, the walk over a row.
#pragma once

#include "oracles/filter/filter.h"
#include "oracles/filter/pair_arithmetic.h"

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

inline constexpr double kInfinity = __builtin_inf();

/// The number of a pattern without sign, of a dtype narrower than f64.
template <class F>
inline double magnitude_of(std::int32_t pattern) {
  constexpr int fraction = F::precision - 1;
  const int field = pattern >> fraction;
  const std::int32_t bits = pattern & ((1 << fraction) - 1);
  const double integer = static_cast<double>(field == 0 ? bits : bits | 1 << fraction);
  return integer * power((field == 0 ? 1 : field) - 1 + F::emin - fraction);
}

/// From a variance known as out.variance says: rstd, or why there is none. The path of a row that has none
/// becomes `degenerate` or `refused`.
inline void finish_statistics(const Rows& rows, Pair<double> variance, RowStatistics& out) {
  const Pair<double> w = add(variance, rows.eps);
  if (w.hi > 0x1p-900 && w.hi < 0x1p+900) {
    // w is off by t, relatively, so 1/sqrt(w) by less than t for t < 1/2. The sum of nonnegative numbers, and
    // the root, add less than 2^-98 each.
    const double t = out.variance.error / w.hi * (1 + 0x1p-50) + 0x1p-99;
    const Pair<double> r = reciprocal_root(w);
    out.rstd = {r.hi, r.lo, r.hi * (t + kRootError)};
    if (t < 0x1p-60) return;
  } else if (out.constant && rows.eps > 0) {
    // y is beta whatever rstd is: any number will do, and none is claimed.
    out.rstd = {1, 0, kInfinity};
    return;
  } else if (out.constant) {
    out.path = Path::degenerate;
    out.rstd = {kInfinity, 0, kInfinity};
    return;
  }
  out.path = Path::refused;
}

struct Measured {
  Doubles error;
  Doubles uncertainty;
};

/// got against v + low, which is within d of y, where |y| lies between the ends and d <= |v|/4. The ulp is
/// that of v. The difference, the part and the sum round once each, relatively: 2^-51 of the error covers
/// them. Where the ends have other exponents y may lie in the binade beside, with an ulp half or twice as
/// large: the error in the right one lies between half and twice this one, at most |error| + 2d away. (Below
/// the normal numbers that is more than need be.) At the top ulp(omega) goes on for ever; `kSmall`: |v| is
/// below 2^emax.
template <class F, bool kSmall>
inline Measured measured(Doubles v, Doubles low, Doubles got, Doubles size, Doubles low_end, Doubles high_end,
                         Doubles d) {
  constexpr std::int64_t exponent = static_cast<std::int64_t>(0x7ff) << 52;
  // Of f64 2^(52-e) must be a double; what is smaller than the limit here is not certified: see there.
  constexpr int emin = F::emin < -900 ? -900 : F::emin;
  Doubles unit = larger(from_bits(bits(size) & exponent), splat(power(emin)));
  if constexpr (!kSmall && F::emax < 1023) unit = smaller(unit, splat(power(F::emax)));
  constexpr std::int64_t reciprocal = static_cast<std::int64_t>(2046 + F::precision - 1) << 52;
  const Doubles per_unit = from_bits(reciprocal - bits(unit));
  Measured m;
  m.error = ((got - v) - low) * per_unit;
  const Doubles in_ulp = magnitude(m.error);
  const Doubles near = d * per_unit + in_ulp * 0x1p-51;
  const Longs apart = (Longs)(from_bits((bits(low_end) ^ bits(high_end)) & exponent) != 0.0);
  m.uncertainty = near + from_bits(apart & bits(near + in_ulp));
  return m;
}

/// Calls step(x, got, gamma, beta, reference, error, uncertainty) for W elements at a time; what is left of
/// the row goes through a copy.
template <class F, bool kGamma, bool kBeta, class Step>
inline void for_each_vector(const Step& step, const Byte* x, const Byte* got, const double* gamma,
                            const double* beta, std::int64_t n, double* reference, double* error,
                            double* uncertainty) {
  std::int64_t i = 0;
  if (reference != nullptr) {
    for (; i + W <= n; i += W)
      step(x + i * F::size, got + i * F::size, gamma + (kGamma ? i : 0), beta + (kBeta ? i : 0),
           reference + i, error + i, uncertainty + i);
  } else {
    for (; i + W <= n; i += W)
      step(x + i * F::size, got + i * F::size, gamma + (kGamma ? i : 0), beta + (kBeta ? i : 0),
           static_cast<double*>(nullptr), error + i, uncertainty + i);
  }
  if (i == n) return;
  const Padded<F::size> xs(x + i * F::size, n - i), gots(got + i * F::size, n - i);
  double g[W] = {}, b[W] = {}, r[W], e[W], q[W];
  for (std::int64_t k = 0; k < n - i; ++k) {
    if (kGamma) g[k] = gamma[i + k];
    if (kBeta) b[k] = beta[i + k];
  }
  step(xs.bytes, gots.bytes, g, b, r, e, q);
  for (std::int64_t k = 0; k < n - i; ++k) {
    if (reference != nullptr) reference[i + k] = r[k];
    error[i + k] = e[k];
    uncertainty[i + k] = q[k];
  }
}

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA
