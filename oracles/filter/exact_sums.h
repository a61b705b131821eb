// T0: the sums of a row of f16, bf16 or f32 as integers, and y from them in doubles.
#pragma once

#include "oracles/filter/pair_arithmetic.h"
#include "oracles/filter/row.h"

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

/// Largest and smallest pattern of |x| beside 0, as integers. No 0 is smaller than another number: 0 is left
/// out. Of a row of zeros the smallest stays at its start.
struct Span {
  std::int32_t largest = 0;
  std::int32_t smallest = 0x7fffffff;
};

typedef std::int32_t ScanInts __attribute__((vector_size(32)));
typedef std::int16_t ScanShorts __attribute__((vector_size(32)));

/// `Lanes` of integers, patterns of `Lane` type with the sign masked away.
template <class Lanes, class Lane>
inline Span scan(const Byte* x, std::int64_t n) {
  constexpr std::int64_t lanes = sizeof(Lanes) / sizeof(Lane);
  constexpr Lane most = static_cast<Lane>(~(static_cast<std::int64_t>(1) << (8 * sizeof(Lane) - 1)));
  Lanes large = {}, small = Lanes{} + most;
  const auto take = [&](Lanes v) {
    v &= most;
    const Lanes beside_zero = (Lanes)(v == 0) & most;
    const Lanes low = v | beside_zero;
    large = large > v ? large : v;
    small = small < low ? small : low;
  };
  std::int64_t i = 0;
  for (; i + lanes <= n; i += lanes) take(load<Lanes>(x + i * static_cast<std::int64_t>(sizeof(Lane))));
  if (i < n) {
    alignas(32) Byte rest[sizeof(Lanes)] = {};
    const std::int64_t at = i * static_cast<std::int64_t>(sizeof(Lane));
    for (std::int64_t k = at; k < n * static_cast<std::int64_t>(sizeof(Lane)); ++k) rest[k - at] = x[k];
    take(load<Lanes>(rest));
  }
  Lane highest = large[0], lowest = small[0];
  for (std::int64_t k = 1; k < lanes; ++k) {
    highest = large[k] > highest ? large[k] : highest;
    lowest = small[k] < lowest ? small[k] : lowest;
  }
  return {highest, lowest == most ? Span().smallest : lowest};
}
template <class F>
inline Span scan(const Byte* x, std::int64_t n) {
  if constexpr (F::size == 2)
    return scan<ScanShorts, std::int16_t>(x, n);
  else
    return scan<ScanInts, std::int32_t>(x, n);
}

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

/// S1 = sum X and S2 = sum X^2 of the integers X = x 2^-e0.
struct IntegerSums {
  std::int64_t s1 = 0;
  Int128 s2 = 0;
};

// All x are integers X times 2^e0 with |X| < 2^b. Sums of 256 are formed in doubles, without rounding:
// - sum X: below 2^8 2^b <= 2^53 in units of 2^e0, and so is every partial sum in any order, as b <= 45;
// - x^2 has at most 48 bits: a double. Adding sigma = 1.5 * 2^(52+k), in units of q = 2^(2 e0), k = 46,
//   rounds it to a multiple h of 2^k, as x^2 < 2^90 < 2^(51+k); h and x^2 - h are doubles
//   (|x^2 - h| <= 2^(k-1), both multiples of q), and the sums of h, up to 2^8 (2^90 + 2^45) < 2^(53+k), and
//   of the rests, up to 2^8 2^45 = 2^53, are doubles likewise.
// Each sum of 256, as an integer, is then added to one of 64 or 128 bits.
inline constexpr int kSumBits = 45, kBlock = 256, kSplit = 46;

