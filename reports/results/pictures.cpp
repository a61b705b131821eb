// Draws the curves and maps of a report: SVG by hand, for light and dark, with markers and numbers beside
// colours.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/page/scatter.h"
#include "reports/results/reader.h"
#include "reports/results/render.h"
#include "reports/results/svg_text.h"

namespace normcheck {
namespace {

constexpr double panel_width = 400, panel_height = 330, left = 70, top = 74, gap = 40;
constexpr std::size_t most_lines = 6;
constexpr std::array<std::string_view, 5> preferred = {"naive", "two_pass", "welford", "compensated_mean",
                                                       "pairwise"};

/// One kind of curve: its axis, and what tells its panels apart.
struct Kind {
  std::string_view section, along, across, title, axis, file;
  double first, last;  ///< powers of ten of the axis
};
constexpr std::array<Kind, 2> kinds = {
    {{"error_vs_kappa", "kappa", "n", "error and proven bound against the condition number",
      "kappa = sqrt(1 + mean²/variance)", "error_vs_kappa", 0, 8},
     {"error_vs_n", "n", "kappa", "error and proven bound against the length of a row",
      "n, elements of a row", "error_vs_n", 0, 5}}};
constexpr double bottom_decade = -1, top_decade = 9;  // of the y axis, in ulp

struct Panel {
  const Kind& kind;
  double x0;
  double x(double at) const {
    const double place = (std::log10(std::max(at, 1.0)) - kind.first) / (kind.last - kind.first);
    return x0 + panel_width * std::clamp(place, 0.0, 1.0);
  }
  double y(double ulp) const {
    const double at = std::clamp(std::log10(ulp), bottom_decade, top_decade);
    return top + panel_height * (top_decade - at) / (top_decade - bottom_decade);
  }
};

std::string marker(std::size_t look, double x, double y) {
  switch (look) {
    case 0:
      return fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}l4.5 8h-9z\"/>", x, y - 5);
    case 1:
      return fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}h7v7h-7z\"/>", x - 3.5, y - 3.5);
    case 2:
      return fmt::format("<circle class=\"m\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.6\"/>", x, y);
    case 3:
      return fmt::format("<path class=\"m\" d=\"M{:.1f} {:.1f}l5 5l-5 5l-5 -5z\"/>", x, y - 5);
    case 4:
      return fmt::format("<path class=\"l\" d=\"M{0:.1f} {2:.1f}h8M{1:.1f} {3:.1f}v8\"/>", x - 4, x, y,
                         y - 4);
    default:
      return fmt::format("<path class=\"l\" d=\"M{0:.1f} {1:.1f}l7 7m0 -7l-7 7\"/>", x - 3.5, y - 3.5);
  }
}

/// A line through the finite points; it ends where there is no number.
std::string line(const Json& curve, const Panel& panel, std::string_view member_name, std::string_view css) {
  std::string path;
  for (const Json& p : list_in(curve, "points")) {
    const double v = number_of(member(p, member_name)), at = number_of(member(p, panel.kind.along));
    if (!std::isfinite(v) || !std::isfinite(at)) break;
    if (v <= 0) continue;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", panel.x(at), panel.y(v));
  }
  return path.empty() ? "" : fmt::format("<path class=\"l{}\" d=\"{}\"/>\n", css, path);
}

std::string curve_svg(const Json& curve, std::size_t look, const Panel& panel) {
  std::string out = fmt::format("<g class=\"c{}\">\n", look) + line(curve, panel, "bound_ulp", " bound") +
                    line(curve, panel, "expected_ulp", " expected") + line(curve, panel, "error_ulp", "");
  const Json& points = list_in(curve, "points");
  const std::size_t step = points.size() > 24 ? 4 : 1;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double error = number_of(member(points[i], "error_ulp")),
                 at = number_of(member(points[i], panel.kind.along));
    const bool lost = !std::isfinite(error);  // it stands on the upper edge
    if (error == 0 || !std::isfinite(at) || (i % step != 0 && !lost)) continue;
    if (!is_number(member(points[i], "error_ulp"))) continue;
    out += marker(look, panel.x(at), lost ? top : panel.y(error)) + "\n";
  }
  return out + "</g>\n";
}

