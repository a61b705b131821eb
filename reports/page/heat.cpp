// Heat maps: the largest known error over kappa and n, as a table whose cells are numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

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

bool is_length(double n) { return n >= 1 && n < 1e15; }

/// Quarters of a decade: rows of data meet a decade of kappa only nearly.
double column_of(const Json& cell) { return std::round(4 * std::log10(number_of(at(cell, "kappa")))); }
std::string column_text(double column) { return short_number(std::pow(10.0, column / 4)); }

bool is_wrong(const Json& cell) {
  const Json& verdict = at(cell, "verdict");
  return verdict == "FAIL" || verdict == "CRASH" || verdict == "SUSPECT";
}

std::string cell_html(const Json& cell, std::size_t index) {
  const Json& error = at(cell, "error_ulp");
  if (!is_number(error)) return fmt::format("<td class=x data-i={}>not run", index);
  return fmt::format("<td class=\"h{}{}\" data-i={}>{}{}<small>{}</small>", level(number_of(error)),
                     at(cell, "blind") == true ? " b" : "", index, is_wrong(cell) ? "✗" : "",
                     shown(error, Show::number), shown(at(cell, "bound_ulp"), Show::bound));
}

std::string heat_table(const Json& map, const std::string& pointer, Trace& trace) {
  const auto all = items(at(map, "cells"));
  std::map<double, std::map<double, std::size_t>> rows;
  std::map<double, std::string> columns;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double n = number_of(at(all[i], "n")), k = column_of(all[i]);
    if (!is_length(n) || !std::isfinite(k)) continue;
    rows[n].emplace(k, i);
    columns.emplace(k, column_text(k));
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

/// Every implementation of a dtype at one n, an implementation a row: the largest known errors alone.
std::string side_by_side(std::span<const Json> maps, const Json& dtype, double n, Trace& trace) {
  std::map<double, std::string> columns;
  std::vector<std::pair<std::size_t, std::map<double, std::size_t>>> rows;
  for (std::size_t m = 0; m < maps.size(); ++m) {
    if (at(maps[m], "dtype") != dtype) continue;
    const auto all = items(at(maps[m], "cells"));
    std::map<double, std::size_t> row;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double k = column_of(all[i]);
      if (number_of(at(all[i], "n")) != n || !std::isfinite(k)) continue;
      row.emplace(k, i);
      columns.emplace(k, column_text(k));
    }
    if (!row.empty()) rows.emplace_back(m, row);
  }
  if (rows.empty()) return "";
  std::string out = "<table class=heat><thead><tr><th scope=col>implementation \\ kappa";
  for (const auto& [k, text] : columns) out += "<th scope=col>" + text;
  out += "</thead><tbody>\n";
  for (const auto& [m, row] : rows) {
    out += "<tr><th scope=row>" + shown(at(maps[m], "impl"), Show::text);
    for (const auto& [k, text] : columns) {
      const auto found = row.find(k);
      const Json& cell = found == row.end() ? Json() : items(at(maps[m], "cells"))[found->second];
      const Json& error = at(cell, "error_ulp");
      if (!is_number(error)) {
        out += "<td class=x>not run";
        continue;
      }
      const std::string pointer = fmt::format("/heat/{}/cells/{}/error_ulp", m, found->second);
      trace.seen(pointer, error);
      out += fmt::format("<td class=\"h{}{}\" data-from=\"{}\">{}{}", level(number_of(error)),
                         at(cell, "blind") == true ? " b" : "", pointer, is_wrong(cell) ? "✗" : "",
                         shown(error, Show::number));
    }
    out += "\n";
  }
  return out + "</table>";
}

/// The dtypes of the maps side by side, at 4,096 if that was run, else at the longest rows.
std::string all_side_by_side(std::span<const Json> maps, Trace& trace) {
  double n = 0;
  for (const Json& map : maps) {
    for (const Json& cell : items(at(map, "cells"))) {
      const double length = number_of(at(cell, "n"));
      if (is_length(length) && n != 4096) n = length == 4096 ? length : std::max(n, length);
    }
  }
  std::string out;
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"}) {
    const std::string one = side_by_side(maps, Json(dtype), n, trace);
    const std::string title = fmt::format("{}, rows of {} numbers, largest known error, ulp", dtype,
                                          grouped(static_cast<std::int64_t>(n)));
    if (!one.empty())
      out += fmt::format("<details class=part open><summary>{}</summary>\n{}</details>\n", title,
                         box(title, one));
  }
  return out;
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
  body += "</p>\n<h3 id=side>Side by side</h3>\n" + all_side_by_side(maps, trace) +
          "<h3>Each by n and kappa</h3>\n";
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
