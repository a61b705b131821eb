// Regimes of order: the same moments, but where an element stands decides what a running form does.
#include <algorithm>
#include <cmath>
#include <functional>

#include "props/gen_draw.h"
#include "props/gen_makers.h"

namespace normcheck::makers {
namespace {

using draw::either_sign;

// k mod period, up or down, in steps that the format holds exactly.
void fill_ramp(CounterRng& rng, DType dtype, std::span<double> row) {
  const std::uint64_t most = std::uint64_t{1} << std::min(format_of(dtype).precision, 15);
  const std::uint64_t period = 2 + rng.below(std::min<std::uint64_t>(row.size(), most - 1));
  const double size = std::ldexp(1.0, static_cast<int>(rng.between(-6, 0)));
  const double step = either_sign(rng, size);
  const std::uint64_t start = rng.below(period);
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = step * static_cast<double>((start + k) % period);
}

// c, c, c+ulp, c+ulp, c+2ulp, ...: each Welford update moves the mean by less than it can hold, and all
// roundings go the same way.
void fill_welford_ramp(CounterRng& rng, DType dtype, std::span<double> row) {
  const int e = static_cast<int>(rng.between(-2, 8));
  const double c = std::ldexp(1.0, e);
  const double ulp = std::ldexp(1.0, e - (format_of(dtype).precision - 1));
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = c + ulp * static_cast<double>(k / 2);
}

void fill_around_outlier(CounterRng& rng, std::span<double> row, std::size_t at) {
  for (double& x : row) x = rng.normal();
  row[at] = either_sign(rng, draw::log_uniform(rng, 3, 11));
}
void fill_outlier_first(CounterRng& rng, DType, std::span<double> row) { fill_around_outlier(rng, row, 0); }
void fill_outlier_last(CounterRng& rng, DType, std::span<double> row) {
  fill_around_outlier(rng, row, row.size() - 1);
}

void fill_two_blocks(CounterRng& rng, DType, std::span<double> row) {
  const auto a = static_cast<double>(rng.between(1, 16));
  const auto b = a + static_cast<double>(rng.between(1, 16));
  const auto half = row.begin() + static_cast<std::ptrdiff_t>((row.size() + 1) / 2);
  std::fill(row.begin(), half, a);
  std::fill(half, row.end(), b);
}

void fill_chunks(CounterRng& rng, DType, std::span<double> row) {
  std::size_t i = 0;
  while (i < row.size()) {
    const std::size_t length = 1 + rng.below(std::max<std::size_t>(1, row.size() / 2));
    const double mean = either_sign(rng, draw::log_uniform(rng, -1, 6));
    const double deviation = draw::log_uniform(rng, -3, 1);
    for (std::size_t k = 0; k < length && i < row.size(); ++k, ++i) row[i] = mean + deviation * rng.normal();
  }
}

void fill_sorted(CounterRng& rng, DType, std::span<double> row) {
  const double mean = 8.0 * rng.normal();
  for (double& x : row) x = mean + rng.normal();
  if (rng.coin()) {
    std::sort(row.begin(), row.end());
  } else {
    std::sort(row.begin(), row.end(), std::greater<>());
  }
}

void fill_alternating(CounterRng& rng, DType, std::span<double> row) {
  double swing = draw::log_uniform(rng, 2, 8);
  for (double& x : row) {
    x = swing + rng.normal();
    swing = -swing;
  }
}

void fill_sparse(CounterRng& rng, DType, std::span<double> row) {
  for (double& x : row) x = rng.below(8) == 0 ? std::fabs(rng.normal()) : 0.0;
  const double never_zero = 1.0 + rng.uniform();
  row[rng.below(row.size())] = never_zero;
}

}  // namespace

Case ramp(CounterRng& rng, const GenRequest& request) { return draw::rows_of<fill_ramp>(rng, request); }
Case welford_ramp(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_welford_ramp>(rng, request);
}
Case outlier_first(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_outlier_first>(rng, request);
}
Case outlier_last(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_outlier_last>(rng, request);
}
Case two_blocks(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_two_blocks>(rng, request);
}
Case unequal_chunks(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_chunks>(rng, request);
}
Case sorted(CounterRng& rng, const GenRequest& request) { return draw::rows_of<fill_sorted>(rng, request); }
Case alternating(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_alternating>(rng, request);
}
Case sparse_zeros(CounterRng& rng, const GenRequest& request) {
  return draw::rows_of<fill_sparse>(rng, request);
}

}  // namespace normcheck::makers
