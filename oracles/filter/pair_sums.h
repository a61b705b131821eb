// T1: the statistics of a row in pairs of doubles, and y in pairs: f64, and what exact sums refuse.
#pragma once

#include "oracles/filter/row.h"

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

/// A row is summed in so many lanes whatever the instruction set, so that all of them give the same bits.
inline constexpr std::int64_t kLanes = 8;
inline constexpr std::int64_t kVectors = kLanes / W;

/// What y is made of: y = ((x - start) - shift) * rstd * gamma + beta, off by at most
/// of_product |gamma x_hat| + of_gamma |gamma| + of_sum |y|.
struct PairRow {
  double start = 0;
  Pair<double> shift = {0, 0};
  Pair<double> rstd = {0, 0};
  double of_product = 0, of_gamma = 0, of_sum = 0;
};

/// The first of the lanes plus the others, in one order: ((0+4)+(2+6)) + ((1+5)+(3+7)).
inline double sum_of_lanes(const double* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}
typedef double FourDoubles __attribute__((vector_size(32)));
inline Pair<double> sum_of_lanes(const double* hi, const double* lo) {
  const Pair<FourDoubles> first = two_sum(load<FourDoubles>(hi), load<FourDoubles>(lo));
  const Pair<FourDoubles> last = two_sum(load<FourDoubles>(hi + 4), load<FourDoubles>(lo + 4));
  const Pair<FourDoubles> p = add(first, last);
  const auto lane = [&p](int k) { return Pair<double>{p.hi[k], p.lo[k]}; };
  return add(add(lane(0), lane(2)), add(lane(1), lane(3)));
}

struct FirstPass {
  double sum = 0, largest = 0, smallest = kInfinity;  ///< smallest beside 0
  bool constant = true;
};

/// Calls take(j, v) for vector j = 0..kVectors-1 of each 8 elements; the last 8 are filled up with `filler`.
template <class F, class Take>
inline void for_each_lane(const Byte* x, std::int64_t n, double filler, const Take& take) {
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (std::int64_t j = 0; j < kVectors; ++j) take(j, F::values(x + (i + j * W) * F::size));
  if (i == n) return;
  alignas(64) Byte rest[F::size * kLanes] = {};
  for (std::int64_t k = i * F::size; k < n * F::size; ++k) rest[k - i * F::size] = x[k];
  for (std::int64_t j = 0; j < kVectors; ++j) {
    Doubles v = F::values(rest + j * W * F::size);
    for (std::int64_t k = 0; k < W; ++k)
      if (i + j * W + k >= n) v[k] = filler;
    take(j, v);
  }
}

template <class F>
inline FirstPass first_pass(const Byte* x, std::int64_t n) {
  alignas(64) Byte start[F::size * W] = {};
  for (std::int64_t k = 0; k < F::size; ++k) start[k] = x[k];
  const double first = F::values(start)[0];
  Doubles sum[kVectors] = {}, large[kVectors] = {}, small[kVectors];
  Longs differs[kVectors] = {};
  for (Doubles& s : small) s = splat(kInfinity);
  // The filler is the first element: it changes neither the extremes nor the constancy, and is taken off the
  // sum, which need only be near.
  for_each_lane<F>(x, n, first, [&](std::int64_t j, Doubles v) {
    const Doubles size = magnitude(v);
    sum[j] += v;
    large[j] = larger(large[j], size);
    small[j] = smaller(small[j], choose((Longs)(size == 0), splat(kInfinity), size));
    differs[j] |= (Longs)(v != first);
  });
  FirstPass out;
  double sums[kLanes];
  for (std::int64_t j = 0; j < kVectors; ++j) {
    store(sums + j * W, sum[j]);
    for (std::int64_t k = 0; k < W; ++k) {
      out.largest = large[j][k] > out.largest ? large[j][k] : out.largest;
      out.smallest = small[j][k] < out.smallest ? small[j][k] : out.smallest;
      out.constant = out.constant & (differs[j][k] == 0);
    }
  }
  const std::int64_t filled = (kLanes - n % kLanes) % kLanes;
  out.sum = sum_of_lanes(sums) - static_cast<double>(filled) * first;
  return out;
}

