// Finds where the allowance hides a fault.
#include "reports/blind_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "impl/table.h"
#include "oracles/bound.h"
#include "oracles/row_input.h"
#include "reports/detection_floor.h"
#include "reports/kappa_sweep.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr std::int64_t most_rows = 256;
constexpr std::int64_t elements_a_row = 64;
constexpr std::array<std::int64_t, 4> lengths = {64, 1024, 4096, 65536};
constexpr std::array<double, 9> decades = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};

/// Whether `stable` lets pass, on some row, what `mistaken` gives there. A wrong mean or variance moves
/// every element, so a few of a row are asked.
bool hides(const Row& mistaken, const Case& c) {
  const Tensor y = run_case(mistaken, c).y;
  RowInput input(c);
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    input.load(row, false);
    const RowAllowance allowance({}, c.x.dtype, input.condition.facts(), c.eps);
    const std::int64_t n = row_length(c);
    bool seen = false;
    for (std::int64_t i = 0; i < n && !seen; i += std::max<std::int64_t>(1, n / elements_a_row)) {
      const double got = y.value(row * n + i);
      if (!std::isfinite(got)) {
        seen = !allowance.voided() || allowance.class_demanded();
      } else if (!allowance.voided()) {
        const RowInput::Element element = input.element(i);
        seen = decide_within(element.y, got, allowance.y(element.facts).y) == Decision::no;
      }
    }
    if (!seen) return true;
  }
  return false;
}

/// "1 to 100, 1e6 up": the decades that are blind, of those that the format reaches.
std::string blind_text(const std::vector<bool>& blind) {
  std::string out;
  for (std::size_t from = 0; from < blind.size(); ++from) {
    if (!blind[from]) continue;
    std::size_t to = from;
    while (to + 1 < blind.size() && blind[to + 1]) ++to;
    const bool last = to + 1 == blind.size();
    out += out.empty() ? "" : ", ";
    if (from == 0 && last) return "all";
    out += short_number(decades[from]);
    if (last) {
      out += " up";
    } else if (to > from) {
      out += " to " + short_number(decades[to]);
    }
    from = to;
  }
  return out.empty() ? "none" : out;
}

}  // namespace

Sharpness sharpness(const Case& c, const Contract& contract) {
  std::vector<double> rows;
  RowInput input(c);
  const std::int64_t step = std::max<std::int64_t>(1, (row_count(c) + most_rows - 1) / most_rows);
  for (std::int64_t row = 0; row < row_count(c) && row_length(c) > 0; row += step) {
    if (!input.load(row, contract.reads_prefixes())) continue;
    const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
    const double least = root_floor(input, allowance);
    if (std::isfinite(least)) rows.push_back(least);
  }
  if (rows.empty()) return {};
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end());
  return {*middle, static_cast<std::int64_t>(rows.size())};
}

bool is_blind(DType dtype, std::int64_t n, double kappa) {
  const Row* naive = find_row(stable_accumulate(dtype) == DType::f64 ? "naive/f64" : "naive/f32");
  return hides(*naive, kappa_case(dtype, n, n > 16384 ? 1 : 3, kappa, 1));
}

std::string blind_zone(DType dtype) {
  std::string out;
  for (const std::int64_t n : lengths) {
    std::vector<bool> blind;
    for (const double kappa : decades) {
      if (!kappa_reachable(dtype, n, kappa)) break;
      blind.push_back(is_blind(dtype, n, kappa));
    }
    out += fmt::format("{}n {}: {}{}", out.empty() ? "" : "   ", n, n == lengths.front() ? "kappa " : "",
                       blind_text(blind));
  }
  return out;
}

}  // namespace normcheck
