// What each implementation means and costs: the semantics matrix, and cost against accuracy.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "reports/page/parts.h"
#include "reports/page/scatter.h"

namespace normcheck::page {
namespace {

/// Where the error of an implementation on the rows of `kappa` lies: of f32 data, or, where it takes none, of
/// the first dtype that it does; "" if it was not measured.
std::string accuracy_pointer(const Json& results, const Json& impl, double kappa) {
  const auto all = items(at(results, "accuracy"));
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at(all[i], "impl") != impl || at(all[i], "kappa") != kappa) continue;
    if (out.empty() || at(all[i], "dtype") == "f32") out = fmt::format("/accuracy/{}", i);
  }
  return out;
}

/// The dtype, the error, and below it the bound.
std::string accuracy_cells(const Json& results, const Json& impl, Trace& trace) {
  std::string out;
  const auto put = [&](const std::string& pointer, std::string_view key, Show show) {
    const std::string whole = fmt::format("{}/{}", pointer, key);
    const Json& value = at(results, std::string_view(whole).substr(1));
    trace.seen(whole, value);
    out += fmt::format("<td data-from=\"{}\">{}", whole, shown(value, show));
  };
  const std::string first = accuracy_pointer(results, impl, 1);
  if (first.empty())
    return "<td class=x>not run<td class=x>not run<td class=x>not run<td class=x>not run<td class=x>not run";
  put(first, "dtype", Show::text);
  for (const double kappa : {1.0, 100.0}) {
    const std::string pointer = accuracy_pointer(results, impl, kappa);
    if (pointer.empty()) {
      out += "<td class=x>not run<td class=x>not run";
      continue;
    }
    put(pointer, "error_ulp", Show::number);
    put(pointer, "bound_ulp", Show::bound);
  }
  return out;
}

std::string cost_figure(const Json& results, std::string_view dtype) {
  const auto plot = cost_plot(results, dtype, "k");
  if (!plot) return not_run(fmt::format("Cost against accuracy of {} data: not run", dtype));
  return fmt::format(
      "<figure><h3>{0}</h3><svg viewBox=\"0 0 {1:.0f} {2:.0f}\" width={1:.0f} height={2:.0f} role=img "
      "aria-label=\"cost against accuracy, {0}\">{3}</svg>\n<figcaption>{4} implementations, {5} with their "
      "name; all stand in the table below.{6}</figcaption></figure>\n",
      plot->title, plot->width, plot->height, plot->body, plot->points, plot->labelled,
      plot->no_time > 0 ? fmt::format(" {} more have no time.", plot->no_time) : "");
}

