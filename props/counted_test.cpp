// Promise: an algorithm's operations and passes are counted as they are, and counting changes no value.
#include "impl/arithmetic/counted.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "impl/algorithms/all.h"
#include "impl/arithmetic/exact.h"
#include "impl/arithmetic/native.h"
#include "props/bound_rows.h"
#include "props/promise.h"

namespace normcheck {
namespace {

static_assert(RootedArithmetic<Counted<float>> && RootedArithmetic<Counted<Half>>);
static_assert(Arithmetic<Counted<Exact>> && !RootedArithmetic<Counted<Exact>>);

std::string text(const Counts& c) {
  return fmt::format("{} adds, {} multiplies, {} divides, {} roots, {} compares, {} passes", c.adds,
                     c.multiplies, c.divides, c.roots, c.compares, c.passes);
}

template <class Algorithm>
Counts counts_of(std::int64_t n) {
  CounterRng rng(promise_seed(), 310);
  const std::vector<float> x = narrowed_row<float>(hard_row(rng, DType::f32, 1, n));
  const auto row = counted_row(std::span<const float>(x));
  const CountScope scope;
  const auto got = Algorithm::moments(std::span<const Counted<float>>(row));
  const auto want = Algorithm::moments(std::span<const float>(x));
  EXPECT_EQ(got.mean.value(), want.mean);
  EXPECT_EQ(got.var.value(), want.var);
  return scope.counts();
}

// Sums start from 0, and that addition counts. Passes need three elements.
template <class Algorithm>
void expect_counts(std::string_view name, Counts (*closed_form)(std::int64_t n)) {
  for (const std::int64_t n : {1, 2, 100}) {
    const Counts got = counts_of<Algorithm>(n);
    Counts want = closed_form(n);
    if (n < 3) want.passes = got.passes;
    EXPECT_EQ(got, want) << name << ", n = " << n << ": " << text(got) << "; expected " << text(want);
    if (n == 100) fmt::print("{}, n = 100: {}\n", name, text(got));
  }
}

Counts two_pass(std::int64_t n) { return {.adds = 3 * n, .multiplies = n, .divides = 2, .passes = 2}; }
Counts naive(std::int64_t n) { return {.adds = 2 * n + 1, .multiplies = n + 1, .divides = 2, .passes = 1}; }
Counts welford(std::int64_t n) { return {.adds = 4 * n, .multiplies = n, .divides = n + 1, .passes = 1}; }

TEST(Counted, TheCostsOfThreeAlgorithmsAreTheirClosedForms) {
  expect_counts<TwoPass>("two_pass", two_pass);
  expect_counts<Naive>("naive", naive);
  expect_counts<Welford>("welford", welford);
}

/// Naive, with one square formed anew: one multiplication, and one pass, that the form above does not have.
struct OneSquareMore {
  template <Arithmetic R>
  static Moments<R> moments(std::span<const R> x) {
    [[maybe_unused]] R again{};
    for (const R& v : x) again = v * v;
    return Naive::moments(x);
  }
};

TEST(Counted, AnOperationMoreOrLessIsSeen) {
  const Counts more = counts_of<OneSquareMore>(100);
  EXPECT_EQ(more.multiplies, naive(100).multiplies + 100);
  EXPECT_EQ(more.passes, naive(100).passes + 1);
  EXPECT_FALSE(more == naive(100));
  EXPECT_FALSE(counts_of<TwoPass>(100) == welford(100));
  fmt::print("planted: 100 squares more: {}\n", text(more));
}

TEST(Counted, EveryKindOfOperationIsCountedOnce) {
  using Number = Counted<double>;
  const Number a(9.0), b(2.0);
  Counts inner_counts;
  const CountScope scope;
  const Number sum = a + b, difference = a - b, product = a * b, quotient = a / b;
  const bool less = a < b;
  const Number r = ArithmeticTraits<Number>::root(a);
  {
    const CountScope inner;
    const Number again = a + a;
    EXPECT_EQ(again.value(), 18);
    inner_counts = inner.counts();
  }
  EXPECT_EQ(count<Number>(3).value(), 3);
  EXPECT_EQ(scope.counts(), (Counts{.adds = 2, .multiplies = 1, .divides = 1, .roots = 1, .compares = 1}));
  EXPECT_EQ(inner_counts, (Counts{.adds = 1}));
  EXPECT_EQ(sum.value() + difference.value() + product.value() + quotient.value() + r.value(), 43.5);
  EXPECT_FALSE(less);
  fmt::print("{}; one more add in an inner scope\n", text(scope.counts()));
}

TEST(Counted, PassesAreThoseOverTheRow) {
  const std::vector<float> x(9, 1.0F);
  const auto row = counted_row(std::span<const float>(x));
  const auto passes = [&](auto&& run) {
    const CountScope scope;
    run();
    return scope.counts().passes;
  };
  using Number = Counted<float>;
  EXPECT_EQ(passes([&] {  // a shift, kept in a register
              const Number shift = row[0];
              Number s;
              for (const Number& v : row) s = s + (v - shift);
            }),
            1);
  EXPECT_EQ(passes([&] {  // forth and back
              Number s;
              for (std::size_t i = 0; i < 9; ++i) s = s + row[i];
              for (std::size_t i = 9; i > 0; --i) s = s + row[i - 1];
            }),
            2);
  EXPECT_EQ(passes([&] {  // three lanes, each over its own elements
              Number s;
              for (std::size_t lane = 0; lane < 3; ++lane)
                for (std::size_t i = lane; i < 9; i += 3) s = s + row[i] * row[i];
            }),
            1);
  fmt::print("a shift 1, forth and back 2, lanes 1\n");
}

TEST(Counted, EveryAlgorithmHasACost) {
  EveryAlgorithm::for_each([]<class A>(std::type_identity<A>) {
    const Counts c = counts_of<A>(100);
    EXPECT_GE(c.passes, 1) << A::name;
    EXPECT_GE(c.adds, 198) << A::name;
    EXPECT_EQ(c.roots, 0) << A::name;
    fmt::print("{}: {}\n", A::name, text(c));
  });
}

}  // namespace
}  // namespace normcheck
