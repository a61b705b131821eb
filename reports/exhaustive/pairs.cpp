// Rows of two numbers, eight at a time: the algorithms of the table over vectors, and the exact y beside
// them.
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
    m.var = m.var + m.var;  // of two numbers
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

// The exact y1 = -y2 = h / sqrt(h^2 + eps), h = (x1 - x2)/2, in doubles, u = 2^-53: the difference rounds at
// most once (of f16 never), h^2 + eps is off by (2+1+1) u, its root by 2u + u, the reciprocal by u more, the
// product by the u of h and one more: 6u in all, to first order. D = 8u |v| covers that, its own rounding and
// those of |v| - D and |v| + D; nothing underflows (|h| >= 2^-134, eps > 0). From there on as
// oracles/filter/row.h has it.
template <bool bf16>
inline void measure(FourFloats x1, FourFloats x2, FourFloats got1, FourFloats got2, double eps, double* e1,
                    double* e2, double* u1, double* u2) {
  constexpr int precision = bf16 ? 8 : 11, emin = bf16 ? -126 : -14;
  const Doubles h = (__builtin_convertvector(x1, Doubles) - __builtin_convertvector(x2, Doubles)) * 0.5;
  const Doubles v = h * (1.0 / root(h * h + eps));
  constexpr std::int64_t exponent = static_cast<std::int64_t>(0x7ff) << 52;
  constexpr std::int64_t least = static_cast<std::int64_t>(emin + 1023) << 52;
  constexpr std::int64_t reciprocal = static_cast<std::int64_t>(2046 + precision - 1) << 52;
  const Doubles size = magnitude(v), d = size * (8 * 0x1p-53);
  const Doubles smallest = (Doubles)(Longs{} + least);
  Doubles unit = (Doubles)((Longs)size & exponent);
  unit = unit > smallest ? unit : smallest;
  const Doubles per_unit = (Doubles)(reciprocal - (Longs)unit);
  const Longs apart = (Longs)((Doubles)(((Longs)(size - d) ^ (Longs)(size + d)) & exponent) != 0.0);
  const auto state = [&](Doubles got, Doubles y, double* e, double* u) {
    const Doubles error = (got - y) * per_unit, in_ulp = magnitude(error);
    const Doubles near = d * per_unit + in_ulp * 0x1p-51;
    const Doubles uncertainty = near + (Doubles)(apart & (Longs)(near + in_ulp));
    __builtin_memcpy(e, &error, sizeof error);
    __builtin_memcpy(u, &uncertainty, sizeof uncertainty);
  };
  state(__builtin_convertvector(got1, Doubles), v, e1, u1);
  state(__builtin_convertvector(got2, Doubles), -v, e2, u2);
}

struct Halves {
  FourFloats first, second;
  explicit Halves(Floats v) {
    __builtin_memcpy(&first, &v, sizeof first);
    __builtin_memcpy(&second, reinterpret_cast<const char*>(&v) + sizeof first, sizeof second);
  }
};

template <class Algorithm, bool bf16>
void eight(const normcheck_abi::PairSlice& s, Floats x2, std::uint16_t* y1, std::uint16_t* y2, double* e1,
           double* e2, double* u1, double* u2) {
  const Lanes x[2] = {{splat(s.x1)}, {x2}};
  const std::span<const Lanes> row(x, 2);
  const Moments<Lanes> m = Algorithm::template moments<Lanes>(row);
  const Lanes rstd =
      reciprocal_root<Variant{}, Lanes>(m.var, ArithmeticTraits<Lanes>::from_double(s.eps), s.eps);
  Lanes y[2];
  finish_row<Variant{}, is_compensated<Algorithm>, Lanes>(DType::f32, row, m, rstd, nullptr, nullptr, y);
  const Halves got1(stored<bf16>(y[0].v, y1)), got2(stored<bf16>(y[1].v, y2)), a(x[0].v), b(x2);
  measure<bf16>(a.first, b.first, got1.first, got2.first, s.eps, e1, e2, u1, u2);
  measure<bf16>(a.second, b.second, got1.second, got2.second, s.eps, e1 + 4, e2 + 4, u1 + 4, u2 + 4);
}

template <class Algorithm, bool bf16>
void run(const normcheck_abi::PairSlice& s) {
  const std::int64_t n = s.count;
  std::int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    Floats x2;
    __builtin_memcpy(&x2, s.x2 + i, sizeof x2);
    eight<Algorithm, bf16>(s, x2, s.y + i, s.y + n + i, s.error_ulp + i, s.error_ulp + n + i,
                           s.uncertainty_ulp + i, s.uncertainty_ulp + n + i);
  }
  if (i == n) return;
  Floats x2 = splat(s.x1);
  for (std::int64_t k = i; k < n; ++k) x2[k - i] = s.x2[k];
  std::uint16_t y1[kLanes], y2[kLanes];
  double e1[kLanes], e2[kLanes], u1[kLanes], u2[kLanes];
  eight<Algorithm, bf16>(s, x2, y1, y2, e1, e2, u1, u2);
  for (std::int64_t k = i; k < n; ++k) {
    s.y[k] = y1[k - i], s.y[n + k] = y2[k - i];
    s.error_ulp[k] = e1[k - i], s.error_ulp[n + k] = e2[k - i];
    s.uncertainty_ulp[k] = u1[k - i], s.uncertainty_ulp[n + k] = u2[k - i];
  }
}

/// Four at a time; what is left of a slice stands at the end of one more four, before nothing.
void summarise(const normcheck_abi::PairSlice& s, normcheck_abi::PairSummary& out) {
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
  for (; i + 4 <= 2 * s.count; i += 4) take(s.error_ulp + i, s.uncertainty_ulp + i);
  if (i < 2 * s.count) {
    double e[4] = {}, u[4] = {};
    for (std::int64_t k = i; k < 2 * s.count; ++k) e[k - i] = s.error_ulp[k], u[k - i] = s.uncertainty_ulp[k];
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
  s.bf16 ? run<Algorithm, true>(s) : run<Algorithm, false>(s);
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
