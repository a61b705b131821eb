// Builds the rows; what a draw makes of a kappa that the format cannot hold is left out.
#include "reports/advice/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "corpus/error.h"
#include "corpus/generate.h"
#include "fuzz/attack/attack.h"
#include "oracles/ulp.h"
#include "props/gen.h"
#include "reports/kappa_sweep.h"

namespace normcheck {
namespace {

constexpr std::uint64_t seed = 1;
constexpr double slack = 1.05, least_variance = 1e-6;
constexpr std::int64_t longest_search = 16384;  ///< records are confirmed by exact arithmetic
/// Elements that a search may run for one subject: its time.
constexpr std::int64_t search_elements = std::int64_t{1} << 20;

std::int64_t rows_of(std::int64_t n) { return n <= 1024 ? 8 : n <= 8192 ? 4 : n <= 65536 ? 2 : 1; }

Case row_of(const Setting& s, std::string_view kind, const std::vector<double>& x) {
  Case c;
  c.id = fmt::format("{}-{}-{}", kind, dtype_name(s.dtype), s.n);
  c.eps = s.eps;
  c.x = Tensor(s.dtype, {1, s.n});
  for (std::int64_t i = 0; i < s.n; ++i) c.x.set_value(i, x[static_cast<std::size_t>(i)]);
  return c;
}

/// Each but the first kind, where the format still tells a spread of 1 about the mean.
std::vector<Case> structured(const Setting& s) {
  const double mean = std::sqrt(std::max(0.0, s.kappa * s.kappa - 1)) * (1 + 1.0 / 64);
  std::vector<Case> out;
  if (ulp(s.dtype, mean) > 0.25 || s.n < 3) return out;
  CounterRng rng(seed, 0x616476696365U);  // "advice"
  const auto n = static_cast<std::size_t>(s.n);
  const auto count = static_cast<double>(s.n);
  std::vector<double> x(n);
  for (double& v : x) v = mean + rng.normal();
  out.push_back(row_of(s, "normal", x));
  for (std::size_t i = 0; i < n; ++i)
    x[i] = mean + std::sqrt(3.0) * (2 * static_cast<double>(i) / (count - 1) - 1);
  out.push_back(row_of(s, "ramp", x));
  // var = spread^2 + mean^2/n: of a small element among large ones.
  const double left = 1 - mean * mean / count;
  if (left > 0.1) {
    for (double& v : x) v = mean + (rng.coin() ? 1 : -1) * std::sqrt(left) * (0.75 + rng.uniform() / 2);
    x[n / 2] = (1 + rng.uniform()) / 1024;
    out.push_back(row_of(s, "one-near-0", x));
  }
  return out;
}

/// Whether all rows are of a kappa that was asked for, and their squares do not underflow. Leaves those of
/// constant rows out too.
bool within(const Case& c, double kappa) {
  RowInput input(c);
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    if (!input.load(r, false)) return false;
    const RowFacts& facts = input.condition.facts();
    if (!(facts.kappa <= slack * kappa) || facts.variance_lo < least_variance) return false;
  }
  return row_count(c) > 0;
}

}  // namespace

std::vector<Case> few_rows(const Setting& s) {
  std::vector<Case> out;
  if (kappa_reachable(s.dtype, s.n, s.kappa)) {
    out.push_back(kappa_case(s.dtype, s.n, 1, s.kappa, seed));
    out.back().eps = s.eps;
  }
  for (Case& c : structured(s)) out.push_back(std::move(c));
  return out;
}

std::vector<Case> advice_rows(const Setting& s) {
  std::vector<Case> out = few_rows(s);
  if (!out.empty()) {
    out.front() = kappa_case(s.dtype, s.n, rows_of(s.n), s.kappa, seed);
    out.front().eps = s.eps;
  }
  const auto wide = static_cast<std::uint64_t>(rows_of(s.n));
  std::size_t k = 0;
  for (const Regime& regime : regimes()) {
    if (regime.beyond) continue;
    if (s.n > longest_search && ++k % 3 != 0) continue;  // long rows take their time
    for (std::uint64_t index = 0; index < (wide + 1) / 2; ++index) {
      GenRequest request{.dtype = s.dtype, .rows = 1, .n = s.n};
      request.eps = s.eps;
      request.fixed_eps = true;
      Case c = make_case(regime, request, seed, index);
      if (row_length(c) != s.n || c.norm_ndim != 1 || !is_float(c.x.dtype)) continue;
      c.gamma.reset();
      c.beta.reset();
      c.expect = Expect::bound;
      c.eps = s.eps;
      if (within(c, s.kappa)) out.push_back(std::move(c));
    }
  }
  return out;
}

std::vector<Case> searched_rows(const Setting& s, const std::vector<Subject>& subjects,
                                const std::vector<Case>& seeds) {
  std::vector<Case> out;
  if (s.n < 2 || s.n > longest_search) return out;
  for (const Subject& subject : subjects) {
    AttackPlan plan;
    plan.dtype = s.dtype;
    plan.n = s.n;
    plan.objective = Objective::normwise;
    plan.eps = s.eps;
    plan.freedom = {.eps = false, .affine = false};
    plan.limits = {.kappa = slack * s.kappa};
    plan.budget = std::clamp<std::int64_t>(search_elements / s.n, 16, 1500);
    plan.seed = seed;
    plan.seeds = seeds;
    try {
      AttackResult found = attack(*subject.row, subject.contract, plan);
      if (found.records.empty()) continue;
      out.push_back(std::move(found.records.back().problem));
      out.back().id = fmt::format("searched-{}", subject.row->name);
    } catch (const InputError&) {  // no row of that kappa has a bound there: nothing to climb
    }
  }
  return out;
}

}  // namespace normcheck
