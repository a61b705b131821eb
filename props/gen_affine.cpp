// Regimes of gamma and beta: every size and sign, zeros, and a beta that takes y away.
#include <cmath>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

using draw::either_sign;

void fill_shifted_normal(CounterRng& rng, DType, std::span<double> row) {
  const double mean = 2.0 * rng.normal();
  for (double& x : row) x = mean + rng.normal();
}

Case plain_rows(CounterRng& rng, const GenRequest& request) {
  Case c = draw::blank(rng, request);
  draw::fill_rows(rng, c, fill_shifted_normal);
  return c;
}

// x_hat of row 0 in double, near enough for a beta that nearly cancels.
std::vector<double> first_row_normalized(const Case& c) {
  const std::int64_t n = row_length(c);
  std::vector<double> out(static_cast<std::size_t>(n));
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += c.x.value(i);
  const double mean = sum / static_cast<double>(n);
  double squares = 0;
  for (std::int64_t i = 0; i < n; ++i) squares += (c.x.value(i) - mean) * (c.x.value(i) - mean);
  const double under_root = squares / static_cast<double>(n) + c.eps;
  const double root = under_root > 0 ? std::sqrt(under_root) : 1.0;
  for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = (c.x.value(i) - mean) / root;
  return out;
}

}  // namespace

Case gamma_beta_random(CounterRng& rng, const GenRequest& request) {
  Case c = plain_rows(rng, request);
  c.gamma = draw::column_tensor(rng, c);
  c.beta = draw::column_tensor(rng, c);
  for (std::int64_t i = 0; i < c.gamma->size(); ++i) {
    draw::set_finite(*c.gamma, i, either_sign(rng, draw::log_uniform(rng, -8, 8)));
    draw::set_finite(*c.beta, i, either_sign(rng, draw::log_uniform(rng, -8, 8)));
  }
  return c;
}

Case gamma_with_zeros(CounterRng& rng, const GenRequest& request) {
  Case c = plain_rows(rng, request);
  draw::dress(rng, c);
  if (!c.gamma) c.gamma = draw::column_tensor(rng, c);
  for (std::int64_t i = 0; i < c.gamma->size(); ++i) {
    const double value = rng.below(3) == 0 ? 0.0 : 0.5 + rng.uniform();
    draw::set_finite(*c.gamma, i, either_sign(rng, value));
  }
  return c;
}

Case cancelling_beta(CounterRng& rng, const GenRequest& request) {
  Case c = plain_rows(rng, request);
  c.gamma = draw::column_tensor(rng, c);
  c.beta = draw::column_tensor(rng, c);
  for (std::int64_t i = 0; i < c.gamma->size(); ++i)
    draw::set_finite(*c.gamma, i, either_sign(rng, 0.5 + 3.5 * rng.uniform()));
  if (row_count(c) == 0) return c;
  const std::vector<double> x_hat = first_row_normalized(c);
  for (std::int64_t i = 0; i < c.gamma->size(); ++i)
    draw::set_finite(*c.beta, i, -c.gamma->value(i) * x_hat[static_cast<std::size_t>(i)]);
  return c;
}

}  // namespace normcheck::makers
