// Heat maps: the largest known error over kappa and n, as a table whose cells are numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "corpus/replay_line.h"
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

/// The input of every cell of a row with a * for the kappa, where they differ in that alone: for the script,
/// which finds the kappa in the pointer of a cell.
std::string case_pattern(std::span<const Json> all, const std::map<double, std::size_t>& row) {
  for (const auto& [k, i] : row) {
    const std::string name = string_of(at(all[i], "case"));
    const std::size_t from = name.find('-'), to = name.find('-', from + 1);
    if (!name.starts_with("kappa-") || to == name.npos || shell_word(name) != name) return "";
    return fmt::format(" data-case=\"{}\"", escaped("kappa-*" + name.substr(to)));
  }
  return "";
}

/// What follows the input in a command.
std::string replay_end(const std::string& impl, const std::string& contract) {
  const std::string all = replay_arguments("x", impl, contract);
  return all.substr(std::min(all.size(), std::string_view("replay x ").size()));
}

/// As the names of inputs spell it.
std::string kappa_of(std::span<const Json> all, const std::map<double, std::map<double, std::size_t>>& rows,
                     double column) {
  for (const auto& [n, row] : rows) {
    const auto found = row.find(column);
    if (found == row.end()) continue;
    const std::string name = string_of(at(all[found->second], "case"));
    const std::size_t from = name.find('-'), to = name.find('-', from + 1);
    if (name.starts_with("kappa-") && to != name.npos) return escaped(name.substr(from + 1, to - from - 1));
  }
  return "";
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
  std::string out = fmt::format(
      "<table class=heat data-from=\"{}/cells\" data-replay=\"{}\"><thead><tr><th scope=col>n \\ kappa",
      pointer, escaped(replay_end(string_of(at(map, "impl")), string_of(at(map, "contract")))));
  for (const auto& [k, text] : columns)
    out += fmt::format("<th scope=col data-kappa=\"{}\">{}", kappa_of(all, rows, k), text);
  out += "</thead><tbody>\n";
  for (const auto& [n, row] : rows) {
    out +=
        fmt::format("<tr{}><th scope=row>{}", case_pattern(all, row), grouped(static_cast<std::int64_t>(n)));
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

/// Below an error: what is proven of the implementation itself there.
std::string own_bound(const Json& cell, std::size_t map, std::size_t index, Trace& trace) {
  const Json& bound = at(cell, "own_bound_ulp");
  if (!is_number(bound)) return "<small>none of its own</small>";
  const std::string pointer = fmt::format("/heat/{}/cells/{}/own_bound_ulp", map, index);
  trace.seen(pointer, bound);
  return fmt::format("<small data-from=\"{}\">{}</small>", pointer, shown(bound, Show::bound));
}

/// What its time is, of two_pass with the same sums.
std::string time_cell(const Json& results, const Json& impl, Trace& trace) {
  const auto all = items(at(results, "implementations"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at(all[i], "name") != impl) continue;
    const std::string pointer = fmt::format("/implementations/{}/time_ratio_to_two_pass", i);
    const Json& ratio = at(all[i], "time_ratio_to_two_pass");
    trace.seen(pointer, ratio);
    return fmt::format("<td data-from=\"{}\">{}", pointer, shown(ratio, Show::number));
  }
  return "<td class=x>not run";
}

/// Every implementation of a dtype at one n, an implementation a row: its largest known errors, and its own
/// bounds.
std::string side_by_side(const Json& results, const Json& dtype, double n, Trace& trace) {
  const auto maps = items(at(results, "heat"));
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
  std::string out =
      "<table class=heat><thead><tr><th scope=col>implementation \\ kappa<th scope=col>time <small>of "
      "two_pass</small>";
  for (const auto& [k, text] : columns) out += "<th scope=col>" + text;
  out += "</thead><tbody>\n";
  for (const auto& [m, row] : rows) {
    out += "<tr><th scope=row>" + shown(at(maps[m], "impl"), Show::text) +
           time_cell(results, at(maps[m], "impl"), trace);
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
      out += fmt::format("<td class=\"h{}{}\" data-from=\"{}\">{}{}{}", level(number_of(error)),
                         at(cell, "blind") == true ? " b" : "", pointer, is_wrong(cell) ? "✗" : "",
                         shown(error, Show::number), own_bound(cell, m, found->second, trace));
    }
    out += "\n";
  }
  return out + "</table>";
}

/// The smallest fault that must show.
std::string floors(const Json& results, Trace& trace) {
  const auto all = items(at(results, "detection_floor"));
  std::string out = "<h3 id=floor>Detection floor</h3>\n";
  if (all.empty()) return out + not_run("The detection floor: not run");
  out +=
      "<p>The smallest relative error of rstd that must show as a FAIL, all else exact, on one row of normal "
      "numbers (mean 0, variance 1): computed from the proven allowances, nothing is run. A divisor of n−1 "
      "for n "
      "is an error of 1/(2n) in rstd: where the figure is above that, it passes. <code>stable</code> is the "
      "contract of all; the others are those of one implementation itself.</p>\n";
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"}) {
    std::vector<std::string> contracts;
    std::map<double, std::map<std::string, std::size_t>> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double n = number_of(at(all[i], "n"));
      if (at(all[i], "dtype") != dtype || at(all[i], "data") != "normal" || !is_length(n)) continue;
      const std::string contract = string_of(at(all[i], "contract"));
      if (std::find(contracts.begin(), contracts.end(), contract) == contracts.end())
        contracts.push_back(contract);
      rows[n].emplace(contract, i);
    }
    if (rows.empty()) continue;
    std::string table = "<table class=heat><thead><tr><th scope=col>n";
    for (const std::string& contract : contracts)
      table += fmt::format("<th scope=col>{} <small>error of rstd</small>", escaped(contract));
    table += "<th scope=col>divisor of n−1 <small>error of rstd</small></thead><tbody>\n";
    for (const auto& [n, row] : rows) {
      table += fmt::format("<tr><th scope=row>{}", grouped(static_cast<std::int64_t>(n)));
      for (const std::string& contract : contracts) {
        const auto found = row.find(contract);
        const Json& root = found == row.end() ? Json() : at(all[found->second], "root");
        if (!is_number(root)) {
          table += "<td class=x>not run";
          continue;
        }
        const std::string pointer = fmt::format("/detection_floor/{}/root", found->second);
        trace.seen(pointer, root);
        const double value = number_of(root);
        table += fmt::format("<td data-from=\"{}\"{}>{}", pointer, value > 0.5 / n ? " class=b" : "",
                             std::isfinite(value) ? short_number(value) : "nothing shows");
      }
      table += fmt::format("<td>{}\n", short_number(0.5 / n));
    }
    const std::string title = fmt::format("{}: the smallest relative error of rstd that must show", dtype);
    out +=
        fmt::format("<details class=part{}><summary>{}</summary>\n{}</details>\n",
                    dtype == "f16" || dtype == "f32" ? " open" : "", title, box(title, table + "</table>"));
  }
  return out + "<p><span class=\"swatch b\"></span> hatched: a divisor of n−1 passes there.</p>\n";
}

