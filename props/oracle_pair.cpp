// Problems, and the comparison of the two oracles on one value.
#include "props/oracle_pair.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace normcheck {
namespace {

std::uint64_t sign_bit(DType dtype) { return std::uint64_t{1} << (format_of(dtype).bits - 1); }

bool is_finite(DType dtype, std::uint64_t bits) { return std::isfinite(to_double(dtype, bits)); }

double finite_pattern(CounterRng& rng, DType dtype) {
  for (;;) {
    const double v = to_double(dtype, rng.next() & (2 * sign_bit(dtype) - 1));
    if (std::isfinite(v)) return v;
  }
}

}  // namespace

std::uint64_t step(DType dtype, std::uint64_t bits, int by) {
  const auto sign = static_cast<std::int64_t>(sign_bit(dtype));
  auto at = static_cast<std::int64_t>(bits);
  if ((bits & sign_bit(dtype)) != 0) at = dtype == DType::f64 ? -(at & ~sign) : sign - at;
  at += by;
  return at >= 0 ? static_cast<std::uint64_t>(at) : static_cast<std::uint64_t>(-at) | sign_bit(dtype);
}

Problem draw_problem(CounterRng& rng, DType dtype) {
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

namespace {

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

/// The value is a power of two: a wide float may lie just below it, where an ulp is half as large.
bool is_power_of_two(const ExactValue& v, DType dtype, std::uint64_t rounded) {
  int exponent = 0;
  const double at = to_double(dtype, rounded);
  return hits(v, at) && std::fabs(std::frexp(at, &exponent)) == 0.5;
}

/// Equal to a relative 2^-50, or, below the normal doubles, to the last bit.
bool same_error(double a, double b) {
  return a == b || std::fabs(a - b) <= std::fmax(0x1p-50 * std::fabs(a), 0x1p-1074);
}

}  // namespace

std::string disagreement(const ExactValue& exact, const WideValue& wide, DType dtype, Met& met) {
  const std::uint64_t want = exact.round(dtype), other = wide.round(dtype);
  const bool zero = exact.compare(0) == 0;
  const bool finite = is_finite(dtype, want);
  const bool tie = is_tie(exact, dtype, want) || is_tie(exact, dtype, step(dtype, want, -1));
  const bool on_power = is_power_of_two(exact, dtype, want);
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
    const std::string where = fmt::format(" at step {}: {:a} against {:a}", by, a, b);
    ++met.errors;
    if (a == 0 && is_finite(dtype, got)) {
      ++met.hits;
      if (std::fabs(b) > 0x1p-60) return "error of an exact hit" + where;
    } else if (!same_error(a, b) && !(on_power && same_error(2 * a, b)) && (is_finite(dtype, got) || !tie)) {
      return "error_ulp" + where;
    }
    for (const double k : {0.25, 0.5, 1.0, 2.0}) {
      if (dtype == DType::f64 && k < 0.5) continue;
      if (exact.within_ulp(dtype, got, k) == wide.within_ulp(dtype, got, k)) continue;
      if (!on_power && !on_the_edge(exact, dtype, got, k))
        return "within " + std::to_string(k) + " ulp" + where;
      ++met.edges;
    }
  }
  return "";
}

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

void print_met(const char* what, const Met& m) {
  std::printf(
      "[ covered ] %s: %d values (%d overflowed, %d subnormal, %d cancelled by beta), %d errors, %d exact "
      "hits, "
      "%d ties (differ on %d), %d edges\n",
      what, m.elements, m.overflowed, m.subnormal, m.cancelled, m.errors, m.hits, m.ties, m.differ_on_ties,
      m.edges);
}

}  // namespace normcheck
