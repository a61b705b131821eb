// Hard rows, and moments against their bound by exact comparison.
#include "props/bound_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace normcheck {
namespace {

/// Exponents that a row of the format may have without leaving the range in which a bound holds.
struct Exponents {
  int offset;     ///< of the largest offset
  int spread;     ///< of numbers on both sides of 1
  int underflow;  ///< of numbers whose squares underflow, though they do not
  int outlier;    ///< of an outlier above the offset
};
Exponents exponents_of(DType dtype) {
  const Format f = format_of(dtype);
  const int underflow = f.emin - f.precision / 2 - 2;
  if (dtype == DType::f16) return {3, 5, underflow, 2};
  if (dtype == DType::f64) return {49, 200, underflow, 7};
  return {20, 30, underflow, 7};
}

}  // namespace

std::vector<double> hard_row(CounterRng& rng, DType dtype, std::int64_t kind, std::int64_t n) {
  const Exponents e = exponents_of(dtype);
  const double u = unit_roundoff(dtype), ulp = 2 * u;
  const double offset = std::ldexp(1.0, static_cast<int>(rng.between(0, e.offset)));
  const double outlier = std::ldexp(offset, e.outlier);
  const auto size = static_cast<double>(n);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    double v = 0;
    switch (kind) {
      case 0:
        v = rng.normal();
        break;
      case 1:
        v = offset + rng.normal();
        break;
      case 2:
        v = offset * (1 + ulp * static_cast<double>(i / 2));
        break;  // a ramp that updates lose
      case 3:
        v = i == 0 ? 1.0 : u;
        break;  // ties that all round down
      case 4:
        v = i == n - 1 ? offset * (1 + ulp) : offset;
        break;  // one neighbour
      case 5:
        v = (i == 0 ? outlier : 1.0) + rng.normal();
        break;  // an outlier first
      case 6:
        v = rng.normal();
        v = std::ldexp(v, static_cast<int>(rng.between(-e.spread, e.spread)));
        break;
      case 7:
        v = static_cast<double>(i) - size / 2;
        break;  // sorted, mean near 0
      case 8:
        v = std::ldexp(rng.normal(), e.underflow);
        break;
      default:
        v = (i % 2 == 0 ? 1.0 : -1.0) * offset + 0x1p-10 * rng.normal();
        break;
    }
    x[static_cast<std::size_t>(i)] = to_double(dtype, round_to(dtype, v));
  }
  return x;
}

std::string text_of(const Tightness& seen) {
  return fmt::format("{} rows ({} without a bound, {} out of range), share: mean {:.3f}, variance {:.3f}",
                     seen.rows, seen.without_bound, seen.out_of_range, seen.mean, seen.variance);
}

namespace {

/// Empty, or how `got` misses the value by more than the bound. `largest` becomes the error's largest share.
std::string miss(std::string_view what, double got, const ExactValue& value, double bound, double& largest) {
  const double exact = value.to_double();
  const std::string text = fmt::format("{} {:a}, exact {:a}, bound {:g}", what, got, exact, bound);
  if (!std::isfinite(got)) return text;
  const double distance = std::fabs(got - exact);
  if (bound > 0 && distance > 0) largest = std::max(largest, distance / bound);
  return value.within(got, bound) ? "" : text;
}

}  // namespace

::testing::AssertionResult keeps(const ExactRow& exact, Moments<double> got, const MomentBound& bound,
                                 Parts parts, Tightness& seen) {
  if (!bound.in_range) {
    ++seen.out_of_range;
    return ::testing::AssertionSuccess();
  }
  ++seen.rows;
  const double mean_bound = bound.mean.value() * parts.mean;
  const double variance_bound = bound.variance.value() * parts.variance;
  seen.without_bound += !std::isfinite(mean_bound) || !std::isfinite(variance_bound);
  std::string why;
  if (std::isfinite(mean_bound)) why = miss("mean", got.mean, exact.mean(), mean_bound, seen.mean);
  if (why.empty() && std::isfinite(variance_bound))
    why = miss("variance", got.var, exact.variance(), variance_bound, seen.variance);
  if (why.empty()) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << why;
}

}  // namespace normcheck