template <class F>
inline IntegerSums exact_sums(const Byte* x, std::int64_t n, int e0) {
  const double sigma = 1.5 * power(52 + kSplit + 2 * e0);
  const double to_units = power(-e0), to_high = power(-2 * e0 - kSplit), to_low = power(-2 * e0);
  IntegerSums out;
  Int128 high = 0, low = 0;
  for (std::int64_t start = 0; start < n; start += kBlock) {
    const std::int64_t end = n - start < kBlock ? n : start + kBlock;
    Doubles s1 = {}, s2_high = {}, s2_low = {};
    const auto take = [&](Doubles v) {
      const Doubles square = v * v;
      const Doubles h = (square + sigma) - sigma;
      s1 += v;
      s2_high += h;
      s2_low += square - h;
    };
    std::int64_t i = start;
    for (; i + W <= end; i += W) take(F::values(x + i * F::size));
    if (i < end) take(F::values(Padded<F::size>(x + i * F::size, end - i).bytes));
    double a = 0, b = 0, c = 0;
    for (std::int64_t k = 0; k < W; ++k) a += s1[k], b += s2_high[k], c += s2_low[k];
    out.s1 += static_cast<std::int64_t>(a * to_units);
    high += static_cast<std::int64_t>(b * to_high);
    low += static_cast<std::int64_t>(c * to_low);
  }
  out.s2 = high * (static_cast<Int128>(1) << kSplit) + low;
  return out;
}

/// v >= 0 as a pair: off by less than 2^-105 of it.
inline Pair<double> to_pair(UInt128 v) {
  if (v == 0) return {0, 0};
  const auto top = static_cast<std::uint64_t>(v >> 64), bottom = static_cast<std::uint64_t>(v);
  const int zeros = top != 0 ? __builtin_clzll(top) : 64 + __builtin_clzll(bottom);
  const UInt128 t = v << zeros;
  const auto hi = static_cast<std::int64_t>(t >> 75);
  const auto lo = static_cast<std::int64_t>(static_cast<std::uint64_t>(t >> 22) & ((1ULL << 53) - 1));
  return fast_two_sum(static_cast<double>(hi) * power(75 - zeros),
                      static_cast<double>(lo) * power(22 - zeros));
}

inline int ceil_log2(std::int64_t n) {
  return n <= 1 ? 0 : 64 - __builtin_clzll(static_cast<std::uint64_t>(n - 1));
}

/// What y is made of: y = ((x - grid) - rest) * rstd * gamma + beta.
struct GridRow {
  double grid = 0;  ///< the multiple of 2^e0 nearest to the mean
  double rest = 0;  ///< the mean less that
  double rstd = 0;
  bool constant = false;
};

/// False: not for exact sums (the exponents are too far apart, or the row too long); statistics untouched.
template <class F>
inline bool fill_exact(const Rows& rows, const Byte* x, RowStatistics& out, GridRow& row) {
  constexpr int fraction = F::precision - 1;
  constexpr std::int32_t infinite = (F::emax - F::emin + 2) << fraction;
  const Span span = scan<F>(x, rows.n);
  if (span.largest >= infinite) {
    out.path = Path::nonfinite;
    return true;
  }
  const std::int32_t top = span.largest >> fraction, bottom = span.smallest >> fraction;
  const std::int32_t lowest = span.largest == 0 || top == 0 ? 1 : bottom == 0 ? 1 : bottom;
  const std::int32_t highest = top == 0 ? 1 : top;
  const int b = highest - lowest + F::precision, length = ceil_log2(rows.n);
  // b + length <= 62: S1, n X and every remainder fit in 64 bits; n S2 and S1^2 lie below 2^124. n <= 2^26:
  // n and n^2 are doubles.
  if (b > kSumBits || b + length > 62 || length > 26) return false;
  const int e0 = lowest - 1 + F::emin - fraction;
  const IntegerSums sums = exact_sums<F>(x, rows.n, e0);

  const std::int64_t n = rows.n;
  std::int64_t quotient = sums.s1 / n, remainder = sums.s1 % n;
  if (2 * remainder > n) ++quotient, remainder -= n;
  if (2 * remainder < -n) --quotient, remainder += n;
  const double unit = power(e0), count = static_cast<double>(n);
  const auto spread = static_cast<UInt128>(sums.s2 * n - static_cast<Int128>(sums.s1) * sums.s1);  // n^2 V
  row.grid = static_cast<double>(quotient) * unit;  // |quotient| <= 2^b
  row.rest = static_cast<double>(remainder) / count * unit;
  row.constant = out.constant = spread == 0;
  out.path = Path::exact_sums;
  out.max_abs = magnitude_of<F>(span.largest);
  const Pair<double> mean = two_sum(row.grid, row.rest);
  out.mean = {mean.hi, mean.lo, magnitude(row.rest) * 0x1p-53};
  // to_pair 2^-105, the quotient by n^2 another 2^-102.
  Pair<double> v = divide(to_pair(spread), count * count);
  v = {v.hi * (unit * unit), v.lo * (unit * unit)};
  out.variance = {v.hi, v.lo, v.hi * 0x1p-101};
  finish_statistics(rows, v, out);
  row.rstd = out.rstd.hi + out.rstd.lo;
  return true;
}