std::string axes(const Panel& panel, const std::string& name, bool first) {
  std::string out;
  for (int k = static_cast<int>(bottom_decade); k <= static_cast<int>(top_decade); ++k) {
    const double y = panel.y(std::pow(10.0, k));
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{}\"/>\n", panel.x0, y, panel_width);
    if (first) out += svg_text(panel.x0 - 8, y + 4, power_of_ten(k), "end");
  }
  for (int k = static_cast<int>(panel.kind.first); k <= static_cast<int>(panel.kind.last); ++k) {
    const double x = panel.x(std::pow(10.0, k));
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{}\"/>\n", x, top, panel_height);
    out += svg_text(x, top + panel_height + 18, power_of_ten(k), "middle");
  }
  out += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", panel.x0,
                     top, panel_width, panel_height);
  out += svg_text(panel.x0 + panel_width / 2, top - 10, xml_escaped(name), "middle");
  return out + svg_text(panel.x0 + panel_width / 2, top + panel_height + 40, std::string(panel.kind.axis),
                        "middle");
}

/// Those that are drawn: the usual ones first, then whatever else was swept.
std::vector<std::string> drawn_impls(const Json& curves, const std::string& dtype) {
  std::vector<std::string> all, out;
  for (const Json& curve : curves) {
    const std::string impl = text_in(curve, "impl");
    if (text_in(curve, "dtype") == dtype && std::find(all.begin(), all.end(), impl) == all.end())
      all.push_back(impl);
  }
  const std::string accumulate = dtype == "f64" ? "/f64" : "/f32";
  for (const std::string_view name : preferred) {
    const std::string impl = std::string(name) + accumulate;
    if (std::find(all.begin(), all.end(), impl) != all.end()) out.push_back(impl);
  }
  for (const std::string& impl : all) {
    if (out.size() < most_lines && std::find(out.begin(), out.end(), impl) == out.end()) out.push_back(impl);
  }
  return out;
}

std::string curves_svg(const Json& curves, const Kind& kind, const std::string& dtype) {
  const std::vector<std::string> impls = drawn_impls(curves, dtype);
  std::vector<std::string> panels;
  for (const Json& curve : curves) {
    const std::string across = text_in(curve, kind.across);
    if (text_in(curve, "dtype") == dtype && std::find(panels.begin(), panels.end(), across) == panels.end())
      panels.push_back(across);
  }
  const double count = static_cast<double>(panels.size());
  const double width = left + count * panel_width + (count - 1) * gap + 24, height = top + panel_height + 126;
  std::string out = svg_head(width, height, fmt::format("Layer norm in {}: {}", dtype, kind.title));
  out += svg_text(
      left, 44,
      "ulp of y, where |y| is about 1; gamma 1, beta 0, eps 1e-5; the largest of up to 8 rows a point, "
      "each with its own bound",
      "start", "small");
  for (std::size_t p = 0; p < panels.size(); ++p) {
    const Panel panel{kind, left + static_cast<double>(p) * (panel_width + gap)};
    out += axes(panel, fmt::format("{}, {} = {}", dtype, kind.across, panels[p]), p == 0);
    for (std::size_t i = 0; i < impls.size(); ++i) {
      for (const Json& curve : curves) {
        if (text_in(curve, "dtype") == dtype && text_in(curve, kind.across) == panels[p] &&
            text_in(curve, "impl") == impls[i])
          out += curve_svg(curve, i, panel);
      }
    }
  }
  out += fmt::format(
      "<text transform=\"translate(22 {:.0f}) rotate(-90)\" text-anchor=\"middle\">largest known error "
      "of y, ulp</text>\n",
      top + panel_height / 2);
  for (std::size_t i = 0; i < impls.size(); ++i) {
    const double x = left + static_cast<double>(i % 4) * 200, y = height - 58 + (i < 4 ? 0 : 20);
    out += fmt::format("<g class=\"c{}\"><path class=\"l\" d=\"M{:.1f} {:.1f}h28\"/>{}</g>", i, x, y,
                       marker(i, x + 14, y));
    out += svg_text(x + 35, y + 4, xml_escaped(impls[i]), "start");
  }
  out += svg_text(left, height - 14,
                  "solid: largest known error; dotted: proven bound, as far as one holds; dashed: it over "
                  "sqrt(n); on the upper edge: NaN, inf, "
                  "or above 1e9",
                  "start", "small");
  return out + "</svg>\n";
}

/// Which shade a number of ulp has, 0 to 5; 6 where it is NaN or infinite.
int shade(double error) {
  if (!std::isfinite(error)) return 6;
  return std::clamp(static_cast<int>(std::floor(std::log10(std::max(error, 0.1)))) + 1, 0, 5);
}