/// The first cell that has an input, as a command.
Json first_replay(std::span<const Json> maps) {
  for (const Json& map : maps) {
    for (const Json& cell : items(at(map, "cells"))) {
      if (at(cell, "case").is_string())
        return replay_line(built_command,
                           replay_arguments(string_of(at(cell, "case")), string_of(at(map, "impl")),
                                            string_of(at(map, "contract"))));
    }
  }
  return nullptr;
}

/// The dtypes of the maps side by side, at 4,096 if that was run, else at the longest rows.
std::string all_side_by_side(const Json& results, Trace& trace) {
  const auto maps = items(at(results, "heat"));
  double n = 0;
  for (const Json& map : maps) {
    for (const Json& cell : items(at(map, "cells"))) {
      const double length = number_of(at(cell, "n"));
      if (is_length(length) && n != 4096) n = length == 4096 ? length : std::max(n, length);
    }
  }
  std::string out;
  for (const std::string_view dtype : {"f16", "bf16", "f32", "f64"}) {
    const std::string one = side_by_side(results, Json(dtype), n, trace);
    const std::string title =
        fmt::format("{}, rows of {} numbers: largest known error, and its own proven bound, ulp", dtype,
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
  body +=
      "</p>\n<h3 id=side>Side by side</h3>\n"
      "<p>Below each error stands what is proven of that implementation itself on these rows: <em>no "
      "bound</em> "
      "is that nothing is. Where a kappa lies between two columns, the right one holds more than it.</p>\n" +
      all_side_by_side(results, trace) + floors(results, trace) +
      "<h3>Each by n and kappa</h3>\n<p>The command that shows a cell again, here that of the first: " +
      command(first_replay(maps)) +
      " with the kappa, the length and the implementation that are asked for (8 rows of up to 512 numbers, 1 "
      "of 4,096 or more); a click on a number copies its own.</p>\n";
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
