// The candidates by name, and the first-order forms of impl/algorithms with |mu| and mean|x| at most kappa
// times the spread.
#include "reports/advice/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "impl/algorithms/cascade.h"
#include "impl/algorithms/summation.h"
#include "impl/algorithms/tree_height.h"
#include "impl/algorithms/warp_tree.h"
#include "reports/algorithms.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr std::string_view usual[] = {"naive",     "shifted", "two_pass", "two_pass/folded",  "pairwise",
                                      "warp_tree", "kahan",   "neumaier", "compensated_mean", "welford",
                                      "lanes8",    "chan"};
constexpr std::string_view wider[] = {"naive", "two_pass", "welford"};

double type_cost(DType accumulate) { return accumulate == DType::f64 ? 2 : accumulate == DType::f80 ? 4 : 1; }

const Row* named(std::string_view name, DType accumulate) {
  const auto slash = name.find('/');
  std::string full = fmt::format("{}/{}", name.substr(0, slash), dtype_name(accumulate));
  if (slash != std::string_view::npos) full += name.substr(slash);
  return find_row(full);
}

void add(std::vector<Candidate>& out, const Row* row, DType storage, std::string_view counter = {}) {
  static const std::vector<AlgorithmSummary> summaries = algorithm_summaries();
  if (row == nullptr || !offers(*row, storage)) return;
  const auto found = std::find_if(summaries.begin(), summaries.end(),
                                  [&](const AlgorithmSummary& a) { return a.name == row->algorithm; });
  if (found == summaries.end()) return;
  const ElementCost& c = found->cost;
  const double operations = c.adds + c.multiplies + c.compares + 8 * c.divides;
  out.push_back({{row, {ContractKind::own, row, nullptr}},
                 found->passes,
                 type_cost(row->accumulate) * (operations + 2 * static_cast<double>(found->passes)),
                 counter});
}

std::string product(std::int64_t n, double u, double kappa) {
  return fmt::format("{} * {} * {}", n, short_number(u), short_number(kappa));
}

/// A tree of height h: its mean, and the variance of squares summed by the same tree.
ClosedForm tree_form(std::int64_t h, double u, double kappa) {
  ClosedForm out;
  const auto height = static_cast<double>(h);
  out.mean = (height + 1) * u * kappa;
  out.mean_text = fmt::format("(h+1) u kappa = {} = {}", product(h + 1, u, kappa), short_number(out.mean));
  out.variance = (height + 4) * u + out.mean * out.mean;
  out.variance_text = fmt::format("(h+4) u + E^2 = {}, h = {}", short_number(out.variance), h);
  return out;
}

}  // namespace

std::vector<Candidate> candidates(DType storage) {
  std::vector<Candidate> out;
  const DType natural = stable_accumulate(storage);
  for (const std::string_view name : usual) add(out, named(name, natural), storage);
  for (const std::string_view name : wider)
    add(out, named(name, natural == DType::f64 ? DType::f80 : DType::f64), storage);
  if (is_half(storage))
    add(out, named("two_pass", storage), storage, "sums in the half itself, for comparison");
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
  return out;
}

std::optional<ClosedForm> closed_form(const Row& row, std::int64_t n, double kappa) {
  const double u = unit_roundoff(row.accumulate), count = static_cast<double>(n);
  const std::string_view a = row.algorithm;
  ClosedForm out;
  if (a == "two_pass" || a == "naive") {
    out.mean = count * u * kappa;
    out.mean_text = fmt::format("n u kappa = {} = {}", product(n, u, kappa), short_number(out.mean));
  }
  if (a == "two_pass") {
    out.variance = (count + 3) * u + out.mean * out.mean;
    out.variance_text = fmt::format("(n+3) u + E^2 = {}", short_number(out.variance));
    return out;
  }
  if (a == "naive") {
    out.variance = (3 * count + 2) * u * kappa * kappa;
    out.variance_text = fmt::format("(3n+2) u kappa^2 = {} * {} * {}^2 = {}", 3 * n + 2, short_number(u),
                                    short_number(kappa), short_number(out.variance));
    return out;
  }
  if (a == "pairwise") return tree_form(PairwiseBlocks::height(n), u, kappa);
  if (a == "cascade") return tree_form(tree_height<CascadeSum>(n), u, kappa);
  if (a == "warp_tree") return tree_form(tree_height<BlockOfWarps>(n), u, kappa);
  if (a == "kahan" || a == "neumaier") {
    const bool is_kahan = a == "kahan";
    out.mean = is_kahan ? 4 * u * kappa : (2 + count * count * u) * u * kappa;
    out.mean_text = fmt::format("{} u kappa = {}", is_kahan ? "4" : "(2 + n^2 u)", short_number(out.mean));
    out.variance = (is_kahan ? 7 : 5 + count * count * u) * u + out.mean * out.mean;
    out.variance_text =
        fmt::format("{} u + E^2 = {}", is_kahan ? "7" : "(5 + n^2 u)", short_number(out.variance));
    return out;
  }
  if (a == "compensated_mean") {
    const double f = count * u * kappa, c = (count + 1) / 2 * u + (2 * count - 1) * u * f;
    out.mean = u * kappa + c;
    out.mean_text = fmt::format("u kappa + (n+1)/2 u + (2n-1) n u^2 kappa = {}, of which x-mean sees {}",
                                short_number(out.mean), short_number(c + u * f));
    out.variance = (count + 5) * u + 2 * u * f + c * c;
    out.variance_text = fmt::format("(n+5) u + 2 n u^2 kappa + C^2 = {}", short_number(out.variance));
    return out;
  }
  return std::nullopt;
}

}  // namespace normcheck
