// Error and bound against kappa and against n: a panel a dtype and length, or a dtype and kappa.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "corpus/replay_line.h"
#include "reports/numbers.h"
#include "reports/page/parts.h"
#include "reports/page/plot.h"

namespace normcheck::page {
namespace {

/// One of the two sweeps.
struct Sweep {
  std::string_view key;    ///< in results.json
  std::string_view x;      ///< of a point
  std::string_view fixed;  ///< of a curve: what a panel holds constant
  std::string_view x_label;
};
constexpr std::array<Sweep, 2> sweeps = {
    {{"error_vs_kappa", "kappa", "n", "kappa = sqrt(1 + mean²/variance)"},
     {"error_vs_n", "n", "kappa", "n, numbers in a row"}}};

/// What shares a panel: more lines than looks could not be told apart.
enum Kind : std::uint8_t { best_known, others, in_half };
constexpr std::array<std::string_view, 4> known = {"naive", "two_pass", "welford", "chan"};

std::string algorithm_of(const std::string& impl) { return impl.substr(0, impl.find('/')); }

Kind kind_of(const Json& curve) {
  const std::string impl = string_of(at(curve, "impl"));
  if (impl.ends_with("/f16") || impl.ends_with("/bf16")) return in_half;
  const bool is_known = std::find(known.begin(), known.end(), algorithm_of(impl)) != known.end();
  // One slash: the algorithm and what it accumulates in, with nothing else about it.
  return is_known && std::count(impl.begin(), impl.end(), '/') == 1 ? best_known : others;
}

std::vector<Point> points_of(const Json& curve, std::string_view x, std::string_view y) {
  std::vector<Point> out;
  for (const Json& p : items(at(curve, "points"))) {
    const double at_x = number_of(at(p, x));
    const Json& value = at(p, y);
    if (!std::isfinite(at_x) || at_x <= 0 || !is_number(value)) continue;
    out.push_back({at_x, number_of(value)});
  }
  return out;
}

/// The decades of kappa, nearly, and the powers of four of n: of the rest there is the line.
bool in_table(const Sweep& sweep, double x) {
  const bool n = sweep.x == "n";
  const double steps = n ? std::log2(x) / 2 : std::log10(x);
  // Rows of data meet a kappa only nearly.
  return std::isfinite(steps) && std::fabs(steps - std::round(steps)) < (n ? 1e-9 : 0.02);
}

/// What follows the input in the command that shows a point again.
std::string replay_end(const Json& curve) {
  const std::string all =
      replay_arguments("x", string_of(at(curve, "impl")), string_of(at(curve, "contract")));
  return all.substr(std::min(all.size(), std::string_view("replay x ").size()));
}

/// The command of the first point that has an input.
Json first_replay(const Json& results) {
  for (const Sweep& sweep : sweeps) {
    for (const Json& curve : items(at(results, sweep.key))) {
      for (const Json& point : items(at(curve, "points"))) {
        if (at(point, "case").is_string())
          return fmt::format("{} replay {} {}", built_command, shell_word(string_of(at(point, "case"))),
                             replay_end(curve));
      }
    }
  }
  return nullptr;
}

/// A row for each x, a column for each curve: the error, and below it the bound.
std::string numbers_of(const Json& results, const Sweep& sweep, const std::vector<std::size_t>& members,
                       Trace& trace) {
  struct Place {
    std::size_t member, point;
  };
  std::map<double, std::vector<Place>> rows;
  const Json& curves = at(results, sweep.key);
  for (const std::size_t m : members) {
    const auto points = items(at(curves[m], "points"));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = number_of(at(points[i], sweep.x));
      // Rows of data meet a kappa only nearly, each algorithm the same ones.
      if (in_table(sweep, x)) rows[x].push_back({m, i});
    }
  }
  if (rows.empty()) return not_run("No points");
  std::string out = fmt::format("<table class=pairs><thead><tr><th scope=col>{}", sweep.x);
  for (const std::size_t m : members) {
    out +=
        fmt::format("<th scope=col data-from=\"/{}/{}/points\" data-replay=\"{}\">{} <small>ulp</small>",
                    sweep.key, m, escaped(replay_end(curves[m])), shown(at(curves[m], "impl"), Show::text));
  }
  out += "<th scope=col class=t>input</thead><tbody>\n";
  for (const auto& [x, places] : rows) {
    const Place& one = places.front();
    const Json& input = at(items(at(curves[one.member], "points"))[one.point], "case");
    out += fmt::format(
        "<tr{}><th scope=row>{}",
        input.is_string() ? fmt::format(" data-case=\"{}\"", escaped(shell_word(string_of(input)))) : "",
        short_number(x));
    for (const std::size_t m : members) {
      const auto place =
          std::find_if(places.begin(), places.end(), [m](const Place& p) { return p.member == m; });
      if (place == places.end()) {
        out += "<td class=x>not run";
        continue;
      }
      const Json& point = items(at(curves[m], "points"))[place->point];
      const Json& bound = at(point, "bound_ulp");
      trace.seen(fmt::format("/{}/{}/points/{}/error_ulp", sweep.key, m, place->point),
                 at(point, "error_ulp"));
      out += fmt::format("<td data-i={}>{}<small>{}</small>", place->point,
                         shown(at(point, "error_ulp"), Show::number), shown(bound, Show::bound));
    }
    out += input.is_string() ? fmt::format("<td class=t data-from=\"/{}/{}/points/{}/case\">{}\n", sweep.key,
                                           one.member, one.point, shown(input, Show::text))
                             : "<td class=x>not kept\n";
  }
  return out + "</table>";
}

/// Decades that hold every finite number of the lines.
void fit(Panel& panel) {
  double x_low = 1e300, x_high = 0, y_low = 0.1, y_high = 10;
  for (const Line& line : panel.lines) {
    for (const auto* points : {&line.observed, &line.bound, &line.expected}) {
      for (const Point& p : *points) {
        x_low = std::min(x_low, p.x);
        x_high = std::max(x_high, p.x);
        if (std::isfinite(p.y) && p.y > 0) y_high = std::max(y_high, p.y);
      }
    }
  }
  panel.x_low = x_high > 0 ? x_low : 1;
  panel.x_high = x_high > 0 ? x_high : 10;
  if (panel.x_low > 0.99 && panel.x_low < 1.01) panel.x_low = 1;
  panel.y_low = static_cast<int>(std::floor(std::log10(y_low)));
  panel.y_high = std::min(20, static_cast<int>(std::ceil(std::log10(y_high))));
}

struct Group {
  std::string title;
  Kind kind;
  std::vector<std::size_t> members;  ///< indices of curves
};

/// A panel a dtype, kind and fixed value, in the order of the results.
std::vector<Group> groups_of(std::span<const Json> curves, const Sweep& sweep) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string title = fmt::format("{}, {} = {}", shown(at(curves[i], "dtype"), Show::text),
                                          sweep.fixed, shown(at(curves[i], sweep.fixed), Show::count));
    const Kind kind = kind_of(curves[i]);
    const auto place = std::find_if(groups.begin(), groups.end(), [&](const Group& g) {
      return g.title == title && g.kind == kind && g.members.size() < look_count;
    });
    if (place == groups.end())
      groups.push_back({title, kind, {i}});
    else
      place->members.push_back(i);
  }
  return groups;
}

