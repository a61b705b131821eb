// The exact oracle: rows as integers over a common power of two, and every question as a comparison of
// squares.
//
// A value is base + num/sqrt(B), or the rational base/den. With u = t - base, the sign of value - t is the
// sign of num/sqrt(B) - u: by signs if they differ, else by num^2 against u^2 B, which are integers over a
// power of two. Nothing that decides is rounded. Where a size is wanted (an exponent to start from, an error
// in ulp), |value - t| = |num^2 - u^2 B| / (B (|u| + |num|/sqrt(B))): the cancellation happens in
// integers, and the rest only needs a fixed relative error.
#include "oracles/exact.h"

#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "oracles/bit_parts.h"
#include "oracles/limb_sum.h"
#include "oracles/truncated.h"

#ifdef __FAST_MATH__
#error "an oracle under -ffast-math certifies wrong answers"
#endif

namespace normcheck {
namespace {

namespace mp = boost::multiprecision;

/// Up to 1024 bits without an allocation (f32 rows of ordinary span stay below), any length beyond.
using Int = mp::number<mp::cpp_int_backend<1024, 0, mp::signed_magnitude, mp::unchecked>, mp::et_off>;

/// m * 2^e.
struct Dyadic {
  Int m = 0;
  int e = 0;
};

Dyadic dyadic(const Parts& p) { return {p.negative ? Int(-Int(p.m)) : Int(p.m), p.e}; }

Dyadic dyadic(double v, const char* what) {
  if (!std::isfinite(v)) throw std::invalid_argument(std::string("exact oracle: ") + what + " is not finite");
  return dyadic(parts_of(v));
}

Int shifted(const Int& m, int by) { return by == 0 ? m : Int(m << by); }

Dyadic operator+(const Dyadic& a, const Dyadic& b) {
  if (a.m.is_zero()) return b;
  if (b.m.is_zero()) return a;
  const int e = std::min(a.e, b.e);
  return {shifted(a.m, a.e - e) + shifted(b.m, b.e - e), e};
}
Dyadic operator-(const Dyadic& a) { return {Int(-a.m), a.e}; }
Dyadic operator-(const Dyadic& a, const Dyadic& b) { return a + (-b); }
Dyadic operator*(const Dyadic& a, const Dyadic& b) { return {a.m * b.m, a.e + b.e}; }
int sign(const Dyadic& a) { return a.m.sign(); }

/// The leading 64 bits of |a|: low by less than 2^-63 of it. Taken from the limbs as they lie: it is asked
/// for several times an answer, and shifts of an Int would cost more than all else.
Truncated leading(const Dyadic& a) {
  const auto& number = a.m.backend();
  static_assert(sizeof(*number.limbs()) == 8);
  const std::size_t size = number.size();
  const std::uint64_t top = number.limbs()[size - 1];
  if (top == 0) return {};
  const int zeros = std::countl_zero(top);
  const std::uint64_t below = zeros == 0 || size == 1 ? 0 : number.limbs()[size - 2] >> (64 - zeros);
  return {top << zeros | below, a.e + 64 * static_cast<int>(size - 1) - zeros};
}

/// sqrt(b * 2^e) for b > 0 and even e; low by less than 2^-62 of it.
Truncated leading_root(const Int& b, int e) {
  int drop = static_cast<int>(msb(b)) - 127;
  if ((drop & 1) != 0) ++drop;
  const Int top = drop > 0 ? Int(b >> drop) : Int(b << -drop);
  const auto high = static_cast<std::uint64_t>(top >> 64);
  const auto low = static_cast<std::uint64_t>(top & std::numeric_limits<std::uint64_t>::max());
  return root(static_cast<Wide128>(high) << 64 | low, (e + drop) / 2);
}

double scaled(const Truncated& t, int e) { return std::ldexp(static_cast<double>(t.m), t.e + e); }

Format float_format(DType dtype) {
  if (!is_float(dtype)) throw std::invalid_argument("exact oracle: the dtype is not a floating one");
  return format_of(dtype);
}

Dyadic power(int e, bool negative) { return {negative ? Int(-1) : Int(1), e}; }

/// A difference: its sign is exact, its size low or high by less than 2^-59 of it.
struct Difference {
  int sign = 0;
  Truncated size;
};

}  // namespace

struct ExactValue::Data {
  /// What all irrational values of a row share: B > 0 as integer * 2^even.
  struct Surd {
    Int b;
    int e = 0;
    Truncated root_b;  ///< sqrt(b 2^e)
  };

