// Promise: the running bound is never below the true error, the value is the plain one, and nothing hides
// inf.
#include "impl/arithmetic/running.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "impl/arithmetic/exact.h"
#include "props/bound_rows.h"
#include "props/promise.h"
#include "props/running_faults.h"

namespace normcheck {
namespace {

// --- Expressions: a few operations on any numbers, against rational arithmetic ---

/// A finite number of the format: any bits, or few bits, or one near the bottom of the range.
template <class R>
double draw(CounterRng& rng) {
  constexpr DType dtype = dtype_of<R>;
  const Format f = format_of(dtype);
  while (true) {
    const std::uint64_t kind = rng.below(4);
    const int spread = kind == 3 ? std::min(f.precision + 4, f.emax / 2) : 4;
    const int exponent = static_cast<int>(rng.between(-spread, spread));
    double v = to_double(dtype, rng.next() >> (64 - f.bits));
    if (kind == 1) v = std::ldexp(static_cast<double>(rng.between(-20, 20)), exponent);
    if (kind >= 2) v = std::ldexp(rng.uniform() * 2 - 1, exponent + (kind == 3 ? f.emin / 2 : 0));
    v = to_double(dtype, round_to(dtype, v));
    if (std::isfinite(v)) return v;
  }
}

struct Tally {
  std::int64_t operations = 0, unbounded = 0, exact = 0, underflowed = 0, below = 0, wrong_value = 0;
};

Exact distance(const Exact& a, const Exact& b) { return a < b ? b - a : a - b; }

/// One node: what R alone computes, what Running does, and the truth.
template <class R, class Rules>
struct Node {
  R plain;
  Running<R, Rules> running;
  Exact exact;
};

template <class R, class Rules>
void look_at(const Node<R, Rules>& node, Tally& seen) {
  const double value = ArithmeticTraits<R>::to_double(node.running.value());
  const double error = node.running.error().value();
  ++seen.operations;
  seen.wrong_value += !same_bits(value, ArithmeticTraits<R>::to_double(node.plain));
  seen.below += std::isnan(error) || !(error >= 0);
  if (!(error < Upward::infinity())) {
    ++seen.unbounded;
    return;
  }
  seen.exact += error == 0;
  seen.underflowed += error > 0 && std::fabs(value) < std::ldexp(1.0, format_of(dtype_of<R>).emin);
  seen.below += Exact(error) < distance(Exact(value), node.exact);
}

/// z is within b of the root of A: (z-b)^2 <= A <= (z+b)^2, the left where z > b.
template <class R, class Rules>
void look_at_root(const Node<R, Rules>& node, Tally& seen) {
  const auto z = ArithmeticTraits<Running<R, Rules>>::root(node.running);
  ++seen.operations;
  seen.wrong_value += !same_bits(ArithmeticTraits<R>::to_double(z.value()),
                                 ArithmeticTraits<R>::to_double(ArithmeticTraits<R>::root(node.plain)));
  if (!(z.error().value() < Upward::infinity())) {
    ++seen.unbounded;
    return;
  }
  seen.exact += z.error().value() == 0;
  const Exact value(ArithmeticTraits<R>::to_double(z.value())), error(z.error().value());
  const Exact low = value - error, high = value + error;
  seen.below += node.exact < Exact() || high * high < node.exact || (Exact() < low && node.exact < low * low);
}

template <class R, class Rules = RunningRules>
Tally expressions(std::int64_t count) {
  Tally seen;
  CounterRng rng(promise_seed(), 300);
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<Node<R, Rules>> pool;
    for (int k = 0; k < 4; ++k) {
      const double v = draw<R>(rng);
      const R plain = ArithmeticTraits<R>::from_double(v);
      pool.push_back({plain, Running<R, Rules>(plain), Exact(v)});
    }
    for (int k = 0; k < 8; ++k) {
      const auto a = pool[rng.below(pool.size())], b = pool[rng.below(pool.size())];
      const std::uint64_t op = rng.below(4);
      if (op == 3 && b.exact == Exact()) {
        seen.below += (a.running / b.running).error().value() < Upward::infinity();
        continue;
      }
      Node<R, Rules> z =
          op == 0   ? Node<R, Rules>{a.plain + b.plain, a.running + b.running, a.exact + b.exact}
          : op == 1 ? Node<R, Rules>{a.plain - b.plain, a.running - b.running, a.exact - b.exact}
          : op == 2 ? Node<R, Rules>{a.plain * b.plain, a.running * b.running, a.exact * b.exact}
                    : Node<R, Rules>{a.plain / b.plain, a.running / b.running, a.exact / b.exact};
      look_at(z, seen);
      look_at_root(z, seen);
      pool.push_back(std::move(z));
    }
  }
  return seen;
}

template <class R>
void expect_sound_expressions() {
  const Tally seen = expressions<R>(dtype_of<R> == DType::f64 ? 2000 : 4000);
  EXPECT_EQ(seen.below, 0) << dtype_name(dtype_of<R>);
  EXPECT_EQ(seen.wrong_value, 0) << dtype_name(dtype_of<R>);
  EXPECT_GT(seen.underflowed, 100);
  EXPECT_GT(seen.exact, 100);
  EXPECT_LT(2 * seen.unbounded, seen.operations);
  fmt::print("{}: {} operations, {} without a bound, {} exact, {} in the subnormal range\n",
             dtype_name(dtype_of<R>), seen.operations, seen.unbounded, seen.exact, seen.underflowed);
}

TEST(Running, TheBoundOfAnyExpressionIsNotBelowItsError) {
  expect_sound_expressions<float>();
  expect_sound_expressions<double>();
  expect_sound_expressions<Half>();
  expect_sound_expressions<BFloat16>();
}

TEST(Running, AFaultInTheBoundIsSeen) {
  const auto caught = [](std::string_view what, const Tally& seen) {
    EXPECT_GT(seen.below, 0) << what;
    EXPECT_EQ(seen.wrong_value, 0) << what;
    fmt::print("planted: {}: {} of {} bounds are below the error\n", what, seen.below, seen.operations);
  };
  caught("f32, bounds rounded to nearest", expressions<float, ToNearest>(2000));
  caught("f64, bounds rounded to nearest", expressions<double, ToNearest>(2000));
  caught("f16, u|z| without an underflow term", expressions<Half, NoUnderflow<Half>>(2000));
  caught("f32, u|z| without an underflow term", expressions<float, NoUnderflow<float>>(2000));
  caught("f64, residuals without their underflow", expressions<double, ResidualsNeverUnderflow>(2000));
  caught("f32, roots taken for exact", expressions<float, ExactRoots>(2000));
}

// --- One operation on exact operands: the bound is the error itself ---

template <class R>
std::int64_t expect_sharp(std::int64_t count) {
  CounterRng rng(promise_seed(), 301);
  std::int64_t compared = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = draw<R>(rng), y = draw<R>(rng);
    const Running<R> a(ArithmeticTraits<R>::from_double(x)), b(ArithmeticTraits<R>::from_double(y));
    // Rounded up once or twice, and not at all where the error is 0.
    const auto is_error = [&](const Running<R>& z, const Exact& truth) {
      const double value = ArithmeticTraits<R>::to_double(z.value());
      if (!std::isfinite(value)) return true;
      ++compared;
      return !(distance(Exact(value), truth) < Exact(z.error().value() * (1 - 0x1p-51)));
    };
    EXPECT_TRUE(is_error(a + b, Exact(x) + Exact(y))) << fmt::format("{:a} + {:a}", x, y);
    EXPECT_TRUE(is_error(a - b, Exact(x) - Exact(y))) << fmt::format("{:a} - {:a}", x, y);
    // Where the result is so small, its error, down to 2^-106 of it, may be subnormal in double.
    constexpr double small = 0x1p-860;
    if (x == 0 || y == 0 || std::fabs(x * y) >= small)
      EXPECT_TRUE(is_error(a * b, Exact(x) * Exact(y))) << fmt::format("{:a} * {:a}", x, y);
    if (y != 0 && std::min(std::fabs(x), std::fabs(x / y)) >= small)
      EXPECT_TRUE(is_error(a / b, Exact(x) / Exact(y))) << fmt::format("{:a} / {:a}", x, y);
  }
  return compared;
}

