// Planted defects, one a build (NORMCHECK_PLANTED), so that a fuzzer that finds nothing is known to be able
// to find something.
#include <array>
#include <cmath>
#include <cstring>

#include "fuzz/subjects.h"
#include "fuzz/target.h"
#include "impl/trace.h"

namespace normcheck {
namespace {

enum class Planted {
  naive,       ///< no defect of code: the form that cancels, held to `stable`
  eps,         ///< eps is added outside the root
  row_length,  ///< the statistics leave out the last element of rows of 3 mod 4
  overflow,    ///< one element too many is written behind the last row, for rows of 3 mod 4
  shift,       ///< a shift by a negative count, which is undefined, for rows of 3 mod 4
  fault,       ///< memory is read where there is none, for rows of 3 mod 4
  near_bound   ///< two_pass, right, under its own bound with the coefficient of its mean's error halved
};
constexpr Planted planted = Planted::NORMCHECK_PLANTED;

float load(const std::byte* data, std::int64_t i) {
  float out = 0;
  std::memcpy(&out, data + i * 4, sizeof out);
  return out;
}
void store(std::byte* data, std::int64_t i, float value) { std::memcpy(data + i * 4, &value, sizeof value); }

/// As a loop of four that gets its remainder wrong.
bool tail_of_three(std::int64_t n) { return n % 4 == 3; }

/// What ends the program, where that is planted.
void end_if_planted(const LayerNormCall& call) {
  if (!tail_of_three(call.n)) return;
  volatile int count = -1;
  if (planted == Planted::shift) count = 1 << count;
  int* volatile nowhere = nullptr;
  if (planted == Planted::fault) count = *nowhere;
}

/// A two-pass layer norm in f32 that is right but for the one thing that is planted.
void run_two_pass(const LayerNormCall& call) {
  end_if_planted(call);
  const std::int64_t used = planted == Planted::row_length && tail_of_three(call.n) ? call.n - 1 : call.n;
  const std::int64_t written = planted == Planted::overflow && tail_of_three(call.n) ? call.n + 1 : call.n;
  const float n = static_cast<float>(used);
  const float eps = static_cast<float>(call.eps);
  for (std::int64_t r = 0; r < call.rows; ++r) {
    const std::byte* x = call.x + r * call.n * 4;
    std::byte* y = call.y + r * call.n * 4;
    float sum = 0;
    for (std::int64_t i = 0; i < used; ++i) sum += load(x, i);
    const float mean = sum / n;
    float squares = 0;
    for (std::int64_t i = 0; i < used; ++i) squares += (load(x, i) - mean) * (load(x, i) - mean);
    const float root = planted == Planted::eps ? std::sqrt(squares / n) + eps : std::sqrt(squares / n + eps);
    const float rstd = 1 / root;
    for (std::int64_t i = 0; i < call.n; ++i) {
      float value = (load(x, i) - mean) * rstd;
      if (call.gamma != nullptr) value *= load(call.gamma, i);
      if (call.beta != nullptr) value += load(call.beta, i);
      store(y, i, value);
    }
    for (std::int64_t i = call.n; i < written; ++i) store(y, i, 0);  // a later row writes over it
    if (call.mean != nullptr) store(call.mean, r, mean);
    if (call.rstd != nullptr) store(call.rstd, r, rstd);
  }
}

void trace_two_pass(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
  find_row("two_pass/f32")->trace(call, row, out);
  if (planted == Planted::eps)
    out.rstd = 1 / (std::sqrt(static_cast<float>(out.variance)) + static_cast<float>(call.eps));
}

MomentBound half_the_bound(const RowFacts& facts, const Working& format) {
  MomentBound out = find_row("two_pass/f32")->moments(facts, format);
  out.mean = out.mean * Upward(0.5);
  return out;
}

constexpr std::array only_f32 = {DType::f32};

Row planted_row() {
  Row row = *find_row(planted == Planted::naive ? "naive/f32" : "two_pass/f32");
  row.expect = "pass";
  row.storages = only_f32;
  switch (planted) {
    case Planted::naive:
      return row;
    case Planted::near_bound:
      row.name = "planted_near_bound/f32";
      row.moments = half_the_bound;
      return row;
    case Planted::eps:
      row.name = "planted_eps_outside/f32";
      break;
    case Planted::row_length:
      row.name = "planted_row_length/f32";
      break;
    case Planted::overflow:
      row.name = "planted_overflow/f32";
      break;
    case Planted::shift:
      row.name = "planted_shift/f32";
      break;
    case Planted::fault:
      row.name = "planted_fault/f32";
      break;
  }
  row.run = run_two_pass;
  row.trace = trace_two_pass;
  return row;
}

}  // namespace

std::span<const Row> fuzzed_rows() {
  static const std::array<Row, 1> rows = {planted_row()};
  return rows;
}

std::string replay_command(const Subject&, const std::string& file) {
  return std::string(target_name()) + " " + file;
}

}  // namespace normcheck
