// Rows of two or three numbers, eight at a time: the algorithms of the table over vectors, and the exact y
// beside them.
#include "reports/exhaustive/pairs.h"

#ifdef __FAST_MATH__
#error "an oracle under -ffast-math certifies wrong answers"
#endif
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <cstdint>
#include <span>

#include "impl/algorithms/compensated_mean.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/finish.h"

namespace normcheck {

typedef float Floats __attribute__((vector_size(32)));
typedef std::int32_t Ints __attribute__((vector_size(32)));
typedef std::uint16_t Shorts __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(32)));
typedef std::int64_t Longs __attribute__((vector_size(32)));
typedef float FourFloats __attribute__((vector_size(16)));
constexpr std::int64_t kLanes = 8;

/// Eight floats as an arithmetic: lane by lane the operations of float, each rounded once.
struct Lanes {
  Floats v = {};
  friend Lanes operator+(const Lanes& a, const Lanes& b) { return {a.v + b.v}; }
  friend Lanes operator-(const Lanes& a, const Lanes& b) { return {a.v - b.v}; }
  friend Lanes operator*(const Lanes& a, const Lanes& b) { return {a.v * b.v}; }
  friend Lanes operator/(const Lanes& a, const Lanes& b) { return {a.v / b.v}; }
  /// Asked for by the concept, and defined nowhere: an algorithm that compares goes another way in each lane,
  /// and does not link here.
  friend bool operator<(const Lanes&, const Lanes&);
};

inline Floats splat(float v) { return v - Floats{}; }
#ifdef __AVX2__
inline Floats root(Floats v) { return (Floats)_mm256_sqrt_ps((__m256)v); }
inline Doubles root(Doubles v) { return (Doubles)_mm256_sqrt_pd((__m256d)v); }
#else
template <class V>
inline V root(V v) {
  for (std::size_t k = 0; k < sizeof v / sizeof v[0]; ++k)
    v[k] = static_cast<std::remove_reference_t<decltype(v[0])> >(std::sqrt(v[k]));
  return v;
}
#endif

template <>
struct ArithmeticTraits<Lanes> {
  static Lanes from_count(std::int64_t n) { return {splat(static_cast<float>(n))}; }
  static Lanes from_double(double v) { return {splat(static_cast<float>(v))}; }
  static double to_double(const Lanes& v) { return v.v[0]; }
  static Lanes root(const Lanes& v) { return {normcheck::root(v.v)}; }
};

namespace {

/// The fault: a divisor of n-1.
struct OneLess {
  template <class R>
  static Moments<R> moments(std::span<const R> x) {
    Moments<R> m = TwoPass::moments<R>(x);
    const auto n = static_cast<std::int64_t>(x.size());
    m.var = m.var * count<R>(n) / count<R>(n - 1);
    return m;
  }
};

/// Finite floats of a normal size to the dtype, nearest, ties to even: the bits, and the floats they stand
/// for.
template <bool bf16>
inline Floats stored(Floats v, std::uint16_t* to) {
  if constexpr (bf16) {
    const Ints bits = (Ints)v, rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    const Shorts narrow = __builtin_convertvector(rounded, Shorts);
    __builtin_memcpy(to, &narrow, sizeof narrow);
    return (Floats)(rounded << 16);
  } else {
#ifdef __F16C__
    const __m128i narrow = _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT);
    __builtin_memcpy(to, &narrow, sizeof narrow);
    return (Floats)_mm256_cvtph_ps(narrow);
#else
    for (int k = 0; k < kLanes; ++k) {
      to[k] = static_cast<std::uint16_t>(round_to(DType::f16, v[k]));
      v[k] = static_cast<float>(to_double(DType::f16, to[k]));
    }
    return v;
#endif
  }
}

inline Doubles magnitude(Doubles v) { return (Doubles)((Longs)v & 0x7fffffffffffffff); }