/// The best known keep their look on every panel.
std::vector<std::size_t> looks_of(std::span<const Json> curves, const Group& group) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const auto found =
        std::find(known.begin(), known.end(), algorithm_of(string_of(at(curves[group.members[i]], "impl"))));
    out.push_back(group.kind == best_known ? static_cast<std::size_t>(found - known.begin()) : i);
  }
  return out;
}

std::string figure(const Json& results, const Sweep& sweep, const Group& group, Trace& trace) {
  const auto curves = items(at(results, sweep.key));
  Panel panel{group.title, std::string(sweep.x_label), 1, 10, -1, 9, {}};
  std::string legend;
  const std::vector<std::size_t> looks = looks_of(curves, group);
  for (std::size_t i = 0; i < group.members.size(); ++i) {
    const Json& curve = curves[group.members[i]];
    panel.lines.push_back({string_of(at(curve, "impl")), looks[i],
                           fmt::format("/{}/{}/points", sweep.key, group.members[i]),
                           points_of(curve, sweep.x, "error_ulp"), points_of(curve, sweep.x, "bound_ulp"),
                           points_of(curve, sweep.x, "expected_ulp")});
    legend += fmt::format("<span>{} {}</span> ", look_sample(looks[i]), shown(at(curve, "impl"), Show::text));
  }
  fit(panel);
  return fmt::format(
      "<figure>{}\n<figcaption>{}</figcaption>\n<details><summary>numbers</summary><p>Largest known error, "
      "below "
      "it the proven bound, at {}; the points between are in results.json.</p>{}</details></figure>\n",
      plot_svg(panel), legend, sweep.x == "n" ? "powers of four" : "decades of kappa",
      box(group.title, numbers_of(results, sweep, group.members, trace)));
}

std::string figures(const Json& results, const Sweep& sweep, Trace& trace) {
  const auto curves = items(at(results, sweep.key));
  if (curves.empty()) return not_run(fmt::format("Error against {}: not run", sweep.x));
  std::string first, rest;
  for (const Group& group : groups_of(curves, sweep))
    (group.kind == best_known ? first : rest) += figure(results, sweep, group, trace);
  std::string out;
  if (!first.empty()) out += fmt::format("<div class=figures>\n{}</div>\n", first);
  if (!rest.empty())
    out += fmt::format(
        "<details class=part><summary>Other algorithms, and those accumulated in half "
        "precision</summary>\n<div class=figures>\n{}</div></details>\n",
        rest);
  return out;
}

}  // namespace

std::string panels(const Json& results, Trace& trace) {
  bool expected = false;
  for (const Sweep& sweep : sweeps) {
    for (const Json& curve : items(at(results, sweep.key)))
      expected = expected || !points_of(curve, sweep.x, "expected_ulp").empty();
  }
  std::string body = fmt::format(
      "<p>Solid, with markers: the largest known error of y. Dotted: the proven bound, as far as one holds "
      "(a line that "
      "ends has no bound beyond). Dashed: what is expected of errors that are independent, which decides "
      "nothing{}. A "
      "cross on the upper edge: NaN or inf. Both axes are logarithmic; what lies below 0.1 ulp is drawn on "
      "the lower "
      "edge.</p>\n",
      expected ? "" : ": <span class=x>not run</span>");
  body +=
      "<p>Every point is shown again, at the root of a checkout, by its input, the last column under "
      "<em>numbers</em>: " +
      command(first_replay(results)) + " A click on a number there copies its own.</p>\n";
  body += "<h3>Against kappa</h3>\n" + figures(results, sweeps[0], trace);
  body += "<h3>Against n</h3>\n" + figures(results, sweeps[1], trace);
  return section("panels", "Error and bound", body);
}

}  // namespace normcheck::page
