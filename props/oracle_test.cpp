// Promise: the exact oracle and the wide one, which share no source, differ on exact ties alone.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "oracles/exact.h"
#include "oracles/wide.h"

namespace normcheck {
namespace {

constexpr DType dtypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64};

double pow2(int e) { return std::ldexp(1.0, e); }

std::uint64_t sign_bit(DType dtype) { return std::uint64_t{1} << (format_of(dtype).bits - 1); }

bool is_finite(DType dtype, std::uint64_t bits) { return std::isfinite(to_double(dtype, bits)); }

/// The next pattern in the order of the numbers (+0 and -0 are one step).
std::uint64_t step(DType dtype, std::uint64_t bits, int by) {
  const auto sign = static_cast<std::int64_t>(sign_bit(dtype));
  auto at = static_cast<std::int64_t>(bits);
  if ((bits & sign_bit(dtype)) != 0) at = dtype == DType::f64 ? -(at & ~sign) : sign - at;
  at += by;
  return at >= 0 ? static_cast<std::uint64_t>(at) : static_cast<std::uint64_t>(-at) | sign_bit(dtype);
}

double finite_pattern(CounterRng& rng, DType dtype) {
  for (;;) {
    const double v = to_double(dtype, rng.next() & (2 * sign_bit(dtype) - 1));
    if (std::isfinite(v)) return v;
  }
}

struct Problem {
  std::vector<double> x;
  double eps = 0;
  double gamma = 1;
  double beta = 0;
};

/// Rows of eight kinds: normal, far from 0, any patterns, neighbours, subnormal, small integers, one
/// outlier, +-c about an offset.
Problem draw(CounterRng& rng, DType dtype) {
  Problem p;
  p.x.resize(static_cast<std::size_t>(rng.between(1, rng.coin(0.1) ? 40 : 7)));
  const std::uint64_t kind = rng.below(8);
  const double center = finite_pattern(rng, dtype);
  const std::uint64_t base = round_to(dtype, rng.normal() * 100);
  for (std::size_t i = 0; i < p.x.size(); ++i) {
    double v = rng.normal();
    if (kind == 1) v = 1000 + v;
    if (kind == 2) v = finite_pattern(rng, dtype);
    if (kind == 3) v = to_double(dtype, step(dtype, base, static_cast<int>(rng.below(3))));
    if (kind == 4) v = static_cast<double>(rng.between(-40, 40)) * smallest_subnormal(dtype);
    if (kind == 5) v = static_cast<double>(rng.between(-12, 12));
    if (kind == 6 && i == 0) v = center;
    if (kind == 7) v = i % 2 == 0 ? 3 : 3.25;
    p.x[i] = to_double(dtype, round_to(dtype, v));
  }
  constexpr double eps[] = {0, 1e-5, 1e-12, 1, 0x1p-1074, 0x1p-20, 1e30};
  p.eps = eps[rng.below(7)];
  const std::uint64_t affine = rng.below(6);
  if (affine >= 2) p.gamma = rng.normal();
  if (affine == 3) p.gamma = finite_pattern(rng, dtype);
  if (affine == 2 || affine == 4) p.beta = rng.normal();
  if (affine == 3) p.beta = finite_pattern(rng, dtype);
  return p;
}

struct Met {
  int elements = 0, ties = 0, differ_on_ties = 0, hits = 0, cancelled = 0, overflowed = 0, subnormal = 0;
  int errors = 0, edges = 0;
};

bool hits(const ExactValue& v, double t) { return std::isfinite(t) && v.compare(t) == 0; }

/// Exactly half-way between `low` and its successor in the order of the numbers. (Overflow starts at such a
/// tie as well, of the largest number and "2^(emax+1)".)
bool is_tie(const ExactValue& v, DType dtype, std::uint64_t low) {
  const std::uint64_t high = step(dtype, low, 1);
  return !hits(v, to_double(dtype, low)) && !hits(v, to_double(dtype, high)) &&
         v.within_ulp(dtype, low, 0.5) && v.within_ulp(dtype, high, 0.5);
}

/// Is got +- k ulp exactly the value? There, as on a tie, wide floats cannot tell. In f64 for k >= 1/2.
bool on_the_edge(const ExactValue& v, DType dtype, std::uint64_t got, double k) {
  if (k == 0.5 && (is_tie(v, dtype, got) || is_tie(v, dtype, step(dtype, got, -1)))) return true;
  if (dtype == DType::f64 && k == 0.5) {  // below a power of two the spacing is half an ulp of it
    return hits(v, to_double(dtype, step(dtype, got, 1))) || hits(v, to_double(dtype, step(dtype, got, -1)));
  }
  const double middle = to_double(dtype, got), reach = std::ldexp(k, v.ulp_exponent(dtype));
  return hits(v, middle - reach) || hits(v, middle + reach);
}

/// What the two oracles say of one value: empty, or the first disagreement that no tie excuses. Errors must
/// agree to the 2^-50 that ExactValue::error_ulp promises; of an exact hit the wide oracle, which chooses its
/// digits with 64 bits to spare, may see less than 2^-60 ulp.
std::string disagreement(const ExactValue& exact, const WideValue& wide, DType dtype, Met& met) {
  const std::uint64_t want = exact.round(dtype), other = wide.round(dtype);
  const bool zero = exact.compare(0) == 0;
  const bool finite = is_finite(dtype, want);
  const bool tie = is_tie(exact, dtype, want) || is_tie(exact, dtype, step(dtype, want, -1));
  ++met.elements;
  met.ties += tie;
  met.overflowed += !finite;
  met.subnormal +=
      finite && !zero && exact.ulp_exponent(dtype) == format_of(dtype).emin - format_of(dtype).precision + 1;
  if (want != other) {
    const bool excused = tie || (zero && (other & ~sign_bit(dtype)) == 0);
    if (!excused) return "round: " + std::to_string(want) + " against " + std::to_string(other);
    met.differ_on_ties += tie;
  }
  for (int by = -3; by <= 3; ++by) {
    const std::uint64_t got = step(dtype, want, by);
    if (std::isnan(to_double(dtype, got))) continue;
    const double a = exact.error_ulp(dtype, got), b = wide.error_ulp(dtype, got);
    const std::string where =
        " at step " + std::to_string(by) + ": " + std::to_string(a) + " against " + std::to_string(b);
    ++met.errors;
    if (a == 0 && is_finite(dtype, got)) {
      ++met.hits;
      if (std::fabs(b) > 0x1p-60) return "error of an exact hit" + where;
    } else if (!(a == b || std::fabs(a - b) <= 0x1p-50 * std::fabs(a)) && (is_finite(dtype, got) || !tie)) {
      return "error_ulp" + where;
    }
    for (const double k : {0.25, 0.5, 1.0, 2.0}) {
      if (dtype == DType::f64 && k < 0.5) continue;
      if (exact.within_ulp(dtype, got, k) == wide.within_ulp(dtype, got, k)) continue;
      if (!on_the_edge(exact, dtype, got, k)) return "within " + std::to_string(k) + " ulp" + where;
      ++met.edges;
    }
  }
  return "";
}

/// What must hold of the exact oracle alone: the rounded result is the nearest pattern, and the faithful
/// ones are the one or two about the value.
std::string inconsistency(const ExactValue& exact, DType dtype) {
  const std::uint64_t want = exact.round(dtype);
  if (!exact.faithful(dtype, want)) return "the rounded result is no neighbour";
  if (!is_finite(dtype, want)) return "";
  if (!exact.within_ulp(dtype, want, 0.5)) return "the rounded result is more than half an ulp off";
  const double error = std::fabs(exact.error_ulp(dtype, want));
  int faithful = 0;
  for (int by = -4; by <= 4; ++by) {
    const std::uint64_t got = step(dtype, want, by);
    if (by == 0 || std::isnan(to_double(dtype, got))) continue;
    faithful += exact.faithful(dtype, got);
    if (is_finite(dtype, got) && std::fabs(exact.error_ulp(dtype, got)) < error)
      return "another pattern is nearer";
    if (std::abs(by) == 1 && (want & 1) != 0 && is_tie(exact, dtype, by > 0 ? want : got)) {
      return "a tie went to the odd one";
    }
  }
  if (faithful != (error == 0 ? 0 : 1))
    return "neighbours beside the rounded result: " + std::to_string(faithful);
  return "";
}

std::string describe(const Problem& p, std::int64_t i) {
  std::string out = "element " + std::to_string(i) + ", x =";
  char text[40];
  const auto add = [&](const char* name, double v) {
    std::snprintf(text, sizeof text, "%s%a", name, v);
    out += text;
  };
  for (const double v : p.x) add(" ", v);
  add(", eps ", p.eps);
  add(", gamma ", p.gamma);
  add(", beta ", p.beta);
  return out;
}

void print(const char* what, const Met& m) {
  std::printf(
      "[ covered ] %s: %d values (%d overflowed, %d subnormal, %d cancelled by beta), %d errors, %d exact "
      "hits, "
      "%d ties (differ on %d), %d edges\n",
      what, m.elements, m.overflowed, m.subnormal, m.cancelled, m.errors, m.hits, m.ties, m.differ_on_ties,
      m.edges);
}

void compare_on_random_rows(DType dtype, int rows) {
  Met met;
  for (int r = 0; r < rows; ++r) {
    CounterRng rng(7, static_cast<std::uint64_t>(r) * 4 + static_cast<std::uint64_t>(dtype));
    Problem p = draw(rng, dtype);
    const auto n = static_cast<std::int64_t>(p.x.size());
    const ExactRow exact(p.x.data(), n, p.eps);
    const WideRow wide(p.x.data(), n, p.eps);
    ASSERT_EQ(exact.degenerate(), wide.degenerate());
    const std::int64_t i = static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n)));
    EXPECT_EQ(disagreement(exact.mean(), wide.mean(), dtype, met), "") << "mean, " << describe(p, i);
    EXPECT_EQ(disagreement(exact.variance(), wide.variance(), dtype, met), "")
        << "variance, " << describe(p, i);
    if (exact.degenerate()) continue;
    EXPECT_EQ(disagreement(exact.rstd(), wide.rstd(), dtype, met), "") << "rstd, " << describe(p, i);
    if (rng.coin(0.2)) {  // beta takes away all that its dtype can hold of gamma * x_hat
      p.beta = -to_double(dtype, exact.y(i, p.gamma, 0).round(dtype));
      if (!std::isfinite(p.beta)) p.beta = 0;
      ++met.cancelled;
    }
    const ExactValue y = exact.y(i, p.gamma, p.beta);
    EXPECT_EQ(disagreement(y, wide.y(i, p.gamma, p.beta), dtype, met), "") << describe(p, i);
    EXPECT_EQ(inconsistency(y, dtype), "") << describe(p, i);
    if (::testing::Test::HasFailure()) return;
  }
  print(std::string(dtype_name(dtype)).c_str(), met);
  EXPECT_GT(met.elements, 3 * rows);
  EXPECT_GT(met.subnormal, rows / 100);
}