  Dyadic base;
  Int den = 1;  ///< > 0; 1 unless `surd` is null
  Dyadic num;   ///< not 0 unless `surd` is null
  std::shared_ptr<const Surd> surd;
  Truncated ratio;  ///< |num|/sqrt(B) where `surd` is not null, low or high by less than 2^-60 of it

  static Data rational(Dyadic base, Int den) { return {std::move(base), std::move(den), {}, nullptr, {}}; }
  static Data irrational(Dyadic base, Dyadic num, std::shared_ptr<const Surd> surd) {
    const Truncated ratio = sign(num) == 0 ? Truncated() : leading(num) / surd->root_b;
    if (sign(num) == 0) surd = nullptr;
    return {std::move(base), 1, std::move(num), std::move(surd), ratio};
  }

  /// num^2 - u^2 B, over a power of two.
  Dyadic square_gap(const Dyadic& u) const {
    return num * num - Dyadic{u.m * u.m * surd->b, 2 * u.e + surd->e};
  }

  /// sign(value - t).
  int compare(const Dyadic& t) const {
    if (!surd) return sign(base - Dyadic{t.m * den, t.e});
    const Dyadic u = t - base;
    if (sign(num) != sign(u)) return sign(num) > sign(u) ? 1 : -1;
    const int clear = clear_order(ratio, leading(u));
    return sign(num) * (clear != 0 ? clear : sign(square_gap(u)));
  }

  /// value - t.
  Difference minus(const Dyadic& t) const {
    if (!surd) {
      const Dyadic gap = base - Dyadic{t.m * den, t.e};
      return {sign(gap), leading(gap) / leading({den, 0})};
    }
    const Dyadic u = t - base;
    const Truncated sum = leading(u) + ratio;
    if (sign(num) != sign(u)) return {sign(num) > sign(u) ? 1 : -1, sum};
    const Dyadic gap = square_gap(u);
    return {sign(num) * sign(gap), leading(gap) / (leading({surd->b, surd->e}) * sum)};
  }

  /// floor(log2|value|) for a value that is not 0 and `size` = |value| within 2^-59.
  int exponent(const Difference& size) const {
    // The truth lies within 32 units of m. Only next to a power of two may its exponent be another.
    constexpr std::uint64_t slack = 64;
    const int e = size.size.exponent();
    int boundary = e;
    if (size.size.m >= std::numeric_limits<std::uint64_t>::max() - slack) {
      boundary = e + 1;
    } else if (size.size.m >= (std::uint64_t{1} << 63) + slack) {
      return e;
    }
    return size.sign * compare(power(boundary, size.sign < 0)) >= 0 ? boundary : boundary - 1;
  }

  int ulp_exponent(const Format& f, const Difference& size) const {
    const int e = size.sign == 0 ? f.emin : std::clamp(exponent(size), f.emin, f.emax);
    return e - (f.precision - 1);
  }