/// What sums in a half cost in accuracy: the same algorithm, with sums in the half and in f32.
std::string in_halves(const Json& results, std::string_view dtype, Trace& trace) {
  const auto maps = items(at(results, "heat"));
  const auto map_of = [&](const std::string& impl) {
    return std::find_if(maps.begin(), maps.end(),
                        [&](const Json& m) { return at(m, "impl") == impl && at(m, "dtype") == dtype; }) -
           maps.begin();
  };
  std::vector<std::ptrdiff_t> columns;
  for (const Json& map : maps) {
    const std::string impl = string_of(at(map, "impl"));
    if (at(map, "dtype") != dtype || !impl.ends_with("/" + std::string(dtype))) continue;
    const std::string twin = impl.substr(0, impl.find('/')) + "/f32";
    columns.push_back(map_of(impl));
    if (map_of(twin) < std::ssize(maps)) columns.push_back(map_of(twin));
  }
  if (columns.empty()) return "";
  std::string out = "<table class=heat><thead><tr><th scope=col>n, kappa";
  for (const std::ptrdiff_t m : columns)
    out += fmt::format("<th scope=col>{} <small>ulp, largest known</small>",
                       shown(at(maps[static_cast<std::size_t>(m)], "impl"), Show::text));
  out += "</thead><tbody>\n";
  const auto first = items(at(maps[static_cast<std::size_t>(columns[0])], "cells"));
  for (const Json& row : first) {
    if (at(row, "kappa") != 1 && at(row, "kappa") != 10) continue;
    out += fmt::format("<tr><th scope=row>{}, {}", shown(at(row, "n"), Show::count),
                       shown(at(row, "kappa"), Show::number));
    for (const std::ptrdiff_t m : columns) {
      const auto there = items(at(maps[static_cast<std::size_t>(m)], "cells"));
      const auto cell = std::find_if(there.begin(), there.end(), [&](const Json& c) {
        return at(c, "n") == at(row, "n") && at(c, "kappa") == at(row, "kappa");
      });
      if (cell == there.end() || !is_number(at(*cell, "error_ulp"))) {
        out += "<td class=x>not run";
        continue;
      }
      const std::string pointer = fmt::format("/heat/{}/cells/{}/error_ulp", m, cell - there.begin());
      trace.seen(pointer, at(*cell, "error_ulp"));
      const Json& verdict = at(*cell, "verdict");
      out += fmt::format("<td data-from=\"{}\">{}{}", pointer, verdict == "FAIL" ? "✗" : "",
                         shown(at(*cell, "error_ulp"), Show::number));
    }
    out += "\n";
  }
  const std::string title = fmt::format("{} data: sums in {} beside sums in f32", dtype, dtype);
  return fmt::format("<details class=part open><summary>{}</summary>\n{}</details>\n", title,
                     box(title, out + "</table>"));
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
  constexpr std::array<Column, 6> first = {
      {{"implementation", "", "name", Show::text},
       {"time", "of two_pass, same sums", "time_ratio_to_two_pass"},
       {"time", "of two_pass/f32, f32 data", "time_ratio_on_f32"},
       {"passes", "over x", "passes"},
       {"divisions", "an element", "divisions"},
       {"batch-invariant merge", "", "batch_invariant_merge", Show::text}}};
  constexpr std::array<Column, 2> last = {
      {{"operations", "", "operations", Show::text},
       {"bound to first order", "", "bound_text", Show::code, "no bound of its own"}}};
  std::string errors = "<th scope=col class=t>data";
  for (const std::string_view kappa : {"1", "100"})
    errors += fmt::format(
        "<th scope=col>largest known, kappa {0} <small>ulp</small><th scope=col>its proven bound, kappa {0} "
        "<small>ulp</small>",
        kappa);
  const std::string head =
      fmt::format("<thead><tr>{}{}{}</thead>\n", head_cells(first), errors, head_cells(last));
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pointer = fmt::format("/implementations/{}", i);
    rows +=
        fmt::format("<tr data-from=\"{}\">{}{}{}\n", pointer, cells(all[i], pointer, first, trace),
                    accuracy_cells(results, at(all[i], "name"), trace), cells(all[i], pointer, last, trace));
  }
  std::string body =
      "<p>Time is a ratio to two_pass, measured in one run and one thread; it says nothing of other "
      "machines. "
      "Errors are the largest known of y on four rows of 1,024 numbers (|y| is about 1) of that kappa, "
      "beside "
      "the implementation's own proven bound at that element. A merge is batch-invariant where a row's "
      "answer "
      "does not depend on the rows beside it.</p>\n<div class=figures>\n" +
      cost_figure(results, "f32") + cost_figure(results, "f64") + "</div>\n" +
      box("Cost against accuracy",
          fmt::format("<table class=\"sort filter\">{}<tbody>\n{}</table>", head, rows));
  const std::string halves = in_halves(results, "f16", trace) + in_halves(results, "bf16", trace);
  body +=
      "<h3>What sums in a half cost</h3>\n" +
      (halves.empty() ? not_run("Sums in a half: not run")
                      : "<p>The same rows, the same algorithm: the largest known error of y, in ulp of the "
                        "half, with sums in the half and with sums in f32. ✗: past what is proven of a "
                        "careful layer norm. inf: NaN, or an infinity for a number.</p>\n" +
                            halves);
  return section("cost", "Cost against accuracy", body);
}

}  // namespace normcheck::page
