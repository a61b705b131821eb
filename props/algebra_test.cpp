// The four algorithms compute the same mean and variance, and what forward keeps suffices for dx: in
// rationals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/chan.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/two_pass.h"
#include "impl/algorithms/welford.h"
#include "impl/arithmetic/exact.h"
#include "props/promise.h"

namespace normcheck {

namespace {

using Numbers = std::vector<Exact>;
Exact whole(std::int64_t n) { return Exact(n); }
Exact length(const Numbers& x) { return whole(static_cast<std::int64_t>(x.size())); }

bool equal(const Moments<Exact>& a, const Moments<Exact>& b) { return a.mean == b.mean && a.var == b.var; }

/// (S1/n, (n S2 - S1^2)/n^2): no algorithm of the table writes it so.
Moments<Exact> closed_form(const Numbers& x) {
  Exact s1, s2;
  for (const Exact& v : x) {
    s1 = s1 + v;
    s2 = s2 + v * v;
  }
  const Exact n = length(x);
  return {s1 / n, (n * s2 - s1 * s1) / (n * n)};
}

/// Rows of floats whose exponents differ by up to 2*spread, and constant rows among them.
Numbers random_row(CounterRng& rng, std::int64_t n, int spread) {
  Numbers x;
  const bool constant = rng.below(8) == 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = std::ldexp(static_cast<double>(rng.between(-(1 << 23), 1 << 23)),
                                static_cast<int>(rng.between(-spread, spread)));
    x.push_back(constant && i > 0 ? x[0] : Exact(v));
  }
  return x;
}

using Algorithm = std::function<Moments<Exact>(const Numbers&)>;
const std::array<std::pair<std::string_view, Algorithm>, 4> algorithms = {{
    {Naive::name, [](const Numbers& x) { return Naive::moments<Exact>(x); }},
    {TwoPass::name, [](const Numbers& x) { return TwoPass::moments<Exact>(x); }},
    {Welford::name, [](const Numbers& x) { return Welford::moments<Exact>(x); }},
    {Chan::name, [](const Numbers& x) { return Chan::moments<Exact>(x); }},
}};

/// Rows of the common set on which an algorithm is not the closed form.
struct Disagreement {
  int rows = 0;
  int unequal = 0;
};
Disagreement compare(const Algorithm& algorithm) {
  Disagreement d;
  CounterRng rng(promise_seed(), 100);
  for (std::int64_t n = 1; n <= 70; ++n) {
    for (const int spread : {0, 12, 120}) {
      const Numbers x = random_row(rng, n, spread);
      ++d.rows;
      d.unequal += !equal(algorithm(x), closed_form(x));
    }
  }
  return d;
}

TEST(Algebra, TheFourAlgorithmsAreOneFunction) {
  for (const auto& [name, algorithm] : algorithms) {
    const Disagreement d = compare(algorithm);
    EXPECT_EQ(d.unequal, 0) << name;
    fmt::print("{}: {} rows of 1 to 70 elements, {} unequal\n", name, d.rows, d.unequal);
  }
}

TEST(Algebra, TheyAreOneFunctionAtThousandsOfElements) {
  CounterRng rng(promise_seed(), 101);
  for (const std::int64_t n : {1000, 4095, 4096}) {
    const Numbers x = random_row(rng, n, 20);
    const Moments<Exact> truth = closed_form(x);
    for (const auto& [name, algorithm] : algorithms)
      EXPECT_TRUE(equal(algorithm(x), truth)) << name << " " << n;
  }
  fmt::print("4 algorithms at n = 1000, 4095, 4096\n");
}

TEST(Algebra, AWrongFormulaIsUnequal) {
  const std::array<std::pair<std::string_view, Algorithm>, 3> wrong = {{
      {"a divisor of n-1",
       [](const Numbers& x) {
         const Moments<Exact> m = TwoPass::moments<Exact>(x);
         if (x.size() == 1) return m;
         return Moments<Exact>{m.mean, m.var * length(x) / (length(x) - whole(1))};
       }},
      {"Welford with the old deviation squared",
       [](const Numbers& x) {
         Exact mean, s;
         std::int64_t k = 0;
         for (const Exact& v : x) {
           const Exact d = v - mean;
           mean = mean + d / whole(++k);
           if (k > 1) s = s + d * d;
         }
         return Moments<Exact>{mean, s / length(x)};
       }},
      {"a merge without the gap between the halves",
       [](const Numbers& x) {
         const std::span<const Exact> all(x);
         const auto a = welford_partial(all.first(x.size() / 2));
         const auto b = welford_partial(all.subspan(x.size() / 2));
         return Moments<Exact>{merge(a, b).mean, (a.square_dev + b.square_dev) / length(x)};
       }},
  }};
  for (const auto& [what, algorithm] : wrong) {
    const Disagreement d = compare(algorithm);
    EXPECT_GT(d.unequal, d.rows / 2) << what;
    fmt::print("planted: {}: unequal on {} of {} rows\n", what, d.unequal, d.rows);
  }
}

TEST(Algebra, ExactDividesAndRoundsAsTheMachineDoes) {
  CounterRng rng(promise_seed(), 102);
  int compared = 0, subnormal = 0, overflowed = 0, differs_if_truncated = 0;
  while (compared < 20000) {
    const double a = std::bit_cast<double>(rng.next());
    const double b = std::bit_cast<double>(rng.next());
    if (!std::isfinite(a) || !std::isfinite(b) || a == 0 || b == 0) continue;
    const Exact q = Exact(a) / Exact(b);
    ASSERT_EQ(q.to_double(), a / b) << fmt::format("{:a} / {:a}", a, b);
    ASSERT_EQ((Exact(a) * Exact(b)).to_double(), a * b) << fmt::format("{:a} * {:a}", a, b);
    ASSERT_EQ((Exact(a) + Exact(b)).to_double(), a + b) << fmt::format("{:a} + {:a}", a, b);
    ASSERT_EQ((Exact(a) - Exact(b)).to_double(), a - b) << fmt::format("{:a} - {:a}", a, b);
    ASSERT_TRUE(q * Exact(b) == Exact(a));
    ASSERT_EQ(Exact(a) < Exact(b), a < b);
    ++compared;
    subnormal += std::fpclassify(a / b) == FP_SUBNORMAL;
    overflowed += std::isinf(a / b);
    if (std::isfinite(a / b)) differs_if_truncated += !(q == Exact(a / b));
  }
  EXPECT_GT(differs_if_truncated, 0);  // the quotients were not representable: rounding was really tested
  EXPECT_THROW(Exact(1.0) / Exact(), std::domain_error);
  EXPECT_THROW(Exact(std::nan("")), std::domain_error);
  EXPECT_EQ((Exact(std::int64_t{-3}) / Exact(0.25)).text(), "-12");
  fmt::print("{} pairs of any exponent, {} subnormal quotients, {} overflows\n", compared, subnormal,
             overflowed);
}

}  // namespace
}  // namespace normcheck