  std::uint64_t round(const Format& f) const;
};

/// With U = ulp(value), the nearest multiple of U by the leading 64 bits; the half-way point is settled
/// exactly where they are too close to it to tell. One formula for normal and subnormal numbers.
std::uint64_t ExactValue::Data::round(const Format& f) const {
  const Difference size = minus({});
  if (size.sign == 0) return 0;
  const std::uint64_t sign_bit = size.sign < 0 ? std::uint64_t{1} << (f.bits - 1) : 0;
  const int exponent_of_value = exponent(size);
  if (exponent_of_value > f.emax) return sign_bit | infinity_bits(f);
  const int q = std::max(exponent_of_value, f.emin) - (f.precision - 1);

  // |value|/U = m / 2^drop. Beyond 100 the value is below U/2 by far, and 100 shows that as well.
  const int drop = std::min(q - size.size.e, 100);
  const Wide128 m = size.size.m;
  const Wide128 half = static_cast<Wide128>(1) << (drop - 1);
  auto multiple = static_cast<std::uint64_t>(m >> drop);
  const Wide128 rest = m - (static_cast<Wide128>(multiple) << drop);
  constexpr unsigned slack = 64;
  bool up = rest > half;
  if (rest + slack >= half && rest <= half + slack) {
    const Dyadic middle{Int(2 * multiple + 1), q - 1};
    const int side = size.sign * compare(size.sign < 0 ? -middle : middle);
    up = side > 0 || (side == 0 && (multiple & 1) != 0);
  }
  if (up) ++multiple;
  // A carry out of the fraction is the next exponent's pattern, and past the last one the infinity's.
  const int field_less_one = q + f.precision - 1 - f.emin;
  return sign_bit | ((static_cast<std::uint64_t>(field_less_one) << (f.precision - 1)) + multiple);
}

ExactValue::ExactValue(std::unique_ptr<const Data> data) : data_(std::move(data)) {}
ExactValue::~ExactValue() = default;
ExactValue::ExactValue(ExactValue&&) noexcept = default;
ExactValue& ExactValue::operator=(ExactValue&&) noexcept = default;

int ExactValue::compare(double t) const { return data_->compare(dyadic(t, "t")); }

bool ExactValue::within(double got, double allowance) const {
  const Dyadic middle = dyadic(got, "got");
  const Dyadic reach = dyadic(allowance, "allowance");
  return data_->compare(middle - reach) >= 0 && data_->compare(middle + reach) <= 0;
}

bool ExactValue::within_ulp(DType dtype, std::uint64_t got, double k) const {
  const Format f = float_format(dtype);
  const Pattern pattern = decode(f, got);
  if (pattern.kind == Pattern::Kind::nan) return false;
  const Dyadic middle = pattern.kind == Pattern::Kind::infinite ? power(f.emax + 1, pattern.value.negative)
                                                                : dyadic(pattern.value);
  Dyadic reach = dyadic(k, "k");
  reach.e += data_->ulp_exponent(f, data_->minus({}));
  return data_->compare(middle - reach) >= 0 && data_->compare(middle + reach) <= 0;
}

std::uint64_t ExactValue::round(DType dtype) const { return data_->round(float_format(dtype)); }

bool ExactValue::faithful(DType dtype, std::uint64_t got) const {
  const Format f = float_format(dtype);
  const Pattern pattern = decode(f, got);
  if (pattern.kind == Pattern::Kind::nan) return false;
  const std::uint64_t magnitude = got & ((std::uint64_t{1} << (f.bits - 1)) - 1);
  int side = -1;  // of the value, seen from an infinite or finite got, away from zero being positive
  const int away = pattern.value.negative ? -1 : 1;
  if (pattern.kind == Pattern::Kind::finite) {
    side = away * data_->compare(dyadic(pattern.value));
    if (side == 0) return true;
  }
  // The neighbour of got on the value's side: the value must lie strictly before it.
  if (side > 0) {
    const Pattern next = decode(f, magnitude + 1);
    if (next.kind == Pattern::Kind::infinite) return true;
    const Dyadic bound = dyadic(next.value);
    return away * data_->compare(away < 0 ? -bound : bound) < 0;
  }
  if (magnitude == 0) {  // zero's neighbour on the other side is the smallest number of the other sign
    const Dyadic bound = dyadic(decode(f, 1).value);
    return away * data_->compare(away < 0 ? bound : -bound) > 0;
  }
  const Dyadic bound = dyadic(decode(f, magnitude - 1).value);
  return away * data_->compare(away < 0 ? -bound : bound) > 0;
}

double ExactValue::error_ulp(DType dtype, std::uint64_t got) const {
  const Format f = float_format(dtype);
  const Pattern pattern = decode(f, got);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (pattern.kind == Pattern::Kind::nan) return infinity;
  if (pattern.kind == Pattern::Kind::infinite) {
    return data_->round(f) == got ? 0 : pattern.value.negative ? -infinity : infinity;
  }
  const Difference error = data_->minus(dyadic(pattern.value));
  if (error.sign == 0) return 0;
  const int q = data_->ulp_exponent(f, data_->minus({}));
  // Neither 0 nor infinite unless that is what it means.
  const double size = std::clamp(scaled(error.size, -q), std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::max());
  return -error.sign * size;
}

int ExactValue::ulp_exponent(DType dtype) const {
  return data_->ulp_exponent(float_format(dtype), data_->minus({}));
}

double ExactValue::to_double() const { return std::bit_cast<double>(round(DType::f64)); }

/// x_i = X_i 2^e. S1 = sum X_i, W = n sum X_i^2 - S1^2 = n^2 var 2^-2e.
struct ExactRow::Data {
  std::vector<double> x;
  int e = 0;
  Int n;
  Int s1;
  Int w;
  std::shared_ptr<const ExactValue::Data::Surd> surd;  ///< B; null where it is 0

