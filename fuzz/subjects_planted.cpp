// A planted defect, so that a fuzzer that finds nothing is known to be able to find something.
#include <array>
#include <cmath>
#include <cstring>

#include "fuzz/subjects.h"
#include "impl/trace.h"

namespace normcheck {
namespace {

float load(const std::byte* data, std::int64_t i) {
  float out = 0;
  std::memcpy(&out, data + i * 4, sizeof out);
  return out;
}
void store(std::byte* data, std::int64_t i, float value) { std::memcpy(data + i * 4, &value, sizeof value); }

/// A two-pass layer norm in f32 that is right but for one thing: eps is added outside the root.
void run_eps_outside(const LayerNormCall& call) {
  const float n = static_cast<float>(call.n);
  const float eps = static_cast<float>(call.eps);
  for (std::int64_t r = 0; r < call.rows; ++r) {
    const std::byte* x = call.x + r * call.n * 4;
    std::byte* y = call.y + r * call.n * 4;
    float sum = 0;
    for (std::int64_t i = 0; i < call.n; ++i) sum += load(x, i);
    const float mean = sum / n;
    float squares = 0;
    for (std::int64_t i = 0; i < call.n; ++i) squares += (load(x, i) - mean) * (load(x, i) - mean);
    const float rstd = 1 / (std::sqrt(squares / n) + eps);
    for (std::int64_t i = 0; i < call.n; ++i) {
      float value = (load(x, i) - mean) * rstd;
      if (call.gamma != nullptr) value *= load(call.gamma, i);
      if (call.beta != nullptr) value += load(call.beta, i);
      store(y, i, value);
    }
    if (call.mean != nullptr) store(call.mean, r, mean);
    if (call.rstd != nullptr) store(call.rstd, r, rstd);
  }
}

void trace_eps_outside(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
  find_row("two_pass/f32")->trace(call, row, out);
  out.rstd = 1 / (std::sqrt(static_cast<float>(out.variance)) + static_cast<float>(call.eps));
}

constexpr std::array only_f32 = {DType::f32};

}  // namespace

std::span<const Row> fuzzed_rows() {
  static const std::array<Row, 1> rows = [] {
    Row row = *find_row("two_pass/f32");
    row.name = "planted_eps_outside/f32";
    row.storages = only_f32;
    row.run = run_eps_outside;
    row.trace = trace_eps_outside;
    return std::array<Row, 1>{row};
  }();
  return rows;
}

std::string replay_command(const Subject&, const std::string& file) { return "fuzz_forward_planted " + file; }

}  // namespace normcheck
