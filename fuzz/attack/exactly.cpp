// The same figures as the scorer's, from integers.
#include "fuzz/attack/exactly.h"

#include <algorithm>
#include <cmath>

#include "oracles/bound.h"
#include "oracles/row_input.h"

namespace normcheck {

Exactly exactly_of(const Case& c, const Observation& observed, const std::optional<Observation>& other,
                   const Contract& contract) {
  Exactly out;
  RowInput input(c);
  if (observed.status != Status::ok || !input.load(0, contract.reads_prefixes())) return out;
  const ExactRow& exact = input.exact_row();
  if (exact.degenerate()) return out;
  const bool both = other && other->status == Status::ok;
  double distance = 0, size = std::ldexp(1.0, format_of(c.x.dtype).emin);
  std::int64_t worst = 0;
  for (std::int64_t i = 0; i < row_length(c); ++i) {
    const double gamma = input.gamma_at(i), beta = input.beta_at(i);
    const ExactValue y = exact.y(i, gamma, beta);
    const double got = observed.y.value(i), ulp = std::ldexp(1.0, y.ulp_exponent(c.x.dtype));
    if (!std::isfinite(got)) continue;
    const double error = std::fabs(y.error_ulp(c.x.dtype, observed.y.bits(i))) * ulp;
    if (error > out.error_abs) {
      out.error_abs = error;
      worst = i;
    }
    size = std::max(size, std::fabs(gamma * exact.x_hat(i).to_double()) + std::fabs(beta));
    if (both && std::isfinite(other->y.value(i)))
      distance = std::max(distance, std::fabs(got - other->y.value(i)));
  }
  const double unit = unit_roundoff(c.x.dtype) * size;
  out.normwise_u = out.error_abs / unit;
  out.distance_u = distance / unit;
  const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
  if (allowance.in_range() && !allowance.voided())
    out.allowed_abs = allowance.y(input.element(worst).facts).y;
  return out;
}

}  // namespace normcheck