  Int scaled_up(std::size_t i) const {
    const Parts p = parts_of(x[i]);
    const Int m = shifted(Int(p.m), p.m == 0 ? 0 : p.e - e);
    return p.negative ? Int(-m) : m;
  }
  /// A_i = n X_i - S1.
  Int a(std::int64_t i) const {
    if (i < 0 || static_cast<std::size_t>(i) >= x.size()) throw std::out_of_range("exact oracle: no such i");
    return n * scaled_up(static_cast<std::size_t>(i)) - s1;
  }
  const std::shared_ptr<const ExactValue::Data::Surd>& root() const {
    if (!surd) throw std::domain_error("exact oracle: the variance and eps are both 0");
    return surd;
  }
};

namespace {

Int integer(const LimbSum& sum) {
  Int out = 0;
  import_bits(out, sum.limbs().begin(), sum.limbs().end(), 64, false);
  return out;
}

ExactValue value(ExactValue::Data data) {
  return ExactValue(std::make_unique<const ExactValue::Data>(std::move(data)));
}

}  // namespace

ExactRow::ExactRow(const double* x, std::int64_t n, double eps) {
  if (n < 1) throw std::invalid_argument("exact oracle: a row needs at least one element");
  if (!std::isfinite(eps) || eps < 0)
    throw std::invalid_argument("exact oracle: eps must be finite and >= 0");
  auto row = std::make_unique<Data>();
  row->x.assign(x, x + n);
  row->n = n;

  int low = std::numeric_limits<int>::max();
  int high = std::numeric_limits<int>::min();
  for (const double v : row->x) {
    if (!std::isfinite(v)) throw std::invalid_argument("exact oracle: x is not finite");
    if (v == 0) continue;
    const Parts p = parts_of(v);
    low = std::min(low, p.e);
    high = std::max(high, p.e + p.width());
  }
  if (low > high) low = high = 0;  // all zeros
  row->e = low;

  const int count_bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n)));
  LimbSum positive(high - low + count_bits);
  LimbSum negative(high - low + count_bits);
  LimbSum squares(2 * (high - low) + count_bits);
  for (const double v : row->x) {
    if (v == 0) continue;
    const Parts p = parts_of(v);
    (p.negative ? negative : positive).add(p.m, p.e - low);
    squares.add(static_cast<Wide128>(p.m) * p.m, 2 * (p.e - low));
  }
  row->s1 = integer(positive) - integer(negative);
  row->w = row->n * integer(squares) - row->s1 * row->s1;

  const Parts eps_parts = parts_of(eps);
  const Dyadic b = Dyadic{row->w, 2 * low} + Dyadic{row->n * row->n * eps_parts.m, eps_parts.e};
  if (sign(b) != 0) {
    const int odd = b.e & 1;
    auto surd = std::make_shared<ExactValue::Data::Surd>();
    surd->b = shifted(b.m, odd);
    surd->e = b.e - odd;
    surd->root_b = leading_root(surd->b, surd->e);
    row->surd = std::move(surd);
  }
  data_ = std::move(row);
}

ExactRow::~ExactRow() = default;
ExactRow::ExactRow(ExactRow&&) noexcept = default;
ExactRow& ExactRow::operator=(ExactRow&&) noexcept = default;

bool ExactRow::degenerate() const { return !data_->surd; }

ExactValue ExactRow::y(std::int64_t i, double gamma, double beta) const {
  const auto& surd = data_->root();
  Dyadic a{data_->a(i), data_->e};
  return value(ExactValue::Data::irrational(dyadic(beta, "beta"),
                                            gamma == 1 ? std::move(a) : dyadic(gamma, "gamma") * a, surd));
}

ExactValue ExactRow::x_hat(std::int64_t i) const { return y(i, 1, 0); }

ExactValue ExactRow::rstd() const {
  return value(ExactValue::Data::irrational({}, {data_->n, 0}, data_->root()));
}

ExactValue ExactRow::mean() const {
  return value(ExactValue::Data::rational({data_->s1, data_->e}, data_->n));
}

ExactValue ExactRow::variance() const {
  return value(ExactValue::Data::rational({data_->w, 2 * data_->e}, data_->n * data_->n));
}

ExactValue ExactRow::deviation(std::int64_t i) const {
  return value(ExactValue::Data::rational({data_->a(i), data_->e}, data_->n));
}

}  // namespace normcheck
