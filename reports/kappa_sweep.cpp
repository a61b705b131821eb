// Sweeps the condition number.
#include "reports/kappa_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "corpus/generate.h"
#include "oracles/exact.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr std::int64_t rows_a_point = 8;

/// 1, 10^(1/2), 10, ..., 1e8; written out, since pow may differ in its last bit from machine to machine.
constexpr std::array<double, 17> kappas = {1,   3.162278,   1e1, 3.162278e1, 1e2, 3.162278e2,
                                           1e3, 3.162278e3, 1e4, 3.162278e4, 1e5, 3.162278e5,
                                           1e6, 3.162278e6, 1e7, 3.162278e7, 1e8};

/// The largest error where the judge measures none, since no bound holds: from the exact values alone.
void measure_exactly(const Case& c, const Tensor& y, KappaPoint& point) {
  const std::int64_t n = row_length(c);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = c.x.value(r * n + i);
    const ExactRow exact(x.data(), n, c.eps);
    const double mean = exact.mean().to_double();
    point.kappa = std::max(point.kappa, std::sqrt(1 + mean * mean / exact.variance().to_double()));
    for (std::int64_t i = 0; i < n; ++i) {
      const double error = std::fabs(exact.y(i, 1, 0).error_ulp(c.x.dtype, y.bits(r * n + i)));
      point.error_ulp = std::max(point.error_ulp, error);
      if (std::isinf(error)) break;
    }
  }
}

}  // namespace

KappaPoint measure_point(const Row& row, const Case& c, const Contract& contract, OracleChoice oracle,
                         Verdict* verdict) {
  return measure_observed(c, run_case(row, c), contract, oracle, verdict);
}

KappaPoint measure_observed(const Case& c, const Observation& observed, const Contract& contract,
                            OracleChoice oracle, Verdict* verdict) {
  const Judgement j = judge(c, observed, contract, oracle);
  if (verdict != nullptr) *verdict = j.verdict;
  KappaPoint point{j.kappa, 0, std::numeric_limits<double>::infinity(), c.id};
  if (observed.status != Status::ok) {
    point.kappa = 0;
    point.error_ulp = std::numeric_limits<double>::quiet_NaN();  // it gave no answer
  } else if (j.worst && j.counts.voided == 0 && j.counts.skipped == 0) {
    point.error_ulp = std::fabs(j.worst->error_ulp);
    // Where nothing but a number was demanded, and none came, no bound was evaluated.
    const bool of_class = std::isinf(j.worst->error_ulp) && j.worst->allowed_ulp == 0;
    if (!of_class) point.bound_ulp = j.worst->allowed_ulp;
  } else {
    point.kappa = 0;
    measure_exactly(c, observed.y, point);
  }
  return point;
}

bool kappa_reachable(DType dtype, std::int64_t n, double kappa) {
  return kappa <= std::ldexp(0.5, format_of(dtype).precision) * std::sqrt(static_cast<double>(n)) &&
         kappa < largest_finite(dtype) / 4;
}

Case kappa_case(DType dtype, std::int64_t n, std::int64_t rows, double kappa, std::uint64_t seed) {
  Case c;
  c.id = fmt::format("kappa-{}-{}-{}x{}-{}", kappa, dtype_name(dtype), rows, n, seed);
  c.x = Tensor(dtype, {rows, n});
  const double mean = std::sqrt(std::max(0.0, kappa * kappa - 1));
  const double spacing = ulp(dtype, mean);
  const CounterRng source =
      CounterRng(seed, 0x6b61707061).fork(static_cast<std::uint64_t>(kappa));  // "kappa"
  for (std::int64_t r = 0; r < rows; ++r) {
    CounterRng rng = source.fork(static_cast<std::uint64_t>(r));
    // A mean with a full significand: a round one would leave sums exact that are not so elsewhere.
    const double centre = mean * (1 + rng.uniform() / 64);
    // Of elements one spacing apart, a share p has variance p(1-p) spacing^2; 1 is wanted.
    const double lost = 1 - 4 / (spacing * spacing);
    const double p = lost > 0 ? (1 - std::sqrt(lost)) / 2 : 0.5;
    const auto raised = std::max<std::int64_t>(1, static_cast<std::int64_t>(p * static_cast<double>(n)));
    for (std::int64_t i = 0; i < n; ++i) {
      if (spacing < 1) {
        c.x.set_value(r * n + i, centre + (rng.coin() ? 1 : -1) * (0.75 + rng.uniform() / 2));
      } else {
        const double low = to_double(dtype, round_to(dtype, centre));
        c.x.set_value(r * n + i, low);
      }
    }
    if (spacing >= 1) {
      const double high = c.x.value(r * n) + ulp(dtype, c.x.value(r * n));
      for (std::int64_t k = 0; k < raised; ++k) {
        c.x.set_value(r * n + static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n))), high);
      }
    }
  }
  return c;
}

KappaCurve kappa_curve(const Row& row, DType dtype, std::int64_t n, const Contract& contract,
                       std::uint64_t seed, OracleChoice oracle) {
  KappaCurve curve{&row, dtype, n, {}, contract_name(contract)};
  for (const double kappa : kappas) {
    if (!kappa_reachable(dtype, n, kappa)) break;
    const Case c = kappa_case(dtype, n, rows_a_point, kappa, seed);
    curve.points.push_back(measure_point(row, c, contract, oracle));
  }
  return curve;
}

}  // namespace normcheck
