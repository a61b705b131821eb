// Rational numbers as an arithmetic: nothing is rounded, so algebra can be checked with ==.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

/// A rational number, always in lowest terms. Immutable inside, so a copy is cheap. There is no root and
/// no infinity: division by 0 throws std::domain_error.
/// Meant for rows of up to 4096 elements.
class Exact {
 public:
  struct Data;
  Exact() = default;  ///< 0
  explicit Exact(std::int64_t n);
  /// The value of a finite double, exactly; std::domain_error for NaN and the infinities.
  explicit Exact(double v);

  friend Exact operator+(const Exact& a, const Exact& b);
  friend Exact operator-(const Exact& a, const Exact& b);
  friend Exact operator*(const Exact& a, const Exact& b);
  friend Exact operator/(const Exact& a, const Exact& b);
  friend bool operator<(const Exact& a, const Exact& b);
  friend bool operator==(const Exact& a, const Exact& b);

  /// Rounded to nearest once; overflow gives an infinity.
  double to_double() const;
  /// "-3/4"; an integer without a denominator.
  std::string text() const;

 private:
  explicit Exact(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  static const Data& data(const Exact& e);
  static Exact make(Data&& d);
  std::shared_ptr<const Data> data_;  ///< null: 0
};

template <>
struct ArithmeticTraits<Exact> {
  static Exact from_count(std::int64_t n) { return Exact(n); }
  static Exact from_double(double v) { return Exact(v); }
  static double to_double(const Exact& v) { return v.to_double(); }
};

static_assert(Arithmetic<Exact> && !RootedArithmetic<Exact>);

}  // namespace normcheck
