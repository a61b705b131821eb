// Sweeps the length of a row, and lengths by condition numbers.
#include "reports/results/curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <tuple>

#include "reports/blind_zone.h"
#include "reports/four.h"
#include "reports/in_order.h"

namespace normcheck {
namespace {

constexpr std::array<std::string_view, 10> algorithms = {
    "naive", "two_pass", "welford",   "pairwise", "lanes8",
    "chan",  "shifted",  "corrected", "neumaier", "compensated_mean"};
constexpr std::array<std::int64_t, 7> heat_lengths = {16, 64, 256, 1024, 4096, 16384, 65536};
constexpr std::array<std::int64_t, 3> rough_heat_lengths = {64, 1024, 4096};
constexpr std::array<std::string_view, 3> in_halves = {"two_pass", "welford", "compensated_mean"};
constexpr std::array<double, 9> decades = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/// Many rows where they are short: the largest of few would be luck.
std::int64_t rows_at(std::int64_t n) { return std::clamp<std::int64_t>(4096 / n, 1, 8); }

Contract held(const SweepPlan& plan, const Row& row) {
  return row.outside != nullptr ? held_to(plan, row) : Contract{ContractKind::own, &row};
}

/// As is_blind, each asked once.
bool known_blind(DType dtype, std::int64_t n, double kappa) {
  static std::mutex lock;
  static std::map<std::tuple<DType, std::int64_t, double>, bool> known;
  const std::lock_guard hold(lock);
  const auto [at, is_new] = known.try_emplace({dtype, n, kappa}, false);
  if (is_new) at->second = is_blind(dtype, n, kappa);
  return at->second;
}

/// Those of the four families, for the kappa curves of every report, in the order of their names.
std::vector<SweepJob> family_jobs() {
  std::vector<SweepJob> out;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const Family family : {Family::naive, Family::two_pass, Family::welford, Family::half}) {
      if (const Row* row = family_row(family, dtype); row != nullptr && offers(*row, dtype))
        out.push_back({row, dtype});
    }
  }
  return out;
}

void add(std::vector<SweepJob>& jobs, const Row* row, DType dtype) {
  const auto is_it = [&](const SweepJob& job) { return job.row == row && job.dtype == dtype; };
  if (row != nullptr && offers(*row, dtype) && std::none_of(jobs.begin(), jobs.end(), is_it))
    jobs.push_back({row, dtype});
}

std::vector<SweepJob> usual_jobs() {
  std::vector<SweepJob> out;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (const std::string_view algorithm : algorithms)
      add(out, find_row(std::string(algorithm) + (dtype == DType::f64 ? "/f64" : "/f32")), dtype);
    for (const std::string_view algorithm : in_halves) {
      if (is_half(dtype)) add(out, find_row(fmt::format("{}/{}", algorithm, dtype_name(dtype))), dtype);
    }
  }
  return out;
}

std::vector<std::int64_t> lengths_of(Grid grid) {
  std::vector<std::int64_t> out = {1};
  for (std::int64_t power = 2; power <= (grid == Grid::full ? 65536 : 4096); power *= 2) {
    if (grid == Grid::rough) {
      out.push_back(power);
      continue;
    }
    for (const std::int64_t n : {power - power / 4, power - 1, power, power + 1}) {
      if (n > out.back() && n <= 65536) out.push_back(n);
    }
  }
  return out;
}

LengthCurve length_curve(const SweepJob& job, double kappa, const SweepPlan& plan, Grid grid) {
  const Contract contract = held(plan, *job.row);
  LengthCurve curve{job.row, job.dtype, kappa, contract_name(contract), {}};
  for (const std::int64_t n : lengths_of(grid)) {
    if (!kappa_reachable(job.dtype, n, kappa)) continue;
    const Case c = kappa_case(job.dtype, n, rows_at(n), kappa, plan.seed);
    const KappaPoint point = measure_point(*job.row, c, contract, plan.oracle);
    curve.points.push_back({n, point.error_ulp, point.bound_ulp, point.input});
  }
  return curve;
}

HeatMap heat_map(const SweepJob& job, const SweepPlan& plan, Grid grid) {
  HeatMap map{job.row, job.dtype, {}};
  for (const std::int64_t n : grid == Grid::full ? std::span<const std::int64_t>(heat_lengths)
                                                 : std::span<const std::int64_t>(rough_heat_lengths)) {
    for (const double kappa : decades) {
      if (!kappa_reachable(job.dtype, n, kappa)) break;
      const Case c = kappa_case(job.dtype, n, rows_at(n), kappa, plan.seed);
      const Observation observed = run_case(*job.row, c);
      HeatCell cell;
      cell.n = n;
      cell.kappa = kappa;
      cell.blind = known_blind(job.dtype, n, kappa);
      const KappaPoint point = measure_observed(c, observed, {}, plan.oracle, &cell.verdict);
      cell.error_ulp = point.error_ulp;
      cell.bound_ulp = point.bound_ulp;
      cell.input = point.input;
      if (job.row->outside == nullptr) {
        const KappaPoint own = measure_observed(c, observed, held(plan, *job.row), plan.oracle);
        cell.own_error_ulp = own.error_ulp;
        cell.own_bound_ulp = own.bound_ulp;
      }
      map.cells.push_back(cell);
    }
  }
  return map;
}

}  // namespace

Curves sweep_curves(const std::vector<SweepJob>& named, const SweepPlan& plan, Grid grid, double seconds,
                    const std::function<void(const SweepJob&, double share)>& step) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_late = [&] {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    return seconds > 0 && spent.count() > seconds;
  };
  const std::vector<SweepJob> mapped = named.empty() ? usual_jobs() : named;
  std::vector<SweepJob> subjects = family_jobs();
  const std::size_t families = subjects.size();
  for (const SweepJob& job : mapped) add(subjects, job.row, job.dtype);
  const auto is_mapped = [&](const SweepJob& job) {
    return std::any_of(mapped.begin(), mapped.end(), [&](const SweepJob& other) {
      return other.row == job.row && other.dtype == job.dtype;
    });
  };
  Curves out;
  in_order<Curves>(
      subjects.size(),
      [&](std::size_t i) {
        const SweepJob& job = subjects[i];
        Curves of;
        if (is_late()) {
          of.left_out = 1;
          if (i >= families) return of;
        }
        for (const std::int64_t n : {std::int64_t{64}, std::int64_t{1024}})
          of.kappa.push_back(
              kappa_curve(*job.row, job.dtype, n, held(plan, *job.row), plan.seed, plan.oracle));
        if (!is_mapped(job) || of.left_out > 0) return of;
        for (const double kappa : {1.0, 100.0}) of.lengths.push_back(length_curve(job, kappa, plan, grid));
        of.heat.push_back(heat_map(job, plan, grid));
        return of;
      },
      [&](std::size_t i, Curves of) {
        std::move(of.kappa.begin(), of.kappa.end(), std::back_inserter(out.kappa));
        std::move(of.lengths.begin(), of.lengths.end(), std::back_inserter(out.lengths));
        std::move(of.heat.begin(), of.heat.end(), std::back_inserter(out.heat));
        out.left_out += of.left_out;
        step(subjects[i], static_cast<double>(i + 1) / static_cast<double>(subjects.size()));
      });
  return out;
}

}  // namespace normcheck
