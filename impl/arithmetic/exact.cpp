// Exact over Boost's cpp_int: an odd numerator and denominator, with the power of two kept apart.
#include "impl/arithmetic/exact.h"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace normcheck {

namespace mp = boost::multiprecision;
using Integer = mp::number<mp::cpp_int_backend<>, mp::et_off>;

/// numerator/denominator * 2^exponent. In lowest terms: the numerator is odd (or all is 0, 1, 0), the
/// denominator odd and positive, their gcd 1; so equal numbers have equal members. Floats have a
/// denominator of 1, and sums and products of them need no gcd.
struct Exact::Data {
  Integer numerator = 0;
  Integer denominator = 1;
  std::int64_t exponent = 0;
};

namespace {

std::int64_t trailing_zeros(const Integer& v) { return static_cast<std::int64_t>(mp::lsb(v)); }
std::int64_t top_bit(const Integer& v) { return static_cast<std::int64_t>(mp::msb(v)); }
Integer magnitude(const Integer& v) { return v < 0 ? Integer(-v) : v; }

}  // namespace

const Exact::Data& Exact::data(const Exact& e) {
  static const Data zero;
  return e.data_ ? *e.data_ : zero;
}

Exact Exact::make(Data&& d) {
  if (d.numerator == 0) return Exact();
  if (const std::int64_t k = trailing_zeros(magnitude(d.numerator)); k > 0) {
    d.numerator >>= static_cast<unsigned>(k);
    d.exponent += k;
  }
  if (const std::int64_t k = trailing_zeros(d.denominator); k > 0) {
    d.denominator >>= static_cast<unsigned>(k);
    d.exponent -= k;
  }
  if (d.denominator != 1) {
    const Integer g = mp::gcd(magnitude(d.numerator), d.denominator);
    if (g != 1) {
      d.numerator /= g;
      d.denominator /= g;
    }
  }
  return Exact(std::make_shared<const Data>(std::move(d)));
}

Exact::Exact(std::int64_t n) : Exact(make({Integer(n), 1, 0})) {}

Exact::Exact(double v) {
  if (!std::isfinite(v)) throw std::domain_error("Exact holds no NaN and no infinity");
  int exponent = 0;
  const double fraction = std::frexp(v, &exponent);
  *this = make({Integer(static_cast<std::int64_t>(std::ldexp(fraction, 53))), 1, exponent - 53});
}

namespace {

/// The numerators of two numbers over their common denominator times the common power of two.
template <class Data>
std::pair<Integer, Integer> aligned(const Data& a, const Data& b, std::int64_t exponent) {
  Integer left = a.numerator << static_cast<unsigned>(a.exponent - exponent);
  Integer right = b.numerator << static_cast<unsigned>(b.exponent - exponent);
  if (a.denominator != b.denominator) {
    left *= b.denominator;
    right *= a.denominator;
  }
  return {std::move(left), std::move(right)};
}

template <class Data>
Integer common_denominator(const Data& a, const Data& b) {
  return a.denominator == b.denominator ? a.denominator : Integer(a.denominator * b.denominator);
}

}  // namespace

Exact operator+(const Exact& a, const Exact& b) {
  if (!a.data_) return b;
  if (!b.data_) return a;
  const auto& l = *a.data_;
  const auto& r = *b.data_;
  const std::int64_t e = std::min(l.exponent, r.exponent);
  const auto [left, right] = aligned(l, r, e);
  return Exact::make({left + right, common_denominator(l, r), e});
}

Exact operator-(const Exact& a, const Exact& b) {
  if (!b.data_) return a;
  Exact::Data negated = *b.data_;
  negated.numerator = -negated.numerator;
  return a + Exact::make(std::move(negated));
}

Exact operator*(const Exact& a, const Exact& b) {
  if (!a.data_ || !b.data_) return Exact();
  const auto& l = *a.data_;
  const auto& r = *b.data_;
  return Exact::make({l.numerator * r.numerator, l.denominator * r.denominator, l.exponent + r.exponent});
}

Exact operator/(const Exact& a, const Exact& b) {
  if (!b.data_) throw std::domain_error("Exact: division by zero");
  if (!a.data_) return Exact();
  const auto& l = *a.data_;
  const auto& r = *b.data_;
  Integer numerator = l.numerator * r.denominator;
  if (r.numerator < 0) numerator = -numerator;
  return Exact::make({numerator, l.denominator * magnitude(r.numerator), l.exponent - r.exponent});
}

bool operator<(const Exact& a, const Exact& b) {
  const auto& l = Exact::data(a);
  const auto& r = Exact::data(b);
  const auto [left, right] = aligned(l, r, std::min(l.exponent, r.exponent));
  return left < right;
}

bool operator==(const Exact& a, const Exact& b) {
  const auto& l = Exact::data(a);
  const auto& r = Exact::data(b);
  return l.exponent == r.exponent && l.numerator == r.numerator && l.denominator == r.denominator;
}

double Exact::to_double() const {
  if (!data_) return 0;
  const Integer numerator = magnitude(data_->numerator);
  // A quotient of 66 or 67 bits whose last bit also stands for everything below it: enough to round to
  // 53 bits or fewer as the exact number would.
  const std::int64_t shift = 66 - (top_bit(numerator) - top_bit(data_->denominator));
  const Integer dividend = shift > 0 ? Integer(numerator << static_cast<unsigned>(shift)) : numerator;
  const Integer divisor =
      shift < 0 ? Integer(data_->denominator << static_cast<unsigned>(-shift)) : data_->denominator;
  Integer quotient, rest;
  mp::divide_qr(dividend, divisor, quotient, rest);
  if (rest != 0) quotient |= 1;
  const std::int64_t exponent = data_->exponent - shift;
  const std::int64_t last = std::max<std::int64_t>(top_bit(quotient) + exponent - 52, -1074);
  const std::int64_t drop = last - exponent;
  double result = 0;
  if (drop <= 68) {
    const Integer half = Integer(1) << static_cast<unsigned>(drop - 1);
    Integer kept = quotient >> static_cast<unsigned>(drop);
    const Integer dropped = quotient - (kept << static_cast<unsigned>(drop));
    if (dropped > half || (dropped == half && mp::bit_test(kept, 0))) kept += 1;
    const double significand = static_cast<double>(static_cast<std::uint64_t>(kept));
    result = last > 2000 ? std::numeric_limits<double>::infinity()
                         : std::ldexp(significand, static_cast<int>(last));
  }
  return data_->numerator < 0 ? -result : result;
}

std::string Exact::text() const {
  if (!data_) return "0";
  Integer numerator = data_->numerator;
  Integer denominator = data_->denominator;
  if (data_->exponent > 0) numerator <<= static_cast<unsigned>(data_->exponent);
  if (data_->exponent < 0) denominator <<= static_cast<unsigned>(-data_->exponent);
  return denominator == 1 ? numerator.str() : numerator.str() + "/" + denominator.str();
}

}  // namespace normcheck