// Rows so long that n counts among the bits.
TEST(Oracle, ExactAndWideAgreeOnLongRows) {
  Met met;
  for (const DType dtype : {DType::bf16, DType::f32, DType::f64}) {
    CounterRng rng(17, static_cast<std::uint64_t>(dtype));
    std::vector<double> x(70'000);
    for (double& v : x) v = to_double(dtype, round_to(dtype, 1000 + rng.normal()));
    const auto n = static_cast<std::int64_t>(x.size());
    const ExactRow exact(x.data(), n, 1e-5);
    const WideRow wide(x.data(), n, 1e-5);
    EXPECT_EQ(disagreement(exact.mean(), wide.mean(), dtype, met), "");
    EXPECT_EQ(disagreement(exact.variance(), wide.variance(), dtype, met), "");
    EXPECT_EQ(disagreement(exact.rstd(), wide.rstd(), dtype, met), "");
    for (int k = 0; k < 200; ++k) {
      const auto i = static_cast<std::int64_t>(rng.below(x.size()));
      const double gamma = rng.normal(), beta = rng.normal();
      EXPECT_EQ(disagreement(exact.y(i, gamma, beta), wide.y(i, gamma, beta), dtype, met), "");
    }
  }
  print("n = 70000", met);
}

TEST(Oracle, ExactAndWideAgreeInF16) { compare_on_random_rows(DType::f16, 4000); }
TEST(Oracle, ExactAndWideAgreeInBF16) { compare_on_random_rows(DType::bf16, 1500); }
TEST(Oracle, ExactAndWideAgreeInF32) { compare_on_random_rows(DType::f32, 1500); }
TEST(Oracle, ExactAndWideAgreeInF64) { compare_on_random_rows(DType::f64, 400); }

/// Small integers whose n sum x^2 - (sum x)^2 is the square of `root`, so that x_hat is rational, while their
/// mean is not a binary fraction: floats of any width then miss x_hat by a little.
std::vector<double> rational_row(CounterRng& rng, std::int64_t& root) {
  for (;;) {
    std::vector<double> x(static_cast<std::size_t>(rng.between(5, 7)));
    std::int64_t s1 = 0, s2 = 0;
    for (double& v : x) {
      const std::int64_t integer = rng.between(0, 30);
      v = static_cast<double>(integer);
      s1 += integer;
      s2 += integer * integer;
    }
    const auto n = static_cast<std::int64_t>(x.size());
    const std::int64_t b = n * s2 - s1 * s1;
    root = static_cast<std::int64_t>(std::sqrt(static_cast<double>(b)));
    if (b > 0 && root * root == b && s1 * 8 % n != 0) return x;
  }
}

// gamma = g * root makes y = beta + g (n x_i - sum x), so that beta can make a tie of it.
TEST(Oracle, TheyDifferOnlyOnTies) {
  Met met;
  int made = 0, wrong = 0;
  CounterRng rng(11);
  for (int rows = 0; rows < 60; ++rows) {
    std::int64_t root = 0;
    const std::vector<double> x = rational_row(rng, root);
    const auto n = static_cast<std::int64_t>(x.size());
    double sum = 0;
    for (const double v : x) sum += v;
    const double a = static_cast<double>(n) * x[0] - sum;
    const ExactRow exact(x.data(), n, 0);
    const WideRow wide(x.data(), n, 0);
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
      for (int trial = 0; trial < 4; ++trial) {
        const std::uint64_t low = round_to(dtype, 1 + rng.uniform()) + rng.below(4);
        const std::uint64_t even = low % 2 == 0 ? low : low + 1;
        const double middle = (to_double(dtype, low) + to_double(dtype, low + 1)) / 2;
        const double g = static_cast<double>(rng.between(1, 1000)) / 64;
        const double gamma = g * static_cast<double>(root), beta = middle - g * a;
        const ExactValue y = exact.y(0, gamma, beta);
        const WideValue z = wide.y(0, gamma, beta);
        ASSERT_EQ(y.compare(middle), 0);
        ASSERT_EQ(y.round(dtype), even) << "ties go to even";
        ASSERT_EQ(std::fabs(y.error_ulp(dtype, even)), 0.5);
        ASSERT_TRUE(z.round(dtype) == low || z.round(dtype) == low + 1);
        EXPECT_EQ(disagreement(y, z, dtype, met), "");
        for (const double off : {pow2(-36), -pow2(-36)}) {  // beside the tie both see the side
          const std::uint64_t side = off > 0 ? low + 1 : low;
          ASSERT_EQ(exact.y(0, gamma, beta + off).round(dtype), side);
          ASSERT_EQ(wide.y(0, gamma, beta + off).round(dtype), side);
        }
        ++made;
        wrong += z.round(dtype) != even;
      }
    }
  }
  print("constructed", met);
  std::printf("[ covered ] %d ties made; wide floats took the wrong side of %d\n", made, wrong);
  EXPECT_GE(made, 100);
  EXPECT_EQ(met.ties, made);
  EXPECT_EQ(met.differ_on_ties, wrong);
  EXPECT_GT(wrong, 0) << "otherwise this shows nothing";
}