std::string map_svg(const std::vector<const Json*>& maps, const std::string& dtype) {
  constexpr double cell_width = 50, cell_height = 26, label = 54, head = 50;
  std::vector<std::string> lengths, kappas;
  const auto note = [](std::vector<std::string>& list, const std::string& value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
  };
  for (const Json* map : maps) {
    for (const Json& cell : list_in(*map, "cells"))
      note(lengths, text_in(cell, "n")), note(kappas, text_in(cell, "kappa"));
  }
  const double map_width = label + cell_width * static_cast<double>(kappas.size()) + 30,
               map_height = head + cell_height * static_cast<double>(lengths.size()) + 24;
  const double rows = static_cast<double>((maps.size() + 1) / 2);
  const double width = 24 + 2 * map_width, height = 60 + rows * map_height + 30;
  std::string out = svg_head(
      width, height, fmt::format("Layer norm in {}: largest known error of y, ulp, by n and kappa", dtype));
  out += svg_text(
      left, 44,
      "hatched: blind, a bound of stable hides naive's error there or there is none; x: proven wrong",
      "start", "small");
  for (std::size_t m = 0; m < maps.size(); ++m) {
    const double x0 = 24 + static_cast<double>(m % 2) * map_width,
                 y0 = 60 + static_cast<double>(m / 2) * map_height;
    out += svg_text(x0 + label, y0 + 18, xml_escaped(text_in(*maps[m], "impl")), "start", "bold");
    for (std::size_t k = 0; k < kappas.size(); ++k)
      out += svg_text(x0 + label + (static_cast<double>(k) + 0.5) * cell_width, y0 + head - 6,
                      xml_escaped(kappas[k]), "middle", "small");
    for (std::size_t r = 0; r < lengths.size(); ++r)
      out += svg_text(x0 + label - 6, y0 + head + (static_cast<double>(r) + 0.5) * cell_height + 4,
                      xml_escaped(lengths[r]), "end", "small");
    for (const Json& cell : list_in(*maps[m], "cells")) {
      const auto column = std::find(kappas.begin(), kappas.end(), text_in(cell, "kappa")) - kappas.begin();
      const auto line_number =
          std::find(lengths.begin(), lengths.end(), text_in(cell, "n")) - lengths.begin();
      const double x = x0 + label + static_cast<double>(column) * cell_width,
                   y = y0 + head + static_cast<double>(line_number) * cell_height;
      const double error = number_of(member(cell, "error_ulp"));
      const bool known = is_number(member(cell, "error_ulp")), wrong = text_in(cell, "verdict") == "FAIL";
      out += fmt::format("<rect class=\"h{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>",
                         known ? shade(error) : 7, x, y, cell_width - 1, cell_height - 1);
      if (is_true(cell, "blind"))
        out += fmt::format("<rect fill=\"url(#{})\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\"/>",
                           known && shade(error) >= 4 ? "hatch2" : "hatch", x, y, cell_width - 1,
                           cell_height - 1);
      out += svg_text(x + cell_width / 2, y + 17,
                      (wrong ? "x " : "") + (known ? short_number(error) : std::string("-")), "middle",
                      !known              ? "small"
                      : shade(error) >= 4 ? "small pale"
                                          : "small dark");
    }
  }
  return out +
         svg_text(left, height - 12, "kappa = sqrt(1 + mean²/variance) along, n down; -: not run", "start",
                  "small") +
         "</svg>\n";
}

}  // namespace

std::vector<RenderedFile> results_pictures(const Json& results) {
  std::vector<RenderedFile> out;
  for (const std::string_view dtype : {"f32", "f64"}) {
    const auto plot = page::cost_plot(results, dtype, "c");
    if (!plot) continue;
    constexpr double head = 34;
    out.push_back(
        {fmt::format("svg/cost_vs_accuracy_{}.svg", dtype),
         svg_head(plot->width, plot->height + head, "Cost against accuracy: " + plot->title) +
             fmt::format("<g transform=\"translate(0 {:.0f})\">\n{}</g></svg>\n", head, plot->body)});
  }
  for (const std::string dtype : {"f32", "f64", "f16", "bf16"}) {
    const auto is_it = [&](const Json& part) { return text_in(part, "dtype") == dtype; };
    for (const Kind& kind : kinds) {
      const Json& curves = list_in(results, kind.section);
      if (std::any_of(curves.begin(), curves.end(), is_it))
        out.push_back({fmt::format("svg/{}_{}.svg", kind.file, dtype), curves_svg(curves, kind, dtype)});
    }
    std::vector<const Json*> maps;
    const Json& heat = list_in(results, "heat");
    const std::vector<std::string> wanted = drawn_impls(heat, dtype);
    for (const std::string& impl : wanted) {
      for (const Json& map : heat) {
        if (maps.size() < 4 && is_it(map) && text_in(map, "impl") == impl) maps.push_back(&map);
      }
    }
    if (!maps.empty()) out.push_back({fmt::format("svg/heat_{}.svg", dtype), map_svg(maps, dtype)});
  }
  return out;
}

}  // namespace normcheck
