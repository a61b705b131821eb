// Pairs of doubles, one or W at a time, for one instruction set. The same bits with and without fma: it is
// used only for the error of a product, which is a double.
#pragma once

#include "oracles/filter/vectors.h"

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

/// hi + lo, |lo| <= ulp(hi)/2; u = 2^-53. Operations on two pairs are off by at most 2^-102 = 16 u^2 of their
/// result: Joldes, Muller, Popescu, Tight and rigorous error bounds for basic building blocks of double-word
/// arithmetic, 2017, have 2 to 10 u^2. That holds while nothing over- or underflows.
template <class T>
struct Pair {
  T hi;
  T lo;
};
inline constexpr double u2 = 0x1p-106;
inline constexpr double kPairError = 0x1p-102;

/// a + b exactly (Knuth).
template <class T>
inline Pair<T> two_sum(T a, T b) {
  const T s = a + b;
  const T a2 = s - b, b2 = s - a2;
  return {s, (a - a2) + (b - b2)};
}
/// The same for |a| >= |b|, or a = 0 (Dekker).
template <class T>
inline Pair<T> fast_two_sum(T a, T b) {
  const T s = a + b;
  return {s, b - (s - a)};
}

/// a*b - p for p = fl(a*b): exact while it is above the subnormal numbers (Dekker, Veltkamp; or one fma).
#ifdef __FMA__
inline double product_error(double a, double b, double p) { return __builtin_fma(a, b, -p); }
inline Doubles product_error(Doubles a, Doubles b, Doubles p) {
#if NORMCHECK_FILTER_WIDTH == 8
  return (Doubles)_mm512_fmsub_pd((__m512d)a, (__m512d)b, (__m512d)p);
#else
  return (Doubles)_mm256_fmsub_pd((__m256d)a, (__m256d)b, (__m256d)p);
#endif
}
#else
template <class T>
inline T product_error(T a, T b, T p) {
  const T ca = 134217729.0 * a, cb = 134217729.0 * b;  // 2^27 + 1
  const T ah = ca - (ca - a), bh = cb - (cb - b);
  const T al = a - ah, bl = b - bh;
  return ((ah * bh - p) + ah * bl + al * bh) + al * bl;
}
#endif
template <class T>
inline Pair<T> two_product(T a, T b) {
  const T p = a * b;
  return {p, product_error(a, b, p)};
}

template <class T>
inline Pair<T> add(Pair<T> a, Pair<T> b) {
  const Pair<T> s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const Pair<T> v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}
inline Pair<double> add(Pair<double> a, double b) {
  const Pair<double> s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, a.lo + s.lo);
}
inline Pair<double> multiply(Pair<double> a, Pair<double> b) {
  const Pair<double> p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
inline Pair<double> divide(Pair<double> a, double b) {
  const double t = a.hi / b, reciprocal = 1 / b;  // good to 2u of the low part
  const Pair<double> p = two_product(t, b);
  return fast_two_sum(t, (((a.hi - p.hi) - p.lo) + a.lo) * reciprocal);
}

/// 1/sqrt(w) for w in 2^-900 .. 2^900, off by less than 2^-98 of it. r0 = sqrt(w.hi) (1/w.hi), which waits
/// for the root and the quotient at once, is off by at most 3.6 u with three roundings and w.lo; of h = 1 - w
/// r0^2, |h| < 7.5 u, the three products and their sum are off by less than 20 u^2, and r0 (1 + h/2) leaves
/// out less than 3/8 h^2 r0 < 22 u^2 r0; with the rounding of r0 h/2 (4 u^2) that is under 46 u^2 < 2^-100.
inline Pair<double> reciprocal_root(Pair<double> w) {
  const double r = __builtin_sqrt(w.hi) * (1.0 / w.hi);
  const Pair<double> square = two_product(r, r);
  const Pair<double> p = two_product(w.hi, square.hi);
  const double h = ((1.0 - p.hi) - p.lo) - (w.hi * square.lo + w.lo * square.hi);
  return fast_two_sum(r, r * (h * 0.5));
}
inline constexpr double kRootError = 0x1p-98;

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA
