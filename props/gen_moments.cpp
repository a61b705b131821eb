// Regimes of mean against variance: from a standard normal row to rows whose spread is one ulp.
#include <algorithm>
#include <cmath>
#include <utility>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

using draw::either_sign;
using draw::full_significand;
using draw::log_uniform;

void fill_normal(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) x = rng.normal();
}

void fill_uniform(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) x = rng.uniform();
}

void fill_cubes(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) {
    const double z = rng.normal();
    x = z * z * z;
  }
}

// |mean| / deviation is 2^e (1+t) with e drawn evenly, so that every decade of kappa is met alike.
void fill_offset(CounterRng& rng, DType dtype, std::span<double> row, std::int64_t lo, std::int64_t hi) {
  const double mean = either_sign(rng, log_uniform(rng, 0, draw::everyday_exponent(dtype)));
  const double deviation = std::fabs(mean) / log_uniform(rng, lo, hi);
  for (double& x : row) x = mean + deviation * rng.normal();
}

void fill_large_mean(CounterRng& rng, DType dtype, std::span<double> row) {
  const auto n = static_cast<std::int64_t>(row.size());
  fill_offset(rng, dtype, row, 3, draw::bounded_mean_exponent(dtype, n));
}

void fill_huge_mean(CounterRng& rng, DType dtype, std::span<double> row) {
  const auto n = static_cast<std::int64_t>(row.size());
  const std::int64_t lo = draw::bounded_mean_exponent(dtype, n) + 1;
  fill_offset(rng, dtype, row, lo, std::max<std::int64_t>(lo, format_of(dtype).precision + 1));
}

void fill_few_ulps(CounterRng& rng, std::span<double> row, double base, double ulp, std::uint64_t spread) {
  for (double& x : row) x = base + ulp * static_cast<double>(rng.below(spread + 1));
}

void fill_offset_ulps(CounterRng& rng, DType dtype, std::span<double> row) {
  const std::int64_t e = rng.between(0, draw::everyday_exponent(dtype));
  const double ulp = std::ldexp(1.0, static_cast<int>(e) - (format_of(dtype).precision - 1));
  const double base = full_significand(rng, dtype, e);
  const std::uint64_t spread = 1 + rng.below(8);
  fill_few_ulps(rng, row, either_sign(rng, base), ulp, spread);
}

void fill_bf16_spread(CounterRng& rng, DType dtype, std::span<double> row) {
  const std::int64_t e = rng.between(0, draw::everyday_exponent(dtype));
  const double ulp = std::ldexp(1.0, static_cast<int>(e) - (format_of(DType::bf16).precision - 1));
  const double base = full_significand(rng, DType::bf16, e);
  fill_few_ulps(rng, row, either_sign(rng, base), ulp, 1);
}

void fill_constant(CounterRng& rng, DType dtype, std::span<double> row) {
  const std::int64_t e = rng.between(-4, draw::everyday_exponent(dtype));
  std::fill(row.begin(), row.end(), either_sign(rng, full_significand(rng, dtype, e)));
}

void fill_near_constant(CounterRng& rng, DType dtype, std::span<double> row) {
  const std::int64_t e = rng.between(-4, draw::everyday_exponent(dtype));
  const double ulp = std::ldexp(1.0, static_cast<int>(e) - (format_of(dtype).precision - 1));
  const double base = either_sign(rng, full_significand(rng, dtype, e));
  std::fill(row.begin(), row.end(), base);
  const double neighbour = base + either_sign(rng, ulp);
  row[rng.below(row.size())] = neighbour;
}

void fill_two_valued(CounterRng& rng, DType dtype, std::span<double> row) {
  const double a = either_sign(rng, log_uniform(rng, -2, 8));
  const std::int64_t closest = std::min(7, format_of(dtype).precision - 2);
  const double b = a + std::fabs(a) * either_sign(rng, log_uniform(rng, -closest, 2));
  const double share = std::ldexp(1.0, -static_cast<int>(rng.between(1, 5)));
  for (double& x : row) x = rng.coin(share) ? b : a;
  row[rng.below(row.size())] = b;
}

// Pairs c+k, c-k around an integer c, shuffled: the mean is c, and it, every deviation and every square
// are small integers.
void fill_integers(CounterRng& rng, DType, std::span<double> row) {
  const auto centre = static_cast<double>(rng.between(-16, 16));
  for (std::size_t i = 0; i + 1 < row.size(); i += 2) {
    const auto k = static_cast<double>(rng.below(8));
    row[i] = centre + k;
    row[i + 1] = centre - k;
  }
  if (row.size() % 2 == 1) row.back() = centre;
  for (std::size_t i = row.size(); i > 1; --i) std::swap(row[i - 1], row[rng.below(i)]);
}

}  // namespace

Case unit_normal(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_normal>(rng, request);
}
Case uniform01(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_uniform>(rng, request);
}
Case heavy_tailed(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_cubes>(rng, request);
}
Case large_mean(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_large_mean>(rng, request);
}
Case huge_mean(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_huge_mean>(rng, request);
}
Case offset_ulps(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_offset_ulps>(rng, request);
}
Case bf16_spread(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_bf16_spread>(rng, request);
}
Case near_constant(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_near_constant>(rng, request);
}
Case two_valued(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_two_valued>(rng, request);
}
Case integers_exact(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_integers>(rng, request);
}

// The sum of a power of two of equal numbers rounds less than others: every second such row loses an element.
Case constant(CounterRng& rng, const GenRequest& request) {
  GenRequest odd = request;
  const bool power_of_two = (request.n & (request.n - 1)) == 0;
  if (power_of_two && request.n > 2 && rng.coin()) --odd.n;
  return draw::rows_of<fill_constant>(rng, odd);
}

}  // namespace normcheck::makers
