// Regimes of the ends of the format: subnormal, huge, and everything between in one row.
#include <algorithm>
#include <cmath>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

using draw::either_sign;

void fill_multiples(CounterRng& rng, std::span<double> row, double unit, std::uint64_t most) {
  for (double& x : row) x = either_sign(rng, unit * static_cast<double>(rng.below(most + 1)));
}

// Log-uniform in magnitude: k random bits, k random.
void fill_subnormal(CounterRng& rng, DType dtype, std::span<double> row) {
  const double eta = smallest_subnormal(dtype);
  const std::int64_t bits = format_of(dtype).precision - 1;
  if (rng.coin()) return fill_multiples(rng, row, eta, (std::uint64_t{1} << bits) - 1);
  for (double& x : row) {
    const std::uint64_t range = std::uint64_t{1} << rng.between(1, bits);
    x = either_sign(rng, eta * static_cast<double>(rng.below(range)));
  }
}

void fill_wide(CounterRng& rng, DType dtype, std::span<double> row) {
  const Format f = format_of(dtype);
  const std::int64_t reach = dtype == DType::f16 ? f.emax - 1 : f.emax / 3;
  for (double& x : row) x = either_sign(rng, draw::log_uniform(rng, -reach, reach));
}

void fill_half_range(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) x = either_sign(rng, 300.0 + 300.0 * rng.uniform());
}

// Near sqrt(omega) squares overflow, near omega sums do; one sign overflows the mean too.
void fill_near_overflow(CounterRng& rng, DType dtype, std::span<double> row) {
  const int emax = format_of(dtype).emax;
  const bool squares = rng.coin();
  const std::int64_t e = squares ? (emax + 1) / 2 + rng.between(-3, 2) : emax - rng.between(0, 4);
  const bool one_sign = rng.coin();
  for (double& x : row) {
    const double magnitude = std::ldexp(1.0 + rng.uniform(), static_cast<int>(e));
    x = one_sign ? magnitude : either_sign(rng, magnitude);
  }
}

// The sum of the squared deviations stays within the range; with the mean in them it need not. A half has no
// such numbers, and gets its largest.
void fill_high_binades(CounterRng& rng, DType dtype, std::span<double> row) {
  const int emax = format_of(dtype).emax;
  const auto n = static_cast<std::int64_t>(row.size());
  const std::int64_t most = dtype == DType::f16 ? 9 : emax / 2 - draw::ceil_log2(n) / 2 - 7;
  const std::int64_t over =
      std::min<std::int64_t>(draw::bounded_mean_exponent(dtype, n), dtype == DType::f16 ? 5 : 20);
  const double deviation = draw::log_uniform(rng, std::max<std::int64_t>(0, most - 6), most);
  const double mean = either_sign(rng, deviation * std::ldexp(1.0, static_cast<int>(rng.between(3, over))));
  const bool is_constant = rng.below(8) == 0;
  for (double& x : row) x = is_constant ? mean : mean + deviation * rng.normal();
}

// Constant as a number, not as bits. One row in four has a single 1 among the zeros.
void fill_signed_zeros(CounterRng& rng, DType, std::span<double> row) {
  const std::uint64_t mode = rng.below(4);
  for (double& x : row) x = mode == 0 ? -0.0 : either_sign(rng, 0.0);
  if (mode != 3) return;
  const double one = either_sign(rng, 1.0);
  row[rng.below(row.size())] = one;
}

}  // namespace

Case wide_exponents(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_wide>(rng, request);
}
Case half_range(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_half_range>(rng, request);
}
Case high_binades(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_high_binades>(rng, request);
}
Case near_overflow(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_near_overflow>(rng, request);
}

Case signed_zeros(CounterRng& rng, const GenRequest& request) {
  Case c = draw::rows_of<fill_signed_zeros>(rng, request);
  if (c.beta && rng.coin())
    for (std::int64_t i = 0; i < c.beta->size(); ++i) c.beta->set_value(i, either_sign(rng, 0.0));
  return c;
}

// eps is 0 in one case of eight: a variance that underflows is then all there is under the root.
Case subnormal(CounterRng& rng, const GenRequest& request) {
  Case c = draw::blank(rng, request);
  if (!request.fixed_eps && rng.below(8) == 0) c.eps = 0.0;
  draw::fill_rows(rng, c, fill_subnormal);
  const double largest = std::ldexp(1.0, format_of(request.dtype).emin);
  draw::dress(rng, c, c.eps > 0 ? largest / std::sqrt(c.eps) : 1.0);
  return c;
}

// x_hat is subnormal in the working format and gamma lifts it back: what the product lost is seen.
Case tiny_x_large_gamma(CounterRng& rng, const GenRequest& request) {
  GenRequest chosen = request;
  if (!request.fixed_eps) {
    chosen.fixed_eps = true;
    chosen.eps = draw::log_uniform(rng, 0, 5);
  }
  Case c = draw::blank(rng, chosen);
  const DType dtype = request.dtype;
  const std::int64_t n = row_length(c);
  const std::uint64_t most = std::uint64_t{1} << rng.between(3, format_of(dtype).precision - 1);
  std::vector<double> row(static_cast<std::size_t>(n));
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    fill_multiples(rng, row, smallest_subnormal(dtype), most);
    for (std::int64_t i = 0; i < n; ++i) draw::set_finite(c.x, r * n + i, row[static_cast<std::size_t>(i)]);
  }
  c.gamma = draw::column_tensor(rng, c);
  const std::int64_t lift = format_of(c.gamma->dtype).emax / 2;
  for (std::int64_t i = 0; i < n; ++i)
    draw::set_finite(*c.gamma, i, either_sign(rng, draw::log_uniform(rng, lift - 4, lift)));
  return c;
}

}  // namespace normcheck::makers
