// Computes the detection floor from the allowances alone: nothing is run.
#include "reports/detection_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "corpus/generate.h"
#include "reports/console.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::array<std::int64_t, 7> lengths = {16, 64, 256, 1024, 4096, 16384, 65536};
constexpr std::array<std::string_view, 2> kinds = {"balanced", "normal"};
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> own_rows = {
    {{"two_pass/f32", "two_pass/f64"},
     {"pairwise/f32", "pairwise/f64"},
     {"lanes8/f32", "lanes8/f64"},
     {"compensated_mean/f32", "compensated_mean/f64"},
     {"neumaier/f32", "neumaier/f64"}}};

/// The largest change of y in its allowance where x_j is left out of the sum and of the sum of squares, but n
/// stays: mean' = mu - x_j/n, var' = V + (x_j/n)^2 - (x_j - mean')^2/n.
double lost_element(const RowInput& input, const RowAllowance& allowance, std::int64_t j) {
  const double eps = input.problem->eps;
  const std::int64_t n = row_length(*input.problem);
  const double count = static_cast<double>(n), lost = input.x[static_cast<std::size_t>(j)];
  const double mean = static_cast<double>(input.condition.mean());
  const double variance = static_cast<double>(input.condition.variance());
  const double shift = lost / count, off = lost - mean + shift;
  const double left = std::max(0.0, variance + shift * shift - off * off / count);
  const double rstd = 1 / std::sqrt(variance + eps), rstd_left = 1 / std::sqrt(left + eps);
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double centred = input.x[static_cast<std::size_t>(i)] - mean;
    const double change = std::fabs((centred + shift) * rstd_left - centred * rstd);
    const ElementAllowance allowed = allowance.y(input.element(i).facts);
    if (allowed.in_range && allowed.y > 0) largest = std::max(largest, change / allowed.y);
  }
  return largest;
}

/// Elements by their distance from the mean, nearest first; of equal ones the first.
std::vector<std::int64_t> by_deviation(const RowFacts& facts) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(facts.n));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return facts.deviation[a] < facts.deviation[b]; });
  return order;
}

std::string number_or_void(double v) { return std::isfinite(v) ? short_number(v) : "void"; }

struct Measure {
  std::string_view name;
  std::string (*cell)(const Floor&);
};
constexpr std::array<Measure, 4> measures = {
    {{"root", [](const Floor& f) { return number_or_void(f.root); }},
     {"divisor", [](const Floor& f) { return number_or_void(f.divisor); }},
     {"lost far", [](const Floor& f) { return std::isfinite(f.root) ? short_number(f.lost_far) : "void"; }},
     {"lost mid", [](const Floor& f) { return std::isfinite(f.root) ? short_number(f.lost_mid) : "void"; }}}};

/// The points of one dtype and kind of data, which stand by n and then by contract.
std::string block_text(std::span<const FloorPoint> block) {
  std::string out =
      fmt::format("\n{:<32}", fmt::format("{}, {}", dtype_name(block.front().dtype), block.front().data));
  const std::size_t contracts = block.size() / lengths.size();
  for (const std::int64_t n : lengths)
    out += fmt::format("{:>9}", n == lengths[0] ? "n 16" : std::to_string(n));
  out += "\n";
  for (const Measure& measure : measures) {
    for (std::size_t c = 0; c < contracts; ++c) {
      out += fmt::format("  {:<9}{:<21}", c == 0 ? measure.name : "", block[c].contract);
      for (std::size_t at = c; at < block.size(); at += contracts)
        out += fmt::format("{:>9}", measure.cell(block[at].floor));
      out += "\n";
    }
  }
  return out;
}

}  // namespace

double root_floor(const RowInput& input, const RowAllowance& allowance) {
  double least = std::numeric_limits<double>::infinity();
  if (!allowance.in_range() || allowance.voided() || !input.estimate->usable()) return least;
  for (std::int64_t i = 0; i < row_length(*input.problem); ++i) {
    if (!std::isfinite(input.gamma_at(i)) || !std::isfinite(input.beta_at(i))) continue;
    const ElementFacts facts = input.element(i).facts;
    const ElementAllowance allowed = allowance.y(facts);
    const double moved = facts.gamma_abs * facts.x_hat_abs;
    if (allowed.in_range && moved > 0) least = std::min(least, allowed.y / moved);
  }
  return least;
}

Floor detection_floor(const RowInput& input, const Contract& contract) {
  const Case& c = *input.problem;
  const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
  Floor out;
  out.root = root_floor(input, allowance);
  const auto variance = static_cast<double>(input.condition.variance());
  out.divisor = 2 * out.root * ((variance + c.eps) / variance);
  if (!std::isfinite(out.root)) return out;
  const std::vector<std::int64_t> order = by_deviation(input.condition.facts());
  out.lost_far = lost_element(input, allowance, order.back());
  out.lost_mid = lost_element(input, allowance, order[order.size() / 2]);
  return out;
}

Case floor_case(DType dtype, std::string_view data, std::int64_t n) {
  Case c;
  c.id = fmt::format("floor-{}-{}-{}", data, dtype_name(dtype), n);
  c.x = generate_tensor(data, seed, dtype, {1, n});
  return c;
}

std::vector<FloorPoint> detection_floors(const std::vector<DType>& dtypes) {
  std::vector<FloorPoint> out;
  for (const DType dtype : dtypes) {
    for (const std::string_view data : kinds) {
      for (const std::int64_t n : lengths) {
        const Case c = floor_case(dtype, data, n);
        RowInput input(c);
        input.load(0, true);
        out.push_back({dtype, data, n, "stable", detection_floor(input, {})});
        for (const auto& [f32, f64] : own_rows) {
          const Row* row = find_row(stable_accumulate(dtype) == DType::f64 ? f64 : f32);
          out.push_back({dtype, data, n, row->name, detection_floor(input, {ContractKind::own, row})});
        }
      }
    }
  }
  return out;
}

std::string floors_text(const std::vector<FloorPoint>& points) {
  std::string out = wrapped(
      "The smallest fault that must show, all else exact: below it the allowance may hide it. root: relative "
      "error of rstd. divisor: of the variance (a divisor of n-1 is one of 1/n). lost: one element left out "
      "of both sums; by how many times some y then passes its allowance (above 1 it shows); far: the element "
      "farthest from the mean, mid: the one at the median distance. Each for the contract stable, and for "
      "the own bound of a row.",
      0);
  out += wrapped(
      "balanced: integers v, -v, v from 0 to 15, whose sums and squares are exact in any order; normal: mean "
      "0, variance 1; one row of each length, seed 1, "
      "eps 1e-5. void: no bound.",
      0);
  const std::size_t block = lengths.size() * (1 + own_rows.size());
  for (std::size_t at = 0; at + block <= points.size(); at += block)
    out += block_text(std::span(points).subspan(at, block));
  return out;
}

}  // namespace normcheck
