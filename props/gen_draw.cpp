// Draws values, rows, eps, gamma and beta for the makers of regimes.
#include "props/gen_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace normcheck::draw {

double log_uniform(CounterRng& rng, std::int64_t lo, std::int64_t hi) {
  const std::int64_t e = rng.between(lo, hi);
  return std::ldexp(1.0 + rng.uniform(), static_cast<int>(e));
}

double full_significand(CounterRng& rng, DType dtype, std::int64_t e) {
  const int precision = format_of(dtype).precision;
  const std::uint64_t top = std::uint64_t{1} << (precision - 1);
  const std::uint64_t significand = top | rng.below(top) | 1U;
  return std::ldexp(static_cast<double>(significand), static_cast<int>(e) - (precision - 1));
}

int ceil_log2(std::int64_t n) {
  int k = 0;
  while ((std::int64_t{1} << k) < n) ++k;
  return k;
}

std::int64_t bounded_mean_exponent(DType dtype, std::int64_t n) {
  const int everyday = dtype == DType::f64 ? 40 : 20;
  const int by_format = format_of(dtype).precision - 2;
  const int by_bound = accumulate_precision(dtype) - 3 - ceil_log2(n);
  return std::max(3, std::min({everyday, by_format, by_bound}));
}

std::vector<std::int64_t> factor(CounterRng& rng, std::int64_t n, std::int64_t parts) {
  std::vector<std::int64_t> extents;
  std::int64_t rest = n;
  for (std::int64_t part = 1; part < parts; ++part) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t d = 1; d * d <= rest; ++d)
      if (rest % d == 0) divisors.push_back(d);
    const std::int64_t d = divisors[rng.below(divisors.size())];
    extents.push_back(d);
    rest /= d;
  }
  extents.push_back(rest);
  return extents;
}

double choose_eps(CounterRng& rng, const GenRequest& request) {
  if (request.fixed_eps) return request.eps;
  constexpr std::array usual = {1e-3, 1e-6, 1e-7, 1e-8, 1e-12};
  switch (rng.below(4)) {
    case 0:
      return usual[rng.below(usual.size())];
    case 1:
      return log_uniform(rng, -20, -4);
    default:
      return 1e-5;
  }
}

Case blank(CounterRng& rng, const GenRequest& request) {
  Case c;
  c.norm_ndim = request.norm_ndim;
  c.eps = choose_eps(rng, request);
  std::vector<std::int64_t> shape = {request.rows};
  for (const std::int64_t extent : factor(rng, request.n, request.norm_ndim)) shape.push_back(extent);
  c.x = Tensor(request.dtype, std::move(shape));
  return c;
}

void set_finite(Tensor& t, std::int64_t i, double value) {
  const double omega = largest_finite(t.dtype);
  t.set_value(i, std::clamp(value, -omega, omega));
}

void fill_rows(CounterRng& rng, Case& c, FillRow fill) {
  const std::int64_t rows = row_count(c);
  const std::int64_t n = row_length(c);
  std::vector<double> row(static_cast<std::size_t>(n));
  for (std::int64_t r = 0; r < rows; ++r) {
    fill(rng, c.x.dtype, row);
    for (std::int64_t i = 0; i < n; ++i) set_finite(c.x, r * n + i, row[static_cast<std::size_t>(i)]);
  }
}

Tensor column_tensor(CounterRng& rng, const Case& c) {
  const bool wide = is_half(c.x.dtype) && rng.coin();
  return Tensor(wide ? DType::f32 : c.x.dtype, normalized_shape(c));
}

void dress(CounterRng& rng, Case& c, double y_scale) {
  if (rng.coin()) {
    c.gamma = column_tensor(rng, c);
    for (std::int64_t i = 0; i < c.gamma->size(); ++i)
      set_finite(*c.gamma, i, either_sign(rng, 0.25 + 1.75 * rng.uniform()));
  }
  if (rng.coin()) {
    c.beta = column_tensor(rng, c);
    const double scale = rng.below(4) == 0 ? 1.0 : y_scale;
    for (std::int64_t i = 0; i < c.beta->size(); ++i) set_finite(*c.beta, i, scale * rng.normal());
  }
}

}  // namespace normcheck::draw
