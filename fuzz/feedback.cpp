// The engine's extra counters: libFuzzer reads the section by its name after each execution, and clears it.
#include "fuzz/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace normcheck {
namespace {

constexpr std::size_t steps = share_steps + kappa_steps;

// Volatile and used: nothing here reads it, and a compiler would drop it.
__attribute__((section("__libfuzzer_extra_counters"),
               used)) volatile std::uint8_t counters[most_sets * steps];

struct Record {
  std::string_view row;
  DType dtype = DType::f32;
  double share = 0;
  double kappa = 0;
};
std::array<Record, most_sets> records;

void set_up_to(std::size_t first, int step) {
  for (int i = 0; i <= step; ++i) counters[first + static_cast<std::size_t>(i)] = 1;
}

}  // namespace

int share_step(double share) {
  if (!(share > 0)) return -1;
  const double step = std::floor(8 * std::log2(share)) + 64;
  return static_cast<int>(std::clamp(step, -1.0, static_cast<double>(share_steps - 1)));
}

int kappa_step(double kappa) {
  if (!(kappa > 0)) return -1;
  if (std::isinf(kappa)) return static_cast<int>(kappa_steps) - 1;
  return std::clamp(std::ilogb(kappa), -1, static_cast<int>(kappa_steps) - 2);
}

void feed_back(std::size_t set, std::string_view row, DType dtype, double share, double kappa) {
  if (set >= most_sets) return;
  set_up_to(set * steps, share_step(share));
  set_up_to(set * steps + share_steps, kappa_step(kappa));
  if (!(share > records[set].share)) return;
  records[set] = {row, dtype, share, kappa};
}

std::string records_text(std::size_t count) {
  std::vector<const Record*> best;
  for (const Record& r : records) {
    if (r.share > 0) best.push_back(&r);
  }
  std::stable_sort(best.begin(), best.end(), [](auto a, auto b) { return a->share > b->share; });
  std::string out;
  for (std::size_t i = 0; i < std::min(count, best.size()); ++i) {
    out += fmt::format("record {} {}: {:.3f} of its bound, at kappa {:.3g}\n", best[i]->row,
                       dtype_name(best[i]->dtype), best[i]->share, best[i]->kappa);
  }
  return out;
}

}  // namespace normcheck
