// Compares two outputs with the exact one.
#include "reports/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "oracles/measure.h"
#include "oracles/row_input.h"
#include "oracles/ulp.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

/// Errors of two outputs in ulp, by the estimate; by integers where that cannot say which is larger: it is
/// good to 2^-40 ulp and a relative 2^-50.
std::pair<double, double> errors_of(RowInput& input, std::int64_t i, const Estimated& estimate, DType dtype,
                                    std::uint64_t y, std::uint64_t y2) {
  const auto exact = [&] { return input.exact_row().y(i, input.gamma_at(i), input.beta_at(i)); };
  if (std::isfinite(to_double(dtype, y)) && std::isfinite(to_double(dtype, y2))) {
    const double allow_all = std::numeric_limits<double>::infinity();
    const double e1 = std::fabs(measure(dtype, y, estimate, exact, allow_all).error_ulp);
    const double e2 = std::fabs(measure(dtype, y2, estimate, exact, allow_all).error_ulp);
    if (std::fabs(e1 - e2) > 0x1p-38 * std::max({1.0, e1, e2})) return {e1, e2};
  }
  const ExactValue value = exact();
  return {std::fabs(value.error_ulp(dtype, y)), std::fabs(value.error_ulp(dtype, y2))};
}

void compare_element(Comparison& out, RowInput& input, std::int64_t i, const Tensor& y, const Tensor& y2,
                     std::int64_t at, OracleChoice oracle) {
  const DType dtype = y.dtype;
  const Estimated estimate = input.element(i, oracle).y;
  const auto [e1, e2] = errors_of(input, i, estimate, dtype, y.bits(at), y2.bits(at));
  ++(e1 < e2 ? out.first : e2 < e1 ? out.second : out.as_far);
  double gap = std::isfinite(e1) == std::isfinite(e2) ? 0 : INFINITY;
  if (std::isfinite(e1) && std::isfinite(e2)) {
    gap = std::min(std::fabs(y.value(at) - y2.value(at)) / ulp(dtype, estimate.value.hi),
                   std::numeric_limits<double>::max());
  }
  if (!(gap > out.gap_ulp)) return;
  out.gap_ulp = gap;
  out.widest = at;
}

}  // namespace

void Comparison::add(const Comparison& other) {
  equal += other.equal;
  first += other.first;
  second += other.second;
  as_far += other.as_far;
  not_comparable += other.not_comparable;
}

Comparison compare_outputs(const Case& c, const Tensor& y, const Tensor& y2, OracleChoice oracle) {
  Comparison out;
  const std::int64_t n = row_length(c);
  RowInput input(c);
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    std::optional<bool> has_numbers;  // loaded only where something differs
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = row * n + i;
      if (y.bits(at) == y2.bits(at)) {
        ++out.equal;
        continue;
      }
      if (!has_numbers)
        has_numbers = input.load(row, false) && (input.estimate->usable() || !input.exact_row().degenerate());
      if (!*has_numbers || !std::isfinite(input.gamma_at(i)) || !std::isfinite(input.beta_at(i))) {
        ++out.not_comparable;
      } else {
        compare_element(out, input, i, y, y2, at, oracle);
      }
    }
  }
  return out;
}

std::string comparison_text(const Comparison& p, std::string_view first, std::string_view second) {
  const auto line = [&](const std::string& what, std::int64_t part) {
    return fmt::format("  {:<20} {:>7}\n", what, percent(part, p.elements()));
  };
  std::string out = line("the same bits", p.equal);
  out += line(fmt::format("{} is closer", first), p.first);
  out += line(fmt::format("{} is closer", second), p.second);
  if (p.as_far > 0) out += line("differ, equally far", p.as_far);
  if (p.not_comparable > 0) out += line("no exact number", p.not_comparable);
  return out;
}

}  // namespace normcheck
