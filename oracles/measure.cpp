// Decides by the estimate, and by integers what the estimate leaves open.
#include "oracles/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace normcheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Quad power_of_two(int exponent) {
  Quad out = 1;
  const Quad step = exponent < 0 ? Quad(0.5) : Quad(2);
  for (int i = std::abs(exponent); i > 0; --i) out *= step;
  return out;
}

/// omega + ulp(omega)/2, from which round to nearest overflows; in Quad, so for f64 too.
Quad threshold(DType dtype) {
  const Format f = format_of(dtype);
  return power_of_two(f.emax) * (2 - power_of_two(-f.precision));
}

/// floor(log2 v) for v > 0 in the range of double, subnormals included; clamped beyond.
int exponent_of(Quad v) {
  const double d = static_cast<double>(v);
  if (d == 0) return -1075;
  if (std::isinf(d)) return 1024;
  int e = std::ilogb(d);
  if (static_cast<Quad>(std::ldexp(1.0, e)) > v) --e;  // the conversion rounded up to a power of two
  return e;
}

int ulp_exponent_of(const Format& f, Quad magnitude) {
  const int e = magnitude > 0 ? exponent_of(magnitude) : f.emin;
  return std::clamp(e, f.emin, f.emax) - (f.precision - 1);
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
  const Format f = format_of(dtype);
  const Quad size = abs(estimate.value);

  if (std::isinf(got)) {
    // The threshold test needs |exact| to within the allowance's own size: take the exact value, rounded,
    // where the estimate is open, and let equality count.
    const double side = std::copysign(1.0, got);
    const Quad value = std::isfinite(estimate.error) ? estimate.value : Quad(exact().to_double());
    const Quad slack = std::isfinite(estimate.error) ? Quad(estimate.error) : Quad(0);
    out.correctly_rounded = exact().round(dtype) == got_bits;
    out.within = out.correctly_rounded || value * side + slack + allowance >= threshold(dtype);
    if (out.correctly_rounded) return out;
    out.error_ulp = side * kInfinity;
    out.error_abs = kInfinity;
    if (out.within) {  // measured as 2^(emax+1), the number that overflow stands for
      const Quad distance = power_of_two(f.emax + 1) - value * side;
      out.error_abs = static_cast<double>(abs(distance));
      out.error_ulp = side * static_cast<double>(abs(distance) / power_of_two(f.emax - f.precision + 1));
    }
    return out;
  }

  const Decision decision = std::isinf(allowance) ? Decision::yes : decide_within(estimate, got, allowance);
  out.within = decision == Decision::unknown ? exact().within(got, allowance) : decision == Decision::yes;

  // The estimate gives the error where the binade is certain and its own error is below 2^-40 ulp.
  const Quad low = size > Quad(estimate.error) ? size - Quad(estimate.error) : Quad(0);
  const int unit_low = ulp_exponent_of(f, low);
  const bool certain =
      std::isfinite(estimate.error) && unit_low == ulp_exponent_of(f, size + Quad(estimate.error));
  const double unit = std::ldexp(1.0, unit_low);
  const Quad distance = Quad(got) - estimate.value;
  if (certain && unit > 0 && estimate.error <= unit * 0x1p-40) {
    out.error_ulp = static_cast<double>(distance / Quad(unit));
    out.error_abs = static_cast<double>(abs(distance));
    const double magnitude = std::fabs(out.error_ulp);
    if (magnitude < 0.5 - 0x1p-38) {
      out.correctly_rounded = true;
      return out;
    }
    if (magnitude > 0.5 + 0x1p-38) return out;
  } else {
    out.error_ulp = exact().error_ulp(dtype, got_bits);
    out.error_abs = static_cast<double>(abs(Quad(got) - Quad(exact().to_double())));
    if (std::isfinite(estimate.error)) out.error_abs = static_cast<double>(abs(distance));
  }
  out.correctly_rounded = to_double(dtype, exact().round(dtype)) == got;
  return out;
}

}  // namespace normcheck