// The exact y in doubles, u = 2^-53. Nothing underflows (differences are 0 or at least 2^-134, eps > 0).
// - Of two, y1 = -y2 = h / sqrt(h^2 + eps), h = (x1 - x2)/2: the difference rounds at most once (of f16
// never),
//   h^2 + eps is off by (2+1+1) u, its root by 2u + u, the reciprocal by u more, the product by the u of h
//   and one more: 6u in all, to first order.
// - Of three of f16, y_i = d_i / sqrt(q), d_i = 3 x_i - (x1 + x2 + x3), q = (d1^2 + d2^2 + d3^2)/3 + 9 eps:
// all
//   are multiples of 2^-24 below 2^18, so d_i is exact; a square is off by u, the two sums by 2u, the third
//   by u, 9 eps by u, q by 4u + u, its root by 2.5u + u, the reciprocal by u more, the product by u: 5.5u in
//   all.
// D = 8u |v| covers both, its own rounding and those of |v| - D and |v| + D.
inline void exact_values(const Doubles (&x)[2], double eps, Doubles (&v)[2]) {
  const Doubles h = (x[0] - x[1]) * 0.5;
  v[0] = h * (1.0 / root(h * h + eps));
  v[1] = -v[0];
}
inline void exact_values(const Doubles (&x)[3], double eps, Doubles (&v)[3]) {
  const Doubles sum = x[0] + x[1] + x[2];
  for (int i = 0; i < 3; ++i) v[i] = 3.0 * x[i] - sum;
  const Doubles scale = 1.0 / root((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 3.0 + 9.0 * eps);
  for (int i = 0; i < 3; ++i) v[i] = v[i] * scale;
}

/// The ulp near an exact value, as oracles/filter/row.h has it; the same of v and -v.
template <bool bf16>
struct Near {
  Doubles d, per_unit;
  Longs apart;  ///< all ones where the exact value may lie in the next binade
  explicit Near(Doubles v) {
    constexpr int precision = bf16 ? 8 : 11, emin = bf16 ? -126 : -14;
    constexpr std::int64_t exponent = static_cast<std::int64_t>(0x7ff) << 52;
    constexpr std::int64_t least = static_cast<std::int64_t>(emin + 1023) << 52;
    constexpr std::int64_t reciprocal = static_cast<std::int64_t>(2046 + precision - 1) << 52;
    const Doubles size = magnitude(v);
    d = size * (8 * 0x1p-53);
    const Doubles smallest = (Doubles)(Longs{} + least);
    Doubles unit = (Doubles)((Longs)size & exponent);
    unit = unit > smallest ? unit : smallest;
    per_unit = (Doubles)(reciprocal - (Longs)unit);
    apart = (Longs)((Doubles)(((Longs)(size - d) ^ (Longs)(size + d)) & exponent) != 0.0);
  }
  void state(Doubles got, Doubles v, double* e, double* u) const {
    const Doubles error = (got - v) * per_unit, in_ulp = magnitude(error);
    const Doubles nearly = d * per_unit + in_ulp * 0x1p-51;
    const Doubles uncertainty = nearly + (Doubles)(apart & (Longs)(nearly + in_ulp));
    __builtin_memcpy(e, &error, sizeof error);
    __builtin_memcpy(u, &uncertainty, sizeof uncertainty);
  }
};

/// Where eight rows go: element i at `+ i*apart`.
struct Place {
  std::uint16_t* y;
  double *error, *uncertainty;
  std::int64_t apart;
};

inline Doubles four(Floats v, bool upper) {
  FourFloats half;
  __builtin_memcpy(&half, reinterpret_cast<const char*>(&v) + (upper ? sizeof half : 0), sizeof half);
  return __builtin_convertvector(half, Doubles);
}

template <class Algorithm, bool bf16, int n>
void eight(const normcheck_abi::PairSlice& s, Floats x2, const Place& to) {
  Lanes x[n] = {{splat(s.x1)}, {x2}}, y[n];
  if constexpr (n == 3) x[2] = {splat(s.x3)};
  const std::span<const Lanes> row(x, n);
  const Moments<Lanes> m = Algorithm::template moments<Lanes>(row);
  const Lanes rstd =
      reciprocal_root<Variant{}, Lanes>(m.var, ArithmeticTraits<Lanes>::from_double(s.eps), s.eps);
  finish_row<Variant{}, is_compensated<Algorithm>, Lanes>(DType::f32, row, m, rstd, nullptr, nullptr, y);
  Floats got[n];
  for (int i = 0; i < n; ++i) got[i] = stored<bf16>(y[i].v, to.y + i * to.apart);
  for (const bool upper : {false, true}) {
    Doubles values[n], v[n];
    for (int i = 0; i < n; ++i) values[i] = four(x[i].v, upper);
    exact_values(values, s.eps, v);
    const Near<bf16> first(v[0]);
    for (int i = 0; i < n; ++i) {
      const std::int64_t at = i * to.apart + (upper ? 4 : 0);
      const Near<bf16>& near = n == 2 || i == 0 ? first : Near<bf16>(v[i]);
      near.state(four(got[i], upper), v[i], to.error + at, to.uncertainty + at);
    }
  }
}

template <class Algorithm, bool bf16, int n>
void run(const normcheck_abi::PairSlice& s) {
  const std::int64_t rows = s.count;
  std::int64_t k = 0;
  for (; k + kLanes <= rows; k += kLanes) {
    Floats x2;
    __builtin_memcpy(&x2, s.x2 + k, sizeof x2);
    eight<Algorithm, bf16, n>(s, x2, {s.y + k, s.error_ulp + k, s.uncertainty_ulp + k, rows});
  }
  if (k == rows) return;
  Floats x2 = splat(s.x1);
  for (std::int64_t j = k; j < rows; ++j) x2[j - k] = s.x2[j];
  std::uint16_t y[n * kLanes];
  double e[n * kLanes], u[n * kLanes];
  eight<Algorithm, bf16, n>(s, x2, {y, e, u, kLanes});
  for (int i = 0; i < n; ++i) {
    for (std::int64_t j = k; j < rows; ++j) {
      const std::int64_t from = i * kLanes + j - k, to = i * rows + j;
      s.y[to] = y[from], s.error_ulp[to] = e[from], s.uncertainty_ulp[to] = u[from];
    }
  }
}

/// Four at a time; what is left of a slice stands at the end of one more four, before nothing.
void summarise(const normcheck_abi::PairSlice& s, normcheck_abi::PairSummary& out) {
  const std::int64_t all = (s.three ? 3 : 2) * s.count;
  Doubles most = {};
  Longs not_rounded = {}, open = {};
  const auto take = [&](const double* error, const double* uncertainty) {
    Doubles e, u;
    __builtin_memcpy(&e, error, sizeof e);
    __builtin_memcpy(&u, uncertainty, sizeof u);
    const Doubles size = magnitude(e);
    const Longs no = (Longs)(size - u > 0.5);
    const Longs sure = ((Longs)(size + u < 0.5) | no) & (Longs)(u < normcheck_abi::pair_error_good);
    not_rounded -= no & sure;
    open -= ~sure;
    const Doubles known = (Doubles)((Longs)size & sure);
    most = known > most ? known : most;
  };
  std::int64_t i = 0;
  for (; i + 4 <= all; i += 4) take(s.error_ulp + i, s.uncertainty_ulp + i);
  if (i < all) {
    double e[4] = {}, u[4] = {};
    for (std::int64_t k = i; k < all; ++k) e[k - i] = s.error_ulp[k], u[k - i] = s.uncertainty_ulp[k];
    take(e, u);
  }
  out = {0, 0, 0};
  for (int k = 0; k < 4; ++k) {
    out.not_rounded += not_rounded[k];
    out.open += open[k];
    out.largest = most[k] > out.largest ? most[k] : out.largest;
  }
}

template <class Algorithm>
void run_dtype(const normcheck_abi::PairSlice& s, normcheck_abi::PairSummary& out) {
  s.three ? run<Algorithm, false, 3>(s) : s.bf16 ? run<Algorithm, true, 2>(s) : run<Algorithm, false, 2>(s);
  summarise(s, out);
}

}  // namespace
}  // namespace normcheck

extern "C" void normcheck_abi::normcheck_build_pairs(const PairSlice& slice, PairSummary& summary) {
  switch (slice.algorithm) {
    case 0:
      return normcheck::run_dtype<normcheck::TwoPass>(slice, summary);
    case 1:
      return normcheck::run_dtype<normcheck::Welford>(slice, summary);
    case 2:
      return normcheck::run_dtype<normcheck::CompensatedMean>(slice, summary);
    default:
      return normcheck::run_dtype<normcheck::OneLess>(slice, summary);
  }
}
