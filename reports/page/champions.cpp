// The largest known errors, each with its input and the command that shows it again; and the folklore.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/page/parts.h"

namespace normcheck::page {
namespace {

/// A link to a file beside the page; text alone where the name could lead anywhere else.
std::string file_link(const Json& file, const std::string& text) {
  const std::string name = string_of(file);
  const bool harmless =
      !name.empty() && name.find("..") == std::string::npos && name[0] != '/' &&
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./") ==
          std::string::npos;
  return harmless ? fmt::format("<a href=\"{}{}\">{}</a>",
                                name.find('/') == std::string::npos ? "cases/" : "", name, text)
                  : text;
}

/// How the search went: the largest found against the evaluations spent, both logarithmic.
std::string sparkline(const Json& curve, const std::string& pointer) {
  std::vector<std::pair<double, double>> points;
  for (const Json& p : items(curve)) {
    const double x = number_of(at(p, "0")), y = number_of(at(p, "1"));
    if (std::isfinite(x) && std::isfinite(y) && x > 0 && y > 0) points.emplace_back(std::log10(x), y);
  }
  if (points.size() < 2) return "<td class=x>not kept";
  const double x0 = points.front().first, x1 = std::max(points.back().first, x0 + 1e-9);
  double high = 0;
  for (const auto& p : points) high = std::max(high, p.second);
  std::string d;
  const std::size_t step = points.size() / 12 + 1;
  for (std::size_t i = 0; i < points.size(); i += step) {
    d += fmt::format("{}{:.0f} {:.0f}", d.empty() ? "M" : "L", 60 * (points[i].first - x0) / (x1 - x0),
                     16 - 14 * points[i].second / high);
  }
  return fmt::format(
      "<td><svg class=spark viewBox=\"0 0 60 18\" width=60 height=18 role=img data-from=\"{}\" "
      "aria-label=\"largest found against "
      "evaluations\"><path class=l d=\"{}\"/></svg>",
      pointer, d);
}

}  // namespace

std::string champions(const Json& results, Trace& trace) {
  const auto all = items(at(results, "champions"));
  if (all.empty())
    return section("champions", "Largest known errors",
                   not_run("The search for the largest errors: not run"));
  constexpr std::array<Column, 3> first = {{{"implementation", "", "impl", Show::text},
                                            {"dtype", "", "dtype", Show::text},
                                            {"n", "", "n", Show::count}}};
  constexpr std::array<Column, 4> errors = {
      {{"largest known error", "ulp", "error_ulp"},
       {"share", "of its bound", "share_of_bound", Show::bound, "no bound"},
       {"normwise", "u", "normwise_u"},
       {"kappa", "", "kappa"}}};
  constexpr std::array<Column, 6> last = {{{"contract of the bound", "", "contract", Show::text},
                                           {"kappa allowed", "at most", "kappa_most"},
                                           {"version", "", "version", Show::text, "this build"},
                                           {"sought", "", "objective", Show::text},
                                           {"evaluations", "", "evaluations", Show::count},
                                           {"seed", "", "seed", Show::text}}};
  const std::string head =
      "<thead><tr>" + head_cells(first) + head_cells(errors) +
      "<th scope=col class=t data-key=command>replay<th scope=col class=t data-key=case>input" +
      head_cells(last) + "<th scope=col class=t data-key=curve>search</thead>\n";
  std::string rows;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string pointer = fmt::format("/champions/{}", i);
    rows += fmt::format(
        "<tr data-from=\"{}\">{}{}<td class=t>{}<td class=t>{}{}{}\n", pointer,
        cells(all[i], pointer, first, trace), cells(all[i], pointer, errors, trace),
        command(at(all[i], "command")), file_link(at(all[i], "file"), shown(at(all[i], "case"), Show::text)),
        cells(all[i], pointer, last, trace), sparkline(at(all[i], "curve"), pointer + "/curve"));
  }
  const std::string body =
      "<p>Found by search, and confirmed exactly. Each is the <b>largest known</b> error of y, a lower bound "
      "of "
      "the largest there is; nothing proves that there is none larger. Its share is of the proven bound of "
      "that element. The command, pasted in the folder of this page, shows the same error.</p>\n" +
      box("Largest known errors",
          fmt::format("<table class=\"champions sort filter\">{}<tbody>\n{}</table>", head, rows));
  return section("champions", "Largest known errors", body);
}

std::string folklore(const Json& results, Trace& trace) {
  const auto all = items(at(results, "folklore"));
  if (all.empty()) return section("folklore", "Folklore, tested", not_run("Folklore: not run"));
  constexpr std::array<Column, 4> columns = {{{"implementation", "", "impl", Show::text},
                                              {"dtype", "", "dtype", Show::text},
                                              {"largest known error", "ulp", "error_ulp"},
                                              {"proven bound", "ulp", "bound_ulp", Show::bound}}};
  std::string body = "<p>What is often said, and an input that tests it.</p>\n";
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Json& one = all[i];
    const std::string pointer = fmt::format("/folklore/{}", i);
    const std::string holds = string_of(at(one, "holds"));
    const std::string_view css = holds == "yes" ? "good" : holds == "no" ? "bad" : "odd";
    const std::string_view glyph = holds == "yes" ? "✓" : holds == "no" ? "✗" : "~";
    body += fmt::format(
        "<article class=claim data-from=\"{}\"><h3>“{}”</h3>\n<p><span class={}>{}</span> Holds: <b>{}</b>. "
        "{}</p>\n",
        pointer, traced(results, pointer + "/claim", Show::text, trace), css, glyph,
        traced(results, pointer + "/holds", Show::text, trace),
        traced(results, pointer + "/because", Show::text, trace));
    const std::string row = cells(one, pointer, columns, trace);
    body += box("Its input", fmt::format("<table><thead><tr>{}<th scope=col class=t data-key=case>input<th "
                                         "scope=col class=t data-key=command>replay</thead><tbody><tr "
                                         "data-from=\"{}\">{}<td class=t>{}<td class=t>{}</table>",
                                         head_cells(columns), pointer, row,
                                         file_link(at(one, "file"), shown(at(one, "case"), Show::text)),
                                         command(at(one, "command"))));
    body += "</article>\n";
  }
  return section("folklore", "Folklore, tested", body);
}

}  // namespace normcheck::page
