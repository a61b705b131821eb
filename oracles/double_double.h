// Pairs of doubles as numbers of about 106 bits: the fast arithmetic of the estimate.
#pragma once

#include <cmath>

#include "oracles/quad.h"

namespace normcheck {

/// hi + lo with |lo| <= ulp(hi)/2. Each operation below has a relative error of at most kPairError = 2^-102,
/// sixteen times u^2 of double; the algorithms' proven constants are 2 to 10 u^2 (Joldes, Muller, Popescu,
/// Tight and rigorous error bounds for basic building blocks of double-word arithmetic, 2017). That holds
/// while nothing over- or underflows: see `pair_safe`.
struct Pair {
  double hi = 0;
  double lo = 0;
};
constexpr double kPairError = 0x1p-102;

/// Zero, or a magnitude from 2^-300 to 2^300: sums and products of three such numbers, and their low parts,
/// stay far inside the range of double.
inline bool pair_safe(double v) {
  const double size = std::fabs(v);
  return size == 0 || (size >= 0x1p-300 && size <= 0x1p+300);
}

/// a + b = hi + lo exactly (Knuth).
inline Pair two_sum(double a, double b) {
  const double s = a + b;
  const double a2 = s - b, b2 = s - a2;
  return {s, (a - a2) + (b - b2)};
}
/// The same for |a| >= |b| (Dekker).
inline Pair fast_two_sum(double a, double b) {
  const double s = a + b;
  return {s, b - (s - a)};
}
/// a * b = hi + lo exactly (Dekker, Veltkamp's splitting).
inline Pair two_product(double a, double b) {
  const auto split = [](double v) {
    const double c = 134217729.0 * v;  // 2^27 + 1
    const double high = c - (c - v);
    return Pair{high, v - high};
  };
  const double p = a * b;
  const Pair x = split(a), y = split(b);
  return {p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}

inline Pair add(Pair a, double b) {
  const Pair s = two_sum(a.hi, b);
  return fast_two_sum(s.hi, a.lo + s.lo);
}
inline Pair add(Pair a, Pair b) {
  const Pair s = two_sum(a.hi, b.hi), t = two_sum(a.lo, b.lo);
  const Pair v = fast_two_sum(s.hi, s.lo + t.hi);
  return fast_two_sum(v.hi, t.lo + v.lo);
}
inline Pair multiply(Pair a, double b) {
  const Pair p = two_product(a.hi, b);
  return fast_two_sum(p.hi, p.lo + a.lo * b);
}
inline Pair multiply(Pair a, Pair b) {
  const Pair p = two_product(a.hi, b.hi);
  return fast_two_sum(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}
inline Pair divide(Pair a, double b) {
  const double t = a.hi / b;
  const Pair p = two_product(t, b);
  const double rest = ((a.hi - p.hi) - p.lo) + a.lo;
  return fast_two_sum(t, rest / b);
}
inline Pair negate(Pair a) { return {-a.hi, -a.lo}; }

inline Quad to_quad(Pair a) { return Quad(a.hi) + Quad(a.lo); }
inline Pair to_pair(Quad v) {
  const auto hi = static_cast<double>(v);
  return {hi, std::isfinite(hi) ? static_cast<double>(v - Quad(hi)) : 0.0};
}

}  // namespace normcheck