// y of W elements, and its error, in doubles, u = 2^-53:
//   X - grid is exact: both are multiples of 2^e0, the difference below 2^(b+1) of them.
//   rest^ = rest(1+d), |d| <= u. d^ = fl((x - grid) - rest^) is within 2u + u^2 of x - mean, relatively:
//     where x - grid is not 0 it is at least 2^e0, and |rest| <= 2^e0/2, so |rest| <= |x - mean|;
//     where it is 0, d^ = -rest^.
//   rstd^ within u + 2^-97, one rounding each in its product, and in that by gamma: 5u + O(u^2) of p^.
//   v^ = fl(p^ + beta): u |v^| more. Without beta v^ is p^.
// Nothing underflows: |x| >= 2^-149 where it is not 0, columns are above 2^-300, rstd above 2^-513.
// D is 6u |p^| without beta and 6u |p^| + 3u |v^| with it. It exceeds that by u |p^|, and with beta by
// 2u |v^| more, so by u |v^| at least: that covers the roundings of D, and of |v^| - D, which may reach a
// power of two 2^k from below only if it comes within u 2^k/2. |v^| + D, rounded, is no smaller than any
// power of two that it was not smaller than. So the binade of y lies between those of the two ends. Where
// beta leaves less than 4 D the filter says nothing. On a constant row p^ = 0 and v^ = beta: D = 0.
template <class F, bool kGamma, bool kBeta>
inline void grid_elements(const GridRow& row, const Byte* x, const Byte* got, const double* gamma,
                          const double* beta, std::int64_t n, double* reference, double* error,
                          double* uncertainty) {
  const double of_p = row.constant ? 0 : 6 * 0x1p-53, of_v = row.constant ? 0 : 3 * 0x1p-53;
  const auto step = [&](const Byte* xs, const Byte* gots, const double* g, const double* b,
                        double* references, double* errors, double* uncertainties) {
    Doubles p = ((F::values(xs) - row.grid) - row.rest) * row.rstd;
    if constexpr (kGamma) p *= load<Doubles>(g);
    Doubles v = p, size = magnitude(p), d = size * of_p;
    if constexpr (kBeta) {
      v = p + load<Doubles>(b);
      size = magnitude(v);
      d = d + size * of_v;
    }
    // Without gamma and beta |y| <= sqrt(n) <= 2^13.
    constexpr bool kSmall = !kGamma && !kBeta;
    Measured m = measured<F, kSmall>(v, Doubles{}, F::values(gots), size, size - d, size + d, d);
    if constexpr (kBeta) m.uncertainty = choose((Longs)(size >= 4 * d), m.uncertainty, splat(kInfinity));
    if (references != nullptr) store(references, v);
    store(errors, m.error);
    store(uncertainties, m.uncertainty);
  };
  for_each_vector<F, kGamma, kBeta>(step, x, got, gamma, beta, n, reference, error, uncertainty);
}

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA
