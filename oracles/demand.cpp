// Decides demands in ulp: by the measured error where that is sure, else by integers.
#include "oracles/demand.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/ulp.h"

namespace normcheck {
namespace {

/// An error of Measure is off by at most 2^-40 ulp and a relative 2^-48.
bool surely_apart(double a, double b) { return std::fabs(a - b) > 0x1p-38 * (1 + a + b); }

bool within_ulps(DType dtype, std::uint64_t got, const Measure& m, const ExactSource& exact, double most) {
  const double error = std::fabs(m.error_ulp);
  if (std::isfinite(to_double(dtype, got)) && surely_apart(error, most)) return error < most;
  return exact().within_ulp(dtype, got, most);
}

/// A number nearer than half an ulp is the nearest, and so a neighbour; one an ulp away or further is none.
/// Between the two, where a binade ends, the integers decide.
bool is_faithful(DType dtype, std::uint64_t got, const Measure& m, const ExactSource& exact) {
  if (m.correctly_rounded) return true;
  if (std::isfinite(to_double(dtype, got)) && std::fabs(m.error_ulp) > 1 &&
      surely_apart(std::fabs(m.error_ulp), 1))
    return false;
  return exact().faithful(dtype, got);
}

}  // namespace

double Demand::allowance(DType dtype, double want) const {
  double most = rounding == Claims::Rounding::correct    ? 0.5
                : rounding == Claims::Rounding::faithful ? 1.0
                                                         : std::numeric_limits<double>::infinity();
  if (max_ulp) most = std::min(most, *max_ulp);
  return most * ulp(dtype, want);
}

Demand demand_of(const Contract& contract, bool constant) {
  Demand out;
  if (!contract.claims) return out;
  out.max_ulp = contract.claims->max_ulp;
  out.rounding = contract.claims->rounding;
  out.flush = contract.claims->flush;
  if (constant && contract.claims->constant_exact) out.rounding = Claims::Rounding::correct;
  return out;
}

Measure measure(DType dtype, std::uint64_t got, const Estimated& estimate, const ExactSource& exact,
                double allowance, const Demand& demand) {
  Measure m = measure(dtype, got, estimate, exact, allowance);
  const double value = to_double(dtype, got);
  if (std::isnan(value)) return m;
  if (demand.by_ulp()) {
    m.within = (!demand.max_ulp || within_ulps(dtype, got, m, exact, *demand.max_ulp)) &&
               (demand.rounding != Claims::Rounding::correct || m.correctly_rounded) &&
               (demand.rounding != Claims::Rounding::faithful || is_faithful(dtype, got, m, exact));
  }
  if (demand.by_ulp() && demand.flush_move > 0 && !m.within && std::isfinite(value)) {
    const Upward largest = Upward(estimate.magnitude()) + Upward(demand.flush_move);
    const Upward reach = Upward(demand.allowance(dtype, largest.value())) + Upward(demand.flush_move);
    m.within = exact().within(value, std::min(reach.value(), std::numeric_limits<double>::max()));
  }
  if (demand.flush && value == 0 && !m.within) {
    // A number within the allowance may be below the normal ones.
    const Upward reach =
        Upward(std::ldexp(1.0, format_of(dtype).emin)) + Upward(demand.by_ulp() ? 0.0 : allowance);
    const Decision decision = decide_within(estimate, 0, reach.value());
    m.within = decision == Decision::unknown ? exact().within(0, reach.value()) : decision == Decision::yes;
  }
  return m;
}

}  // namespace normcheck
