// The second oracle: mean, squared deviations, root and affine step, one after the other, in floats wide
// enough that only an exact tie can deceive them.
//
// How wide: let w be the bits from the highest to the lowest one in x, v those in n^2(var + eps), and u
// those that beta and a rounding boundary t near y span together. y is t or differs from it by more than
// 2^-(v + 2u) of |t| + |beta|, since (t - beta)^2 n^2(var + eps) and (gamma (n x_i - sum x))^2 are multiples
// of known powers of two (u counts the size of gamma x_hat as well, for t = beta); and x_i - mean loses w +
// log2 n bits. The precision is the smallest of the three below that covers v + 2u + w and the rounding of
// n-term sums. f64 rows that ask for more get the last one all the same.
#include "oracles/wide.h"

#include <algorithm>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#ifdef __FAST_MATH__
#error "an oracle under -ffast-math certifies wrong answers"
#endif

namespace normcheck {
namespace {

namespace mp = boost::multiprecision;

template <unsigned bits>
using Float = mp::number<mp::cpp_bin_float<bits, mp::digit_base_2>, mp::et_off>;

template <unsigned bits_>
struct Width {
  static constexpr int bits = static_cast<int>(bits_);
  using Real = Float<bits_>;
};
using Narrow = Width<768>;
using Middle = Width<2048>;
using Widest = Width<11264>;

/// Exponents of the highest and the lowest one bit of some numbers together.
struct Span {
  int high = std::numeric_limits<int>::min();
  int low = std::numeric_limits<int>::max();

