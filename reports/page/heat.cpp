// Heat maps: the largest known error over kappa and n, as a table whose cells are numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/numbers.h"
#include "reports/page/parts.h"

namespace normcheck::page {
namespace {

/// Steps of the scale, in ulp: what a colour says, the number says too.
int level(double ulp) {
  if (!std::isfinite(ulp)) return 5;
  if (ulp <= 1) return 0;
  if (ulp <= 10) return 1;
  if (ulp <= 1e3) return 2;
  return ulp <= 1e6 ? 3 : 4;
}

std::string cell_html(const Json& cell, std::size_t index) {
  const Json& error = at(cell, "error_ulp");
  if (!is_number(error)) return fmt::format("<td class=x data-i={}>not run", index);
  const Json& verdict = at(cell, "verdict");
  const bool wrong = verdict == "FAIL" || verdict == "CRASH" || verdict == "SUSPECT";
  return fmt::format("<td class=\"h{}{}\" data-i={}>{}{}<small>{}</small>", level(number_of(error)),
                     at(cell, "blind") == true ? " b" : "", index, wrong ? "✗" : "",
                     shown(error, Show::number), shown(at(cell, "bound_ulp"), Show::bound));
}

std::string heat_table(const Json& map, const std::string& pointer, Trace& trace) {
  const auto all = items(at(map, "cells"));
  // Rows of data meet a decade of kappa only nearly.
  const auto column = [](const Json& c) { return std::round(4 * std::log10(number_of(at(c, "kappa")))); };
  std::map<double, std::map<double, std::size_t>> rows;
  std::map<double, std::string> columns;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double n = number_of(at(all[i], "n")), k = column(all[i]);
    if (!std::isfinite(n) || !std::isfinite(k)) continue;
    rows[n].emplace(k, i);
    columns.emplace(k, short_number(std::pow(10.0, k / 4)));
  }
  if (rows.empty()) return not_run("No cell of this map was run");
  std::string out =
      fmt::format("<table class=heat data-from=\"{}/cells\"><thead><tr><th scope=col>n \\ kappa", pointer);
  for (const auto& [k, text] : columns) out += "<th scope=col>" + text;
  out += "</thead><tbody>\n";
  for (const auto& [n, row] : rows) {
    out += fmt::format("<tr><th scope=row>{}", grouped(static_cast<std::int64_t>(n)));
    for (const auto& [k, text] : columns) {
      const auto found = row.find(k);
      if (found == row.end()) {
        out += "<td class=x>not run";
        continue;
      }
      trace.seen(fmt::format("{}/cells/{}/error_ulp", pointer, found->second),
                 at(all[found->second], "error_ulp"));
      out += cell_html(all[found->second], found->second);
    }
    out += "\n";
  }
  return out + "</table>";
}

}  // namespace

std::string heat_maps(const Json& results, Trace& trace) {
  const auto maps = items(at(results, "heat"));
  if (maps.empty()) return section("heat", "kappa × n", not_run("Heat maps: not run"));
  std::string body =
      "<p>In each cell the largest known error of y, in ulp, and below it the proven bound of the "
      "contract that the map names, in ulp. "
      "<span class=\"swatch b\"></span> hatched: the blind zone, where the contract <code>stable</code> "
      "would let "
      "the one-pass formula (naive) through, or has no bound. ✗: judged wrong there.</p>\n<p>";
  constexpr std::string_view scale[] = {"to 1 ulp", "to 10", "to 1e3", "to 1e6", "above", "NaN or inf"};
  for (std::size_t i = 0; i < std::size(scale); ++i)
    body += fmt::format("<span class=\"swatch h{}\"></span> {} ", i, scale[i]);
  body += "</p>\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const std::string title =
        fmt::format("{}, {}; bounds of {}", shown(at(maps[i], "impl"), Show::text),
                    shown(at(maps[i], "dtype"), Show::text), shown(at(maps[i], "contract"), Show::text));
    body += fmt::format("<details class=part{}><summary>{}</summary>\n{}</details>\n", i < 2 ? " open" : "",
                        title, box(title, heat_table(maps[i], fmt::format("/heat/{}", i), trace)));
  }
  return section("heat", "kappa × n", body);
}

}  // namespace normcheck::page
