// What each implementation means and costs: the semantics matrix, and cost against accuracy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/page/parts.h"
#include "reports/page/plot.h"

namespace normcheck::page {
namespace {

/// Where the large-mean rows of an implementation in f32 lie in the results; "" if there are none.
std::string regime_pointer(const Json& results, const Json& impl, std::string_view regime) {
  const auto entries = items(at(results, "entries"));
  for (std::size_t e = 0; e < entries.size(); ++e) {
    if (at(entries[e], "impl") != impl || at(entries[e], "dtype") != "f32") continue;
    const auto regimes = items(at(entries[e], "regimes"));
    for (std::size_t r = 0; r < regimes.size(); ++r) {
      if (at(regimes[r], "regime") == regime) return fmt::format("/entries/{}/regimes/{}", e, r);
    }
  }
  return "";
}

std::string accuracy_cell(const Json& results, const Json& impl, std::string_view regime, Trace& trace) {
  const std::string pointer = regime_pointer(results, impl, regime);
  if (pointer.empty()) return "<td class=x>not run in f32";
  const std::string key = pointer + "/largest_normwise_finite/error_u";
  const Json& value = at(results, std::string_view(key).substr(1));
  trace.seen(key, value);
  if (value.is_null()) return "<td class=x>none judged";
  return fmt::format("<td data-from=\"{}\">{}", key, shown(value, Show::number));
}

}  // namespace

std::string semantics(const Json& results, Trace& trace) {
  constexpr std::array<Column, 10> columns = {{{"implementation", "", "name", Show::text},
                                               {"kind", "", "kind", Show::text},
                                               {"dtypes", "", "dtypes", Show::text},
                                               {"eps", "", "semantics/eps_place", Show::text},
                                               {"variance", "", "semantics/variance", Show::text},
                                               {"constant rows", "", "semantics/constant_rows", Show::text},
                                               {"gamma and beta", "", "semantics/broadcasting", Show::text},
                                               {"NaN and inf in x", "", "semantics/non_finite", Show::text},
                                               {"refusals", "", "semantics/refusals", Show::text},
                                               {"rounding", "", "semantics/rounding", Show::text}}};
  return section("semantics", "Semantics",
                 "<p>What each means by a layer norm, observed on a few rows rather than read from its "
                 "manual; the rounding "
                 "is what its table row or its claims say.</p>\n" +
                     box("Semantics", table(at(results, "implementations"), "/implementations", columns,
                                            trace, "class=\"words sort filter\"")));
}

std::string cost(const Json& results, Trace& trace) {
  const auto all = items(at(results, "implementations"));
  if (all.empty()) return section("cost", "Cost against accuracy", not_run("Cost: not run"));
  constexpr std::array<Column, 5> first = {
      {{"implementation", "", "name", Show::text},
       {"time", "of two_pass", "time_ratio_to_two_pass"},
       {"passes", "over x", "passes"},
       {"divisions", "an element", "divisions"},
       {"batch-invariant merge", "", "batch_invariant_merge", Show::text}}};
  constexpr std::array<Column, 2> last = {
      {{"operations", "", "operations", Show::text},
       {"bound to first order", "", "bound_text", Show::code, "no bound of its own"}}};
  const std::string head = fmt::format(
      "<thead><tr>{}<th scope=col>largest known on unit_normal, f32 <small>u, normwise</small><th "
      "scope=col>largest "
      "known on large_mean, f32 <small>u, normwise</small>{}</thead>\n",
      head_cells(first), head_cells(last));
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pointer = fmt::format("/implementations/{}", i);
    rows += fmt::format("<tr data-from=\"{}\">{}{}{}{}\n", pointer, cells(all[i], pointer, first, trace),
                        accuracy_cell(results, at(all[i], "name"), "unit_normal", trace),
                        accuracy_cell(results, at(all[i], "name"), "large_mean", trace),
                        cells(all[i], pointer, last, trace));
  }
  return section("cost", "Cost against accuracy",
                 "<p>Time is a ratio to two_pass in the same accumulate type, measured in one run and one "
                 "thread; it says "
                 "nothing of other machines. A merge is batch-invariant where a row's answer does not depend "
                 "on the rows "
                 "beside it. The errors are the largest known on two regimes, against the size of the terms "
                 "that make y.</p>\n" +
                     box("Cost against accuracy",
                         fmt::format("<table class=\"sort filter\">{}<tbody>\n{}</table>", head, rows)));
}

}  // namespace normcheck::page
