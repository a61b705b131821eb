// Decides by the estimate, and by integers what the estimate leaves open.
#include "oracles/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// |exact| + allowance >= omega + ulp(omega)/2, with the sign of `side`, the allowance rounded up. In f64,
/// where the threshold is not a double, an allowance under half an ulp of omega counts as that half.
bool reaches_overflow(DType dtype, const ExactValue& exact, double side, double allowance) {
  const Format f = format_of(dtype);
  const double half_unit = std::ldexp(1.0, f.emax - f.precision);
  const double omega = largest_finite(dtype);
  double needed = omega;
  if (allowance >= half_unit) {
    // May be negative: then even a value of the other sign can reach it. Rounded down, to -infinity at worst.
    const double rest = std::nextafter(allowance - half_unit, kInfinity);
    needed = std::nextafter(omega - rest, -kInfinity);
    if (!std::isfinite(needed)) return true;
  } else if (dtype != DType::f64) {
    needed = omega + (half_unit - allowance);
  }
  return exact.compare(side * needed) * side >= 0;
}

/// An infinity: right where the value rounds to it, allowed where the allowance reaches the threshold; then
/// measured as 2^(emax+1), the number that overflow stands for.
Measure measure_infinity(DType dtype, std::uint64_t got_bits, const ExactValue& exact, double allowance) {
  Measure out;
  const double side = std::copysign(1.0, to_double(dtype, got_bits));
  out.correctly_rounded = exact.round(dtype) == got_bits;
  if (out.correctly_rounded) {
    out.within = true;
    return out;
  }
  out.within = std::isinf(allowance) || reaches_overflow(dtype, exact, side, allowance);
  out.error_ulp = side * kInfinity;
  out.error_abs = kInfinity;
  if (out.within) {
    // Halved on the way: 2^(emax+1) is not a double for f64.
    const double half = std::ldexp(1.0, format_of(dtype).emax) - exact.to_double() * side / 2;
    const double largest = std::numeric_limits<double>::max();
    out.error_abs = std::min(2 * half, largest);
    out.error_ulp = side * std::min(std::ldexp(half, 1 - exact.ulp_exponent(dtype)), largest);
  }
  return out;
}

}  // namespace

Measure measure(DType dtype, std::uint64_t got_bits, const Estimated& estimate, const ExactSource& source,
                double allowance) {
  const double got = to_double(dtype, got_bits);
  Measure out;
  if (std::isnan(got)) {
    out.error_ulp = out.error_abs = kInfinity;
    return out;
  }
  std::optional<ExactValue> made;
  const auto exact = [&]() -> const ExactValue& {
    if (!made) made.emplace(source());
    return *made;
  };
  if (std::isinf(got)) return measure_infinity(dtype, got_bits, exact(), allowance);

  const Decision decision = std::isinf(allowance) ? Decision::yes : decide_within(estimate, got, allowance);
  out.within = decision == Decision::unknown ? exact().within(got, allowance) : decision == Decision::yes;

  // The estimate gives the error where the binade is certain and its own error is below 2^-40 ulp.
  const double size = std::fabs(estimate.value.hi);
  const int exponent = ulp_exponent(dtype, std::max(0.0, size * (1 - 0x1p-51) - estimate.error));
  const double distance = signed_distance(estimate, got);
  const double unit = power_of_two(exponent);
  if (exponent == ulp_exponent(dtype, estimate.magnitude()) && std::isfinite(distance) &&
      estimate.error <= unit * 0x1p-40) {
    out.error_ulp = distance / unit;
    out.error_abs = std::fabs(distance);
    const double magnitude = std::fabs(out.error_ulp);
    if (magnitude < 0.5 - 0x1p-38) {
      out.correctly_rounded = true;
      return out;
    }
    if (magnitude > 0.5 + 0x1p-38) return out;
  } else {
    out.error_ulp = exact().error_ulp(dtype, got_bits);
    out.error_abs = std::fabs(std::ldexp(out.error_ulp, exact().ulp_exponent(dtype)));
  }
  out.correctly_rounded = to_double(dtype, exact().round(dtype)) == got;
  return out;
}

}  // namespace normcheck