template <class F>
inline bool all_finite(const Byte* x, std::int64_t n) {
  bool out = true;
  for_each_lane<F>(x, n, 0, [&](std::int64_t, Doubles v) {
    for (std::int64_t k = 0; k < W; ++k) out = out && magnitude(v[k]) < kInfinity;
  });
  return out;
}

// The second pass: with z = x - m0 for a double m0 near the mean, z = dh + dl exactly (two_sum). Each lane
// has s1 + c1 for sum z, and s2 + c2 for sum z^2, over k = 1..l, l = ceil(n/8):
//   (s1, t) = two_sum(s1, dh), c1 += t + dl:  |t_k| <= u |s1_k| and |dl| <= u |dh|, so with Z = sum |z| of
//     the lane the terms of c1 come to at most (l+1) u Z, and their l roundings, twice each, to at most
//     (l+2) (l+1) u^2 Z.
//   (ph, pl) = dh^2; (s2, t) = two_sum(s2, ph), c2 += (t + pl) + 2 dh dl: the terms come to at most (l+3) u
//     of the lane's sum of squares Q, their l roundings, thrice each, to (l+3) (l+3) u^2 Q, and
//     dl^2 <= u^2 dh^2.
// Eight lanes are joined by pairs, three additions deep: 48 u^2. All of it times 1.01 for (1+u)^n and the
// like:
//   E1 = 1.01 ((l+3)^2 + 64) u^2 sum |z|, and sum |z| <= sqrt(n sum z^2);
//   E2 = 1.01 ((l+3)^2 + 64) u^2 sum z^2.
// Then c = sum z/n, mean = m0 + c, n V = sum z^2 - (sum z) c, by pairs, 2^-102 each:
//   E(c) = E1/n + 2^-102 |c|,   E(nV) = E2 + 2 |c| E1 + E1^2/n + 4 * 2^-102 (sum z^2 + E2).
// Nothing underflows but to 0. x is 0 or |x| >= 2^-300, so a sum of them is 0 or at least 2^-352, and m0 is 0
// or at least 2^-378 with an ulp of 2^-430 or more. Hence |z| is 0 or at least 2^-378 (that is m0, of x = 0),
// and a multiple of 2^-430, as every sum of them is; |c| is 0 or at least 2^-456. The smallest products, z^2
// >= 2^-756 and (sum z) c >= 2^-886, are above 2^-969 and have exact errors.
template <class F>
inline void fill_pairs(const Rows& rows, const Byte* x, RowStatistics& out, PairRow& row) {
  const std::int64_t n = rows.n;
  const FirstPass first = first_pass<F>(x, n);
  if (!(magnitude(first.sum) < kInfinity) || !(first.largest < kInfinity)) {
    // Such a sum says that some x is not finite, or that finite ones overflow.
    out.path = all_finite<F>(x, n) ? Path::refused : Path::nonfinite;
    return;
  }
  out.max_abs = first.largest;
  out.constant = first.constant;
  out.path = Path::pairs;
  const double count = static_cast<double>(n);
  if (first.largest > 0x1p+300 || (first.largest > 0 && first.smallest < 0x1p-300) || n > 1 << 26) {
    out.path = Path::refused;
    return;
  }
  alignas(64) Byte start[F::size * W] = {};
  for (std::int64_t k = 0; k < F::size; ++k) start[k] = x[k];
  if (first.constant) {
    row.start = F::values(start)[0];
    out.mean = {row.start, 0, 0};
    out.variance = {0, 0, 0};
    finish_statistics(rows, {0, 0}, out);
    row.rstd = {1, 0};
    return;
  }
  row.start = first.sum / count;

  Doubles s1[kVectors] = {}, c1[kVectors] = {}, s2[kVectors] = {}, c2[kVectors] = {};
  const Doubles minus_start = splat(-row.start);
  for_each_lane<F>(x, n, row.start, [&](std::int64_t j, Doubles v) {
    const Pair<Doubles> z = two_sum(v, minus_start);
    const Pair<Doubles> s = two_sum(s1[j], z.hi);
    s1[j] = s.hi;
    c1[j] += s.lo + z.lo;
    const Pair<Doubles> p = two_product(z.hi, z.hi);
    const Pair<Doubles> q = two_sum(s2[j], p.hi);
    s2[j] = q.hi;
    c2[j] += (q.lo + p.lo) + (z.hi + z.hi) * z.lo;
  });
  double lanes[4][kLanes];
  for (std::int64_t j = 0; j < kVectors; ++j) {
    store(lanes[0] + j * W, s1[j]);
    store(lanes[1] + j * W, c1[j]);
    store(lanes[2] + j * W, s2[j]);
    store(lanes[3] + j * W, c2[j]);
  }
  const Pair<double> sum = sum_of_lanes(lanes[0], lanes[1]), squares = sum_of_lanes(lanes[2], lanes[3]);
  const std::int64_t in_a_lane = (n + kLanes - 1) / kLanes;
  const auto l = static_cast<double>(in_a_lane);
  const double terms = 1.01 * ((l + 3) * (l + 3) + 64) * u2;
  row.shift = divide(sum, count);
  const double e1 = terms * __builtin_sqrt(count * squares.hi) * 1.01, e2 = terms * squares.hi * 1.01;
  const double of_shift = 1.01 * (e1 / count + kPairError * magnitude(row.shift.hi));
  const Pair<double> correction = multiply(sum, row.shift);
  const Pair<double> spread = add(squares, Pair<double>{-correction.hi, -correction.lo});
  const double e_spread =
      1.01 * (e2 + 2 * magnitude(row.shift.hi) * e1 + e1 * e1 / count + 4 * kPairError * (squares.hi + e2));
  const Pair<double> v = divide(spread, count);
  const Pair<double> mean = add(row.shift, row.start);
  out.mean = {mean.hi, mean.lo, of_shift + magnitude(mean.hi) * kPairError};
  out.variance = {v.hi, v.lo, e_spread / count * 1.01 + magnitude(v.hi) * kPairError};
  if (!(v.hi > 0) || !(out.variance.error < 0x1p-12 * (v.hi + rows.eps))) {
    out.path = Path::refused;  // the error of the variance may be all of it
    return;
  }
  finish_statistics(rows, v, out);
  row.rstd = {out.rstd.hi, out.rstd.lo};
  // Twice what the elements need, see there: this covers the rounding of the error's own arithmetic.
  row.of_product = 2 * (out.rstd.error / out.rstd.hi + 30 * u2);
  row.of_gamma = 2 * out.rstd.hi * (of_shift + 18 * u2 * magnitude(row.shift.hi));
  row.of_sum = 2 * 4 * u2;
}