TEST(Running, TheBoundOfOneOperationIsItsError) {
  std::int64_t compared = expect_sharp<float>(3000);
  compared += expect_sharp<double>(3000);
  compared += expect_sharp<Half>(3000);
  compared += expect_sharp<BFloat16>(3000);
  // Counts and conversions are rounded once.
  using H = ArithmeticTraits<Running<Half>>;
  EXPECT_EQ(H::from_count(2048).error().value(), 0);
  EXPECT_EQ(H::from_count(2049).error().value(), 1);
  EXPECT_EQ(H::from_double(1 + 0x1p-12).error().value(), 0x1p-12);
  EXPECT_EQ(H::from_count(100000).error().value(), Upward::infinity());
  fmt::print("{} results of one operation: the bound is the error, to 2^-51, and 0 where it is 0\n",
             compared);
}

// --- What has no bound has none from there on ---

template <class R>
int expect_absorbed() {
  using Number = Running<R>;
  using Traits = ArithmeticTraits<Number>;
  const double omega = largest_finite(dtype_of<R>), eta = smallest_subnormal(dtype_of<R>);
  const Number zero, one = Traits::from_double(1), largest = Traits::from_double(omega);
  const Number third = one / Traits::from_count(3);
  const Number fuzzy = third - third;  // 0, with a bound above 0
  EXPECT_GT(fuzzy.error().value(), 0);
  EXPECT_EQ(Traits::root(zero).error().value(), 0);
  const std::vector<Number> unbounded = {
      largest + largest,
      (zero - largest) - largest,
      largest * Traits::from_double(2),
      largest / Traits::from_double(0.5),
      one / zero,
      zero / zero,
      one / fuzzy,
      Traits::from_double(eta) / fuzzy,
      Traits::root(fuzzy - Traits::from_double(eta)),
      Traits::root(zero - one),
      Traits::from_double(std::nan("")),
      Traits::from_double(-Upward::infinity()),
  };
  int checked = 0;
  for (const Number& v : unbounded) {
    for (const Number& after : {v, v + one, one - v, v * zero, zero * v, v / one, one / v, zero / v, v - v,
                                v / v, Traits::root(v), Traits::root(v * v)}) {
      EXPECT_EQ(after.error().value(), Upward::infinity()) << "number " << &v - unbounded.data();
      ++checked;
    }
  }
  return checked;
}

