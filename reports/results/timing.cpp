// Takes the time of each row beside that of two_pass.
#include "reports/results/timing.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

}  // namespace

TimeRatios time_ratios(std::span<const SweepJob> jobs) {
  TimeRatios out;
  for (const SweepJob& job : jobs) {
    const Row& row = *job.row;
    const Row* two_pass = find_row(fmt::format("two_pass/{}", dtype_name(row.accumulate)));
    if (row.outside != nullptr || two_pass == nullptr || out.contains(row.name) ||
        !offers(*two_pass, job.dtype))
      continue;
    Case c;
    c.id = "timing";
    c.x = generate_tensor("normal", 1, job.dtype, {32, 1024});
    std::vector<double> ratios;
    for (int round = 0; round < rounds; ++round) {
      const double base = seconds_of(*two_pass, c), time = seconds_of(row, c);
      if (base > 0 && time > 0) ratios.push_back(time / base);
    }
    if (ratios.empty()) continue;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    out[row.name] = *middle;
  }
  return out;
}

}  // namespace normcheck