// y of W elements as a pair, and its error, c = shift, r = rstd, |rl| <= u rh; factors 1 + O(u) left out:
//   x - m0 = dh + dl, dh - ch = eh + el, exactly; lo = (el + dl) - cl with |el| <= u |eh|, |cl| <= u |ch| and
//     |dl| <= u |dh| <= u (|eh| + |ch|), so |lo| <= u (2 |eh| + 2 |ch|). It rounds twice, each time at most u
//     of that. |d^ - (x - mean)| <= 4 u^2 |eh| + 4 u^2 |ch| + E(c).
//   p = eh rh = ph + pl' exactly, |pl'| <= u |ph|; pl = pl' + (eh rl + lo rh). Of |ph|, which is |eh| rh,
//     and of |ch| rh beside it: the two products round by u^2, and by 2 u^2 and 2 u^2; their sum by 3 u^2 and
//     2 u^2; pl by 4 u^2 and 2 u^2; lo rl, left out, is 2 u^2 and 2 u^2. With the 4 u^2 and 4 u^2 of d^:
//     16 u^2 |ph| + 12 u^2 |ch| rh + E(c) rh, and the error of r beside it, relatively: rho.
//     ph + pl is not normalized: |pl| <= u (4 |ph| + 2 |ch| rh).
//   gamma: qh + ql' = ph gamma exactly, ql = ql' + pl gamma. With g = |gamma| the product rounds by
//     u^2 (4 |qh| + 2 |ch| rh g), the sum, |ql| <= u (5 |qh| + 2 |ch| rh g), by u of that: together by
//     9 u^2 |qh| + 4 u^2 |ch| rh g.
//   beta: vh + vl' = qh + beta exactly; vl = vl' + ql rounds by u^2 (|vh| + 5 |qh| + 2 |ch| rh g). Then
//     normalized, exactly.
// All of it: (rho + 30 u^2) |qh| + (E(c) + 18 u^2 |ch|) rh g + u^2 |vh|: of_product, of_gamma and of_sum,
// each at least doubled. rho is that of |x - mean|, which may exceed |eh| by 3u |ch|: with rho < 2^-59, that
// is less than u^2 |ch|, and part of the doubling, as is all of 1 + O(u). The product eh rh is exact: |eh| is
// 0 or at least an ulp of ch, 2^-508, and rh at least 2^-450, so |ph| >= 2^-958; what the products of its low
// part lose to underflow is 2^-116 of it. A product by gamma below 2^-969 has no exact error: of f64, whose y
// may be that small, what lies below 2^-900 is not certified, but for a y and its error of exactly 0 against
// an equal got. (gamma x_hat below 2^-900 beside a beta is off by no more than 2^-1000, and a |beta| is 0 or
// at least 2^-300.)
template <class F, bool kGamma, bool kBeta>
inline void pair_elements(const PairRow& row, const Byte* x, const Byte* got, const double* gamma,
                          const double* beta, std::int64_t n, double* reference, double* error,
                          double* uncertainty) {
  const Doubles minus_start = splat(-row.start), minus_shift = splat(-row.shift.hi),
                rstd = splat(row.rstd.hi);
  const auto step = [&](const Byte* xs, const Byte* gots, const double* g, const double* b,
                        double* references, double* errors, double* uncertainties) {
    const Pair<Doubles> z = two_sum(F::values(xs), minus_start);
    const Pair<Doubles> e = two_sum(z.hi, minus_shift);
    const Doubles low = (e.lo + z.lo) - row.shift.lo;
    Pair<Doubles> p = two_product(e.hi, rstd);
    p.lo += e.hi * row.rstd.lo + low * rstd;
    Doubles of_gamma = splat(row.of_gamma);
    if constexpr (kGamma) {
      const Doubles factor = load<Doubles>(g);
      const Pair<Doubles> q = two_product(p.hi, factor);
      p = {q.hi, q.lo + p.lo * factor};
      of_gamma *= magnitude(factor);
    }
    Doubles d = magnitude(p.hi) * row.of_product + of_gamma;
    if constexpr (kBeta) {
      const Pair<Doubles> s = two_sum(p.hi, load<Doubles>(b));
      p = {s.hi, s.lo + p.lo};
    }
    const Pair<Doubles> v = two_sum(p.hi, p.lo);
    const Doubles size = magnitude(v.hi);
    if constexpr (kBeta) d += size * row.of_sum + (row.of_sum > 0 ? 0x1p-1000 : 0);
    // The part beyond v.hi, with the sign that makes |v.hi| larger. The low end rounds up by half an ulp at
    // most: its predecessor lies below what was rounded.
    const Doubles part = from_bits(bits(v.lo) ^ (bits(v.hi) & static_cast<std::int64_t>(1ULL << 63)));
    const Doubles low_end = from_bits(bits(size + (part - d)) - 1), high_end = size + (part + d);
    const Doubles values = F::values(gots);
    Measured m = measured<F, false>(v.hi, v.lo, values, size, low_end, high_end, d);
    // Of x near the mean, and where beta cancels, little may be left.
    m.uncertainty = choose((Longs)(size >= 4 * d), m.uncertainty, splat(kInfinity));
    if constexpr (F::emin < -900) {
      const Longs hit = (Longs)(values == v.hi) & (Longs)(v.lo == 0) & (Longs)(d == 0);
      m.uncertainty = choose((Longs)(low_end >= 0x1p-900) | hit, m.uncertainty, splat(kInfinity));
    }
    if (references != nullptr) store(references, v.hi);
    store(errors, m.error);
    store(uncertainties, m.uncertainty);
  };
  for_each_vector<F, kGamma, kBeta>(step, x, got, gamma, beta, n, reference, error, uncertainty);
}

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA
