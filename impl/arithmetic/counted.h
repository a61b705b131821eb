// A number that counts what is done with it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "impl/arithmetic/arithmetic.h"
#include "impl/arithmetic/count_scope.h"

namespace normcheck {

/// R, with every operation counted in the CountScope of the thread, if there is one. A copy of an element
/// stays that element; what an operation returns is none.
template <Arithmetic R>
class Counted {
 public:
  Counted() = default;
  explicit Counted(R value, std::int64_t element = -1) : value_(value), element_(element) {}
  const R& value() const { return value_; }

  friend Counted operator+(const Counted& a, const Counted& b) {
    return count(&Counts::adds, a, b), Counted(a.value_ + b.value_);
  }
  friend Counted operator-(const Counted& a, const Counted& b) {
    return count(&Counts::adds, a, b), Counted(a.value_ - b.value_);
  }
  friend Counted operator*(const Counted& a, const Counted& b) {
    return count(&Counts::multiplies, a, b), Counted(a.value_ * b.value_);
  }
  friend Counted operator/(const Counted& a, const Counted& b) {
    return count(&Counts::divides, a, b), Counted(a.value_ / b.value_);
  }
  friend bool operator<(const Counted& a, const Counted& b) {
    return count(&Counts::compares, a, b), a.value_ < b.value_;
  }
  static Counted root(const Counted& a) requires RootedArithmetic<R> {
    CountScope::count(&Counts::roots, a.element_, -1);
    return Counted(ArithmeticTraits<R>::root(a.value_));
  }

 private:
  static void count(std::int64_t Counts::*kind, const Counted& a, const Counted& b) {
    CountScope::count(kind, a.element_, b.element_);
  }

  R value_{};
  std::int64_t element_ = -1;
};

template <class R>
struct ArithmeticTraits<Counted<R>> {
  using Number = Counted<R>;
  static Number from_count(std::int64_t n) { return Number(ArithmeticTraits<R>::from_count(n)); }
  static Number from_double(double v) { return Number(ArithmeticTraits<R>::from_double(v)); }
  static double to_double(const Number& v) { return ArithmeticTraits<R>::to_double(v.value()); }
  static Number root(const Number& v) requires RootedArithmetic<R> { return Number::root(v); }
};

/// The row as elements that know their place.
template <Arithmetic R>
std::vector<Counted<R>> counted_row(std::span<const R> x) {
  std::vector<Counted<R>> out;
  out.reserve(x.size());
  for (const R& v : x) out.emplace_back(v, static_cast<std::int64_t>(out.size()));
  return out;
}

}  // namespace normcheck
