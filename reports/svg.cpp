// Draws error and bound against kappa.
#include "reports/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace normcheck {
namespace {

constexpr double panel_width = 400, panel_height = 330, left = 70, top = 74, gap = 40, below = 104;
constexpr int top_decade = 9;  // of the y axis, in ulp
constexpr int bottom_decade = -1;
constexpr int kappa_decades = 8;

/// Colours of Okabe and Ito, told apart by the colour-blind; a marker besides, for print.
struct Look {
  std::string_view algorithm;
  std::string_view css;
};
constexpr std::array<Look, 3> looks = {{{"naive", "naive"}, {"two_pass", "two"}, {"welford", "welford"}}};

constexpr std::string_view style_sheet = R"(<style>
  .back{fill:#ffffff} text{fill:#1f2328;font:12px system-ui,sans-serif} .title{font-size:15px;font-weight:600}
  .small{font-size:11px;fill:#59636e} .grid{stroke:#d1d9e0;stroke-width:1} .frame{stroke:#818b98;fill:none}
  .naive .l{stroke:#d55e00} .two .l{stroke:#0072b2} .welford .l{stroke:#007a5a}
  .naive .m{fill:#d55e00} .two .m{fill:#0072b2} .welford .m{fill:#007a5a}
  .l{fill:none;stroke-width:2} .bound{stroke-dasharray:2 4;stroke-linecap:round}
  @media (prefers-color-scheme:dark){.back{fill:#0d1117} text{fill:#e6edf3} .small{fill:#9198a1} .grid{stroke:#2a313c}
  .frame{stroke:#656c76} .naive .l{stroke:#ff8a3d} .two .l{stroke:#56b4e9} .welford .l{stroke:#2fc99a}
  .naive .m{fill:#ff8a3d} .two .m{fill:#56b4e9} .welford .m{fill:#2fc99a}}
</style>
)";

struct Panel {
  double x0;
  double x(double kappa) const { return x0 + panel_width * std::log10(std::max(1.0, kappa)) / kappa_decades; }
  double y(double ulp) const {
    const double at = std::clamp(std::log10(ulp), double{bottom_decade}, double{top_decade});
    return top + panel_height * (top_decade - at) / (top_decade - bottom_decade);
  }
};

std::string marker(std::size_t look, double x, double y) {
  switch (look) {
    case 0:
      return fmt::format("<path class=\"m\" d=\"M{0:.1f} {1:.1f}l4.5 8h-9z\"/>", x, y - 5);
    case 1:
      return fmt::format("<rect class=\"m\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\"/>", x - 3.5,
                         y - 3.5);
    default:
      return fmt::format("<circle class=\"m\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x, y);
  }
}

/// A line through the finite points; it ends where there is no number.
std::string line(const KappaCurve& curve, const Panel& panel, bool bound) {
  std::string path;
  for (const KappaPoint& p : curve.points) {
    const double v = bound ? p.bound_ulp : p.error_ulp;
    if (!std::isfinite(v) || v <= 0) break;
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", panel.x(p.kappa), panel.y(v));
  }
  return path.empty() ? "" : fmt::format("<path class=\"l{}\" d=\"{}\"/>\n", bound ? " bound" : "", path);
}

std::string curve_svg(const KappaCurve& curve, std::size_t look, const Panel& panel) {
  std::string out = fmt::format("<g class=\"{}\">\n", looks[look].css) + line(curve, panel, true) +
                    line(curve, panel, false);
  for (const KappaPoint& p : curve.points) {
    if (p.error_ulp == 0) continue;
    // NaN stands on the upper edge.
    out += marker(look, panel.x(p.kappa), std::isfinite(p.error_ulp) ? panel.y(p.error_ulp) : top) + "\n";
  }
  return out + "</g>\n";
}

std::string decade(int k) {
  if (k == 0) return "1";
  if (k == 1) return "10";
  return fmt::format("10<tspan dy=\"-4\" font-size=\"9\">{}</tspan>", k);
}

std::string axes(const Panel& panel, std::int64_t n, DType dtype, bool first) {
  std::string out;
  for (int k = bottom_decade; k <= top_decade; ++k) {
    const double y = panel.y(std::pow(10.0, k));
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}h{}\"/>\n", panel.x0, y, panel_width);
    if (first)
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", panel.x0 - 8,
                         y + 4, decade(k));
  }
  for (int k = 0; k <= kappa_decades; ++k) {
    const double x = panel.x(std::pow(10.0, k));
    out += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}v{}\"/>\n", x, top, panel_height);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x,
                       top + panel_height + 18, decade(k));
  }
  out += fmt::format("<rect class=\"frame\" x=\"{:.1f}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", panel.x0,
                     top, panel_width, panel_height);
  out += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}, n = {}</text>\n",
                     panel.x0 + panel_width / 2, top - 10, dtype_name(dtype), n);
  out += fmt::format(
      "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">kappa = sqrt(1 + mean²/variance)</text>\n",
      panel.x0 + panel_width / 2, top + panel_height + 40);
  return out;
}

std::string legend(double y) {
  std::string out;
  double x = left;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    out += fmt::format("<g class=\"{}\"><path class=\"l\" d=\"M{:.1f} {:.1f}h28\"/>{}</g>", looks[i].css, x,
                       y, marker(i, x + 14, y));
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 35, y + 4, looks[i].algorithm);
    x += 110;
  }
  out += fmt::format(
      "<text class=\"small\" x=\"{:.1f}\" y=\"{:.1f}\">solid: largest error seen; dotted: proven bound, as "
      "far as one holds; "
      "on the upper edge: NaN or inf</text>\n",
      left, y + 24);
  return out;
}

}  // namespace

std::string error_vs_kappa_svg(const std::vector<KappaCurve>& curves, DType dtype) {
  std::vector<std::int64_t> lengths;
  for (const KappaCurve& curve : curves) {
    if (curve.dtype == dtype && std::find(lengths.begin(), lengths.end(), curve.n) == lengths.end())
      lengths.push_back(curve.n);
  }
  const double panels = static_cast<double>(std::max<std::size_t>(1, lengths.size()));
  const double width = left + panels * panel_width + (panels - 1) * gap + 24,
               height = top + panel_height + below;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" "
      "aria-label=\"Error and proven bound of naive, two_pass and welford against kappa\">\n",
      width, height);
  out += style_sheet;
  out += fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\"/>\n", width, height);
  out += fmt::format(
      "<text class=\"title\" x=\"{}\" y=\"26\">Layer norm: error and proven bound against the condition "
      "number</text>\n",
      left);
  out += fmt::format(
      "<text class=\"small\" x=\"{}\" y=\"44\">ulp of y, where |y| is about 1; gamma 1, beta 0, eps 1e-5; "
      "the largest of 8 "
      "rows a point, each algorithm with its own bound</text>\n",
      left);
  for (std::size_t p = 0; p < lengths.size(); ++p) {
    const Panel panel{left + static_cast<double>(p) * (panel_width + gap)};
    out += axes(panel, lengths[p], dtype, p == 0);
    for (std::size_t i = 0; i < looks.size(); ++i) {
      for (const KappaCurve& curve : curves) {
        if (curve.dtype != dtype || curve.n != lengths[p] || curve.row->algorithm != looks[i].algorithm)
          continue;
        out += curve_svg(curve, i, panel);
      }
    }
  }
  out += fmt::format(
      "<text transform=\"translate(22 {:.0f}) rotate(-90)\" text-anchor=\"middle\">largest error of y, "
      "ulp</text>\n",
      top + panel_height / 2);
  return out + legend(height - 36) + "</svg>\n";
}

}  // namespace normcheck