TEST(Running, OverflowAndDivisionByWhatMayBeZeroAbsorb) {
  const int checked = expect_absorbed<float>() + expect_absorbed<double>() + expect_absorbed<Half>() +
                      expect_absorbed<BFloat16>();
  fmt::print("{} results after an overflow, a division by 0, a NaN or a root below 0: bound infinite\n",
             checked);
}

TEST(Running, AComparisonThatTheErrorsLeaveOpenIsCounted) {
  using Number = Running<float>;
  using Traits = ArithmeticTraits<Number>;
  const Number one = Traits::from_double(1), third = one / Traits::from_double(3);
  const auto open = [](const Number& a, const Number& b) {
    const OpenComparisons scope;
    EXPECT_EQ(a < b, a.value() < b.value());
    return scope.count();
  };
  EXPECT_EQ(open(one, one), 0);  // exact numbers are never open
  EXPECT_EQ(open(third, third), 1);
  EXPECT_EQ(open(third, one), 0);
  EXPECT_EQ(open(one, third), 0);
  EXPECT_EQ(open(third - third, Number()), 1);  // the clamp of a negative variance
  EXPECT_EQ(open(third, Number(third.value())), 1);
  EXPECT_EQ(open(one / Number(), one), 1);
  fmt::print("3 closed and 4 open comparisons\n");
}

}  // namespace
}  // namespace normcheck
