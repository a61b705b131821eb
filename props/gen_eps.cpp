// Regimes of eps against the variance: beside it, far above it, far below it, and none at all.
#include <algorithm>
#include <cmath>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

// Fills rows with mean of up to twice the deviation and that deviation; at least 16 spacings of the smallest
// numbers, so that a half still holds the row.
void fill_scaled(CounterRng& rng, Case& c, double deviation) {
  const double floor = 16.0 * smallest_subnormal(c.x.dtype);
  const double spread = std::max(deviation, floor);
  const std::int64_t n = row_length(c);
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    const double mean = spread * (4.0 * rng.uniform() - 2.0);
    for (std::int64_t i = 0; i < n; ++i) draw::set_finite(c.x, r * n + i, mean + spread * rng.normal());
  }
}

// sqrt(eps), or 1 where the caller fixed eps at 0.
double root_of_eps(const Case& c) { return c.eps > 0 ? std::sqrt(c.eps) : 1.0; }

Case with_eps(CounterRng& rng, const GenRequest& request, double eps) {
  GenRequest chosen = request;
  if (!request.fixed_eps) {
    chosen.fixed_eps = true;
    chosen.eps = eps;
  }
  return draw::blank(rng, chosen);
}

}  // namespace

Case eps_scale(CounterRng& rng, const GenRequest& request) {
  const double eps = rng.coin() ? 1e-5 : draw::log_uniform(rng, -20, 2);
  Case c = with_eps(rng, request, eps);
  const double factor = draw::log_uniform(rng, -6, 5);
  fill_scaled(rng, c, root_of_eps(c) * std::sqrt(factor));
  draw::dress(rng, c);
  return c;
}

Case tiny_variance(CounterRng& rng, const GenRequest& request) {
  Case c = draw::blank(rng, request);
  const double ratio = std::ldexp(1.0, -static_cast<int>(rng.between(4, 16)));
  fill_scaled(rng, c, root_of_eps(c) * ratio);
  draw::dress(rng, c, ratio);
  return c;
}

// Constant rows, where eps alone is under the root, and rows whose variance is about eps.
Case tiny_eps(CounterRng& rng, const GenRequest& request) {
  const bool is_double = request.dtype == DType::f64;
  Case c = with_eps(rng, request,
                    is_double ? draw::log_uniform(rng, -1060, -500) : draw::log_uniform(rng, -145, -60));
  const double spread = root_of_eps(c) * draw::log_uniform(rng, -2, 5);
  const std::int64_t n = row_length(c);
  // The square of a spread is to be a number with bits to spare.
  const double least = std::ldexp(1.0, is_double ? -500 : -56);
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    const bool is_constant = rng.coin();
    const double value = draw::either_sign(rng, draw::log_uniform(rng, -4, 4));
    for (std::int64_t i = 0; i < n; ++i)
      draw::set_finite(c.x, r * n + i, is_constant ? value : std::max(spread, least) * rng.normal());
  }
  draw::dress(rng, c);
  return c;
}

Case large_eps(CounterRng& rng, const GenRequest& request) {
  Case c = with_eps(rng, request, draw::log_uniform(rng, 0, 20));
  fill_scaled(rng, c, 1.0);
  draw::dress(rng, c, 1.0 / root_of_eps(c));
  return c;
}

// Two neighbours differ in every row of two or more: the exact variance is never 0 there.
Case zero_eps(CounterRng& rng, const GenRequest& request) {
  Case c = with_eps(rng, request, 0.0);
  fill_scaled(rng, c, draw::log_uniform(rng, -4, 6));
  const std::int64_t n = row_length(c);
  for (std::int64_t r = 0; r < row_count(c) && n > 1; ++r) {
    const double first = c.x.value(r * n);
    if (c.x.value(r * n + 1) == first) draw::set_finite(c.x, r * n + 1, first == 0 ? 1.0 : first * 1.5);
  }
  draw::dress(rng, c);
  return c;
}

}  // namespace normcheck::makers
