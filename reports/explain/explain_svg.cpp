// The computation graph of one element: a box a step, the errors on the edges between them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "reports/explain/explain.h"
#include "reports/finding_text.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr double box_width = 300, box_height = 74, left = 30, gap_x = 90, top = 96, gap_y = 64;

constexpr std::string_view style_sheet = R"(<style>
  .back{fill:#ffffff} text{fill:#1f2328;font:12px system-ui,sans-serif} .title{font-size:15px;font-weight:600}
  .small{font-size:11px;fill:#59636e} .name{font-weight:600} .box{fill:#f6f8fa;stroke:#818b98}
  .most{stroke:#d55e00;stroke-width:3} .edge{fill:none;stroke:#59636e;stroke-width:1.5} .head{fill:#59636e}
  @media (prefers-color-scheme:dark){.back{fill:#0d1117} text{fill:#e6edf3} .small{fill:#9198a1} .box{fill:#151b23;stroke:#656c76}
  .most{stroke:#ff8a3d} .edge{stroke:#9198a1} .head{fill:#9198a1}}
</style>
)";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

std::string ulps(double v) {
  if (v == 0) return "0";
  return std::isnan(v) ? "nan" : (v < 0 ? "-" : "+") + short_number(std::fabs(v));
}

/// Broken at spaces: text of a picture does not wrap by itself.
std::vector<std::string> in_lines(const std::string& text) {
  constexpr std::size_t most = 96;
  std::vector<std::string> out;
  std::size_t from = 0;
  while (text.size() - from > most) {
    const std::size_t space = text.rfind(' ', from + most);
    if (space == std::string::npos || space <= from) break;
    out.push_back(text.substr(from, space - from));
    from = space + 1;
  }
  out.push_back(text.substr(from));
  return out;
}

/// Where a box stands: the statistics in the left column, what has an element for each x in the right.
struct Place {
  int column, line;
  double x() const { return left + column * (box_width + gap_x); }
  double y() const { return top + line * (box_height + gap_y); }
};
constexpr std::array<Place, 7> places = {{{0, 0}, {1, 1}, {0, 2}, {0, 3}, {1, 4}, {1, 5}, {1, 6}}};

std::string edge(const Place& from, const Place& to, const std::string& label) {
  const double x1 = from.x() + box_width / 2, y1 = from.y() + box_height, x2 = to.x() + box_width / 2,
               y2 = to.y();
  const double middle = (y1 + y2) / 2;
  std::string out =
      fmt::format("<path class=\"edge\" d=\"M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}\"/>", x1,
                  y1, x1, middle, x2, middle, x2, y2 - 7);
  out += fmt::format("<path class=\"head\" d=\"M{:.0f} {:.0f}l-4 -8h8z\"/>", x2, y2);
  // Beside the line: to the left of one that bends to the right.
  const bool bends = x2 > x1;
  out += fmt::format("<text class=\"small\" x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"{}\">{}</text>\n",
                     bends ? x1 - 8 : x1 + 8, y1 + 16, bends ? "end" : "start", escaped(label));
  return out;
}

}  // namespace

std::string explained_svg(const Explained& e) {
  const std::vector<std::string> lines = in_lines(e.step.empty() ? e.why : e.step + ": " + e.why);
  const double why_height = 17.0 * static_cast<double>(lines.size()) + 16;
  const double width = 2 * left + 2 * box_width + gap_x,
               height = places.back().y() + box_height + 24 + why_height;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" "
      "aria-label=\"the six steps of one element, with the error of each\">\n",
      width, height);
  out += style_sheet;
  out += fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width, height);
  out += fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"30\">{} of case {}</text>\n", left,
                     escaped(e.impl), escaped(e.problem.id));
  out += fmt::format(
      "<text x=\"{:.0f}\" y=\"52\">{}, row {}, element {}: y is off by {} ulp; n {}, kappa {}</text>\n", left,
      escaped(problem_text(e.problem)), e.row, e.column, ulps(e.error_ulp), row_length(e.problem),
      short_number(e.kappa));
  out += fmt::format(
      "<text class=\"small\" x=\"{:.0f}\" y=\"72\">on an edge: the whole error that leaves the step, in ulp "
      "of its type</text>\n",
      left);
  // mean -> centre, centre -> variance, variance -> rstd, centre and rstd -> normalize, and on.
  constexpr std::array<std::array<std::size_t, 2>, 7> edges = {
      {{0, 1}, {1, 2}, {2, 3}, {1, 4}, {3, 4}, {4, 5}, {5, 6}}};
  for (const auto& [from, to] : edges) {
    if (from >= e.steps.size() || to >= e.steps.size()) continue;
    const ExplainedStep& s = e.steps[from];
    out += edge(places[from], places[to], s.formed ? ulps(s.own_ulp + s.inherited_ulp) + " ulp" : "not told");
  }
  for (std::size_t k = 0; k < std::min(e.steps.size(), places.size()); ++k) {
    const ExplainedStep& s = e.steps[k];
    const double x = places[k].x(), y = places[k].y();
    out += fmt::format(
        "<rect class=\"box{}\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"6\"/>\n",
        s.name == e.step ? " most" : "", x, y, box_width, box_height);
    out +=
        fmt::format("<text class=\"name\" x=\"{:.0f}\" y=\"{:.0f}\">{} {}{}</text>\n", x + 10, y + 18,
                    escaped(s.name), escaped(s.shape), s.name == e.step ? " \u25b2 most is lost here" : "");
    out += fmt::format("<text class=\"small\" x=\"{:.0f}\" y=\"{:.0f}\">exact {:.9g}</text>\n", x + 10,
                       y + 35, s.exact);
    if (!s.formed) {
      out += fmt::format("<text class=\"small\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", x + 10, y + 50,
                         e.tells_steps ? "not formed" : "not told");
      continue;
    }
    out += fmt::format("<text class=\"small\" x=\"{:.0f}\" y=\"{:.0f}\">got {:.9g} ({})</text>\n", x + 10,
                       y + 50, s.got, dtype_name(s.unit));
    out += fmt::format(
        "<text class=\"small\" x=\"{:.0f}\" y=\"{:.0f}\">own {}, inherited {}, of y {} (ulp)</text>\n",
        x + 10, y + 65, ulps(s.own_ulp), ulps(s.inherited_ulp), ulps(s.of_y_ulp));
  }
  double line = height - why_height + 12;
  for (const std::string& part : lines) {
    out += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", left, line, escaped(part));
    line += 17;
  }
  return out + "</svg>\n";
}

}  // namespace normcheck