TEST(Oracle, AComparisonCatchesAMovedElement) {
  int tried = 0, by_rounding = 0;
  for (const DType dtype : dtypes) {
    for (int r = 0; r < 200; ++r) {
      CounterRng rng(13, static_cast<std::uint64_t>(r) * 4 + static_cast<std::uint64_t>(dtype));
      std::vector<double> x(8);
      for (double& v : x) v = to_double(dtype, round_to(dtype, 3 + rng.normal()));
      x[5] = 5;
      const WideRow wide(x.data(), 8, 1e-5);
      x[5] = to_double(dtype, step(dtype, round_to(dtype, x[5]), 1));
      const ExactRow moved(x.data(), 8, 1e-5);
      Met met;
      ++tried;
      EXPECT_NE(disagreement(moved.y(2, 1.5, 0.25), wide.y(2, 1.5, 0.25), dtype, met), "");
      EXPECT_NE(disagreement(moved.variance(), wide.variance(), dtype, met), "");
      by_rounding += moved.y(2, 1.5, 0.25).round(dtype) != wide.y(2, 1.5, 0.25).round(dtype);
    }
  }
  std::printf("[ covered ] %d rows with one element moved by one ulp: all seen, %d by the rounded result\n",
              tried, by_rounding);
}

}  // namespace
}  // namespace normcheck
