// Counts what the algorithms do, and tells it beside what they say of themselves.
#include "reports/algorithms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "impl/algorithms/all.h"
#include "impl/arithmetic/counted.h"
#include "impl/arithmetic/native.h"
#include "impl/table.h"
#include "reports/console.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

/// Positive numbers: then |x|, where an algorithm asks for it, is a comparison and no subtraction.
template <class Algorithm>
Counts counts_at(std::int64_t n) {
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(1 + static_cast<double>(i % 7) / 8);
  const auto row = counted_row(std::span<const double>(x));
  const CountScope scope;
  static_cast<void>(Algorithm::moments(std::span<const Counted<double>>(row)));
  return scope.counts();
}

template <class Algorithm>
AlgorithmSummary summary_of() {
  const Counts at = counts_at<Algorithm>(cost_length), at_2 = counts_at<Algorithm>(cost_length_2);
  const auto each = [&](std::int64_t Counts::*kind) {
    return static_cast<double>(at_2.*kind - at.*kind) / static_cast<double>(cost_length_2 - cost_length);
  };
  AlgorithmSummary out{
      Algorithm::name,
      Algorithm::formula,
      Algorithm::first_order_mean,
      Algorithm::first_order_variance,
      Algorithm::derivation,
      {},
      0,
      at_2.passes,
      {each(&Counts::adds), each(&Counts::multiplies), each(&Counts::divides), each(&Counts::compares)}};
  for (const Row& row : table()) {
    if (row.algorithm != Algorithm::name) continue;
    ++out.rows;
    auto& types = out.accumulates;
    if (std::find(types.begin(), types.end(), row.accumulate) == types.end()) types.push_back(row.accumulate);
  }
  return out;
}

}  // namespace

std::string cost_text(const AlgorithmSummary& a) {
  std::vector<std::string> parts;
  const auto add = [&](double each, std::string_view noun) {
    if (each != 0) parts.push_back(fmt::format("{:.4g} {}{}", each, noun, each == 1 ? "" : "s"));
  };
  add(a.cost.adds, "addition");
  add(a.cost.multiplies, "multiplication");
  add(a.cost.divides, "division");
  add(a.cost.compares, "comparison");
  return fmt::format("{}{}; an element {}", a.passes, a.passes == 1 ? " pass" : " passes",
                     fmt::join(parts, ", "));
}

std::vector<AlgorithmSummary> algorithm_summaries() {
  std::vector<AlgorithmSummary> out;
  EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
    const bool known = std::any_of(out.begin(), out.end(), [](const auto& a) { return a.name == A::name; });
    if (!known) out.push_back(summary_of<A>());
  });
  return out;
}

std::string algorithms_text() {
  std::string out = wrapped(first_order_legend, 0);
  out += wrapped(
      fmt::format("costs: of mean and variance, counted in runs on {} and {} elements. Names of rows: "
                  "normcheck list.",
                  cost_length, cost_length_2),
      0);
  for (const AlgorithmSummary& a : algorithm_summaries()) {
    std::vector<std::string_view> types;
    for (const DType dtype : a.accumulates) types.push_back(dtype_name(dtype));
    out += fmt::format("\n{}\n", a.name);
    const auto line = [&](std::string_view label, std::string_view text) {
      out += fmt::format("  {:<13}{}", label, wrapped(text, 15));
    };
    line("formula", a.formula);
    line("accumulates", fmt::format("{} ({})", fmt::join(types, " "), counted(a.rows, "row")));
    line("costs", cost_text(a));
    line("mean", a.first_order_mean);
    line("variance", a.first_order_variance);
    line("derivation", a.derivation);
  }
  return out;
}

}  // namespace normcheck
