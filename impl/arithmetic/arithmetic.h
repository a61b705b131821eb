// What an algorithm may ask of the numbers it computes with: + - * / and <, counts, and nothing else.
#pragma once

#include <concepts>
#include <cstdint>

namespace normcheck {

/// The conversions of one arithmetic, to be specialised beside it:
///   static R from_count(std::int64_t n);   the integer n, rounded to nearest once; |n| <= 2^53
///   static R from_double(double v);        exact, or rounded to nearest once
///   static double to_double(const R& v);   exact for formats that double holds, else rounded to nearest once
///   static R root(const R& v);             the square root, correctly rounded; absent where there is none
template <class R>
struct ArithmeticTraits;

/// A number that an algorithm can be written over. R{} is zero. Every operation is the exact one rounded
/// to R once (Exact rounds nothing), so that one source is measured, bounded and checked for algebra.
template <class R>
concept Arithmetic = std::copyable<R> && std::default_initializable<R> &&
    requires(const R& a, const R& b, std::int64_t n, double v) {
  { a + b } -> std::same_as<R>;
  { a - b } -> std::same_as<R>;
  { a* b } -> std::same_as<R>;
  { a / b } -> std::same_as<R>;
  { a < b } -> std::convertible_to<bool>;
  { ArithmeticTraits<R>::from_count(n) } -> std::same_as<R>;
  { ArithmeticTraits<R>::from_double(v) } -> std::same_as<R>;
  { ArithmeticTraits<R>::to_double(a) } -> std::same_as<double>;
};

/// An arithmetic with a square root: what a finish needs, and an algorithm may not use.
template <class R>
concept RootedArithmetic = Arithmetic<R> && requires(const R& a) {
  { ArithmeticTraits<R>::root(a) } -> std::same_as<R>;
};

/// The integer n in R, rounded once.
template <Arithmetic R>
R count(std::int64_t n) {
  return ArithmeticTraits<R>::from_count(n);
}

}  // namespace normcheck