  void add(double v) {
    if (v == 0) return;
    int e = 0;
    double m = std::frexp(v, &e);
    high = std::max(high, e - 1);
    while (m != std::floor(m)) {  // at most 53 times
      m *= 2;
      --e;
    }
    low = std::min(low, e);
  }
  bool empty() const { return high < low; }
  int bits() const { return empty() ? 0 : high - low + 1; }
};

template <typename Real>
struct Moments {
  Real mean;
  Real variance;
  Real deviation;  ///< sqrt(variance + eps)
};

template <typename Real>
Moments<Real> two_pass(const std::vector<double>& x, double eps) {
  const Real n = static_cast<long long>(x.size());
  Real sum = 0;
  for (const double v : x) sum += Real(v);
  const Real mean = sum / n;
  Real squares = 0;
  for (const double v : x) {
    const Real d = Real(v) - mean;
    squares += d * d;
  }
  const Real variance = squares / n;
  return {mean, variance, sqrt(Real(variance + Real(eps)))};
}

template <typename Real>
Real power_of_two(int e) {
  return ldexp(Real(1), e);
}

/// The value of a finite pattern: its fraction field as an integer, times a power of two.
template <typename Real>
Real value_of(const Format& f, std::uint64_t bits) {
  const int fraction_bits = f.precision - 1;
  const std::uint64_t sign_bit = std::uint64_t{1} << (f.bits - 1);
  const std::uint64_t field = (bits & (sign_bit - 1)) >> fraction_bits;
  std::uint64_t significand = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  if (field != 0) significand += std::uint64_t{1} << fraction_bits;
  const int e = f.emin + static_cast<int>(field > 1 ? field - 1 : 0) - fraction_bits;
  const Real size = ldexp(Real(significand), e);
  return (bits & sign_bit) != 0 ? Real(-size) : size;
}

enum class Class { finite, plus_infinity, minus_infinity, nan };

Class class_of(const Format& f, std::uint64_t bits) {
  const std::uint64_t sign_bit = std::uint64_t{1} << (f.bits - 1);
  const std::uint64_t infinity = ((std::uint64_t{1} << (f.bits - f.precision)) - 1) << (f.precision - 1);
  const std::uint64_t magnitude = bits & (sign_bit - 1);
  if (magnitude < infinity) return Class::finite;
  if (magnitude > infinity) return Class::nan;
  return (bits & sign_bit) != 0 ? Class::minus_infinity : Class::plus_infinity;
}

Format checked(DType dtype) {
  if (!is_float(dtype)) throw std::invalid_argument("wide oracle: the dtype is not a floating one");
  return format_of(dtype);
}

template <typename Real>
int ulp_exponent_of(const Format& f, const Real& v) {
  int e = f.emin;
  if (v != 0) {
    frexp(v, &e);
    e = std::clamp(e - 1, f.emin, f.emax);
  }
  return e - (f.precision - 1);
}

template <typename Real>
std::uint64_t rounded(const Format& f, const Real& v) {
  if (v == 0) return 0;
  const std::uint64_t sign_bit = v < 0 ? std::uint64_t{1} << (f.bits - 1) : 0;
  const Real size = v < 0 ? Real(-v) : v;
  const std::uint64_t infinity = ((std::uint64_t{1} << (f.bits - f.precision)) - 1) << (f.precision - 1);
  if (size >= power_of_two<Real>(f.emax + 1)) return sign_bit | infinity;
  const int q = ulp_exponent_of(f, size);
  const Real scaled = ldexp(size, -q);
  const Real whole = floor(scaled);
  const Real rest = scaled - whole;
  const Real half = 0.5;
  auto significand = whole.template convert_to<std::uint64_t>();
  if (rest > half || (rest == half && significand % 2 == 1)) ++significand;
  // Adding the significand with its leading bit to the exponent less one lets a carry take its course.
  const int binade = q + f.precision - 1 - f.emin;
  return sign_bit | ((static_cast<std::uint64_t>(binade) << (f.precision - 1)) + significand);
}

template <typename Real>
double to_finite(const Real& v) {
  constexpr double most = std::numeric_limits<double>::max();
  constexpr double least = std::numeric_limits<double>::denorm_min();
  const Real size = v < 0 ? Real(-v) : v;
  double out = size >= most ? most : size < least && size != 0 ? least : size.template convert_to<double>();
  return v < 0 ? -out : out;
}

/// |got - v| <= reach, by the two ends: they are rarely rounded, while got - v often is.
template <typename Real>
bool within_reach(const Real& v, const Real& got, const Real& reach) {
  return v >= Real(got - reach) && v <= Real(got + reach);
}

}  // namespace

struct WideValue::Data {
  std::variant<Narrow::Real, Middle::Real, Widest::Real> v;
};

WideValue::WideValue(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
WideValue::~WideValue() = default;
WideValue::WideValue(WideValue&&) noexcept = default;
WideValue& WideValue::operator=(WideValue&&) noexcept = default;

std::uint64_t WideValue::round(DType dtype) const {
  const Format f = checked(dtype);
  return std::visit([&](const auto& v) { return rounded(f, v); }, data_->v);
}

double WideValue::to_double() const {
  const std::uint64_t bits = round(DType::f64);
  double out = 0;
  static_assert(sizeof out == sizeof bits);
  std::memcpy(&out, &bits, sizeof out);
  return out;
}

double WideValue::error_ulp(DType dtype, std::uint64_t got) const {
  const Format f = checked(dtype);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (class_of(f, got)) {
    case Class::nan:
      return infinity;
    case Class::plus_infinity:
      return round(dtype) == got ? 0 : infinity;
    case Class::minus_infinity:
      return round(dtype) == got ? 0 : -infinity;
    case Class::finite:
      break;
  }
  return std::visit(
      [&](const auto& v) {
        using Real = std::decay_t<decltype(v)>;
        return to_finite(Real(ldexp(Real(value_of<Real>(f, got) - v), -ulp_exponent_of(f, v))));
      },
      data_->v);
}

bool WideValue::within_ulp(DType dtype, std::uint64_t got, double k) const {
  const Format f = checked(dtype);
  const Class kind = class_of(f, got);
  if (kind == Class::nan) return false;
  return std::visit(
      [&](const auto& v) {
        using Real = std::decay_t<decltype(v)>;
        Real stand_in = power_of_two<Real>(f.emax + 1);
        if (kind == Class::minus_infinity) stand_in = -stand_in;
        if (kind == Class::finite) stand_in = value_of<Real>(f, got);
        return within_reach(v, stand_in, Real(ldexp(Real(k), ulp_exponent_of(f, v))));
      },
      data_->v);
}

bool WideValue::within(double got, double allowance) const {
  return std::visit(
      [&](const auto& v) {
        using Real = std::decay_t<decltype(v)>;
        return within_reach(v, Real(got), Real(allowance));
      },
      data_->v);
}

struct WideRow::Data {
  std::vector<double> x;
  double eps = 0;
  int row_bits = 0;  ///< v + w and what the sums lose
  std::variant<Moments<Narrow::Real>, Moments<Middle::Real>, Moments<Widest::Real>> moments;

  /// Moments at a precision of at least `bits`; made again where the row's own is too small.
  auto moments_of(int bits) const {
    if (bits <= Narrow::bits) return decltype(moments)(two_pass<Narrow::Real>(x, eps));
    if (bits <= Middle::bits) return decltype(moments)(two_pass<Middle::Real>(x, eps));
    return decltype(moments)(two_pass<Widest::Real>(x, eps));
  }
};

namespace {

/// Of an ordinary t and beta: 53 bits each, up to 2^20 apart.
constexpr int ordinary_boundary_bits = 2 * (53 + 53 + 20);

WideValue wide_value(WideValue::Data v) {
  return WideValue(std::make_unique<const WideValue::Data>(std::move(v)));
}

/// gamma * x_hat.
template <typename Real>
Real scaled_deviation(const Moments<Real>& m, double x, double gamma) {
  if (m.deviation == 0) throw std::domain_error("wide oracle: the variance and eps are both 0");
  return Real(Real(Real(x) - m.mean) / m.deviation) * Real(gamma);
}

template <typename Real>
int exponent_of(const Real& v) {
  int e = 0;
  frexp(v, &e);
  return e - 1;
}

}  // namespace

WideRow::WideRow(const double* x, std::int64_t n, double eps) {
  if (n < 1) throw std::invalid_argument("wide oracle: a row needs at least one element");
  if (!std::isfinite(eps) || eps < 0) throw std::invalid_argument("wide oracle: eps must be finite and >= 0");
  auto row = std::make_unique<Data>();
  row->x.assign(x, x + n);
  row->eps = eps;
  Span span;
  for (const double v : row->x) {
    if (!std::isfinite(v)) throw std::invalid_argument("wide oracle: x is not finite");
    span.add(v);
  }
  int count_bits = 1;
  while (n >> count_bits != 0) ++count_bits;
  Span squared;  // of n^2 (var + eps)
  squared.add(eps);
  if (!span.empty()) {
    squared.high = std::max(squared.high, 2 * span.high + 2);
    squared.low = std::min(squared.low, 2 * span.low);
  }
  row->row_bits = squared.bits() + 2 * count_bits + span.bits() + 3 * count_bits + 64;
  row->moments = row->moments_of(row->row_bits + ordinary_boundary_bits);
  data_ = std::move(row);
}

WideRow::~WideRow() = default;
WideRow::WideRow(WideRow&&) noexcept = default;
WideRow& WideRow::operator=(WideRow&&) noexcept = default;

bool WideRow::degenerate() const {
  return data_->eps == 0 && std::visit([](const auto& m) { return m.variance == 0; }, data_->moments);
}

WideValue WideRow::y(std::int64_t i, double gamma, double beta) const {
  const double x = data_->x.at(static_cast<std::size_t>(i));
  const auto at_width = [&](const auto& m) {
    using Real = std::decay_t<decltype(m.mean)>;
    const Real term = scaled_deviation(m, x, gamma);
    const Real v = term + Real(beta);
    if (beta == 0 || term == 0) return std::pair(WideValue::Data{v}, 0);
    // Bits that beta, gamma * x_hat and a boundary near v span. A v that may be mere rounding noise tells
    // nothing, and a boundary then can be as small as any.
    constexpr int smallest = -1076;
    Span together;
    together.add(beta);
    const int v_exponent = v == 0 ? smallest : exponent_of(v);
    const bool noise = v_exponent < together.high - std::numeric_limits<Real>::digits / 2;
    const int boundary = noise ? smallest : std::max(v_exponent - 54, smallest);
    const int high = std::max(together.high, v_exponent) + 2;
    const int low = std::min({together.low, boundary, exponent_of(term)});
    const int needed = data_->row_bits + 2 * (high - low) + 64;
    return std::pair(WideValue::Data{v}, needed);
  };
  auto [first, needed] = std::visit(at_width, data_->moments);
  const int has =
      std::visit([](const auto& m) { return std::numeric_limits<std::decay_t<decltype(m.mean)>>::digits; },
                 data_->moments);
  if (needed <= has || has == Widest::bits) return wide_value(std::move(first));
  return wide_value(std::visit(at_width, data_->moments_of(needed)).first);
}

WideValue WideRow::rstd() const {
  if (degenerate()) throw std::domain_error("wide oracle: the variance and eps are both 0");
  return std::visit(
      [&](const auto& m) {
        using Real = std::decay_t<decltype(m.mean)>;
        return wide_value({Real(Real(1) / m.deviation)});
      },
      data_->moments);
}

WideValue WideRow::mean() const {
  return std::visit([](const auto& m) { return wide_value({m.mean}); }, data_->moments);
}

WideValue WideRow::variance() const {
  return std::visit([](const auto& m) { return wide_value({m.variance}); }, data_->moments);
}

}  // namespace normcheck
