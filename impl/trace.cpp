// Gathers the traces of a row of the table over the rows of a case.
#include "impl/trace.h"

#include <fmt/format.h>

#include "corpus/error.h"
#include "impl/layer_norm.h"

namespace normcheck {
namespace {

LayerNormCall traced_call(const Row& row, const Case& c) {
  if (row.outside != nullptr)
    throw InputError(fmt::format("{}: {}: a kernel from outside shows no steps", c.id, row.name));
  if (const auto answer = declined(row, c)) {
    throw InputError(fmt::format("{}: {}: {}", c.id, row.name, answer->message));
  }
  return call_on(c);
}

void append(std::vector<double>& to, const std::vector<double>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

RowTrace trace_row(const Row& row, const Case& c, std::int64_t index) {
  const LayerNormCall call = traced_call(row, c);
  if (call.n == 0 || index < 0 || index >= call.rows) {
    throw InputError(
        fmt::format("{}: row {} of {} rows of {} elements cannot be traced", c.id, index, call.rows, call.n));
  }
  RowTrace trace;
  row.trace(call, index, trace);
  return trace;
}

std::vector<StepValues> trace_case(const Row& row, const Case& c) {
  const LayerNormCall call = traced_call(row, c);
  std::vector<StepValues> steps;
  for (std::size_t i = 0; i < step_names.size(); ++i) {
    const auto step = static_cast<Step>(i);
    const bool one_a_row = step == Step::mean || step == Step::variance || step == Step::rstd;
    steps.push_back({step, one_a_row ? statistics_shape(c) : c.x.shape, {}});
  }
  const auto values = [&](Step step) -> std::vector<double>& {
    return steps[static_cast<std::size_t>(step)].values;
  };
  for (std::int64_t i = 0; call.n > 0 && i < call.rows; ++i) {
    RowTrace trace;
    row.trace(call, i, trace);
    values(Step::mean).push_back(trace.mean);
    append(values(Step::centre), trace.centre);
    values(Step::variance).push_back(trace.variance);
    values(Step::rstd).push_back(trace.rstd);
    append(values(Step::normalize), trace.normalize);
    append(values(Step::scale_shift), trace.scale_shift);
  }
  return steps;
}

}  // namespace normcheck
