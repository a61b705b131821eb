// Takes the time of each row beside that of two_pass.
#include "reports/results/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "corpus/generate.h"

namespace normcheck {
namespace {

constexpr int rounds = 7;

double seconds_of(const Row& row, const Case& c) {
  const auto begin = std::chrono::steady_clock::now();
  const Observation seen = run_case(row, c);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return seen.status == Status::ok ? took.count() : -1;
}

/// The median over the rounds of the row's time over that of `base`; NaN where either does not run.
double ratio_of(const Row& base, const Row& row, DType dtype) {
  Case c;
  c.id = "timing";
  c.x = generate_tensor("normal", 1, dtype, {32, 1024});
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    const double before = seconds_of(base, c), time = seconds_of(row, c);
    if (before > 0 && time > 0) ratios.push_back(time / before);
  }
  if (ratios.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  return *middle;
}

}  // namespace

TimeRatios time_ratios(std::span<const SweepJob> jobs) {
  TimeRatios out;
  const Row* plain = find_row("two_pass/f32");
  for (const SweepJob& job : jobs) {
    const Row& row = *job.row;
    if (row.outside != nullptr || out.contains(row.name)) continue;
    const Row* own = find_row(fmt::format("two_pass/{}", dtype_name(row.accumulate)));
    RowTimes times;
    if (own != nullptr && offers(*own, job.dtype)) times.to_own = ratio_of(*own, row, job.dtype);
    if (plain != nullptr && offers(row, DType::f32))
      times.on_f32 =
          own == plain && job.dtype == DType::f32 ? times.to_own : ratio_of(*plain, row, DType::f32);
    if (std::isfinite(times.to_own) || std::isfinite(times.on_f32)) out[row.name] = times;
  }
  return out;
}

}  // namespace normcheck
