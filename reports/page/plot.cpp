// Draws a panel.
#include "reports/page/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/page/html.h"

namespace normcheck::page {
namespace {

constexpr double width = 460, height = 330, left = 46, right = 12, top = 30, bottom = 46;

class Canvas {
 public:
  explicit Canvas(const Panel& panel) : panel_(panel) {}
  double x(double value) const {
    const double low = std::log10(panel_.x_low), high = std::log10(panel_.x_high);
    const double share = high > low ? (std::log10(value) - low) / (high - low) : 0.5;
    return left + (width - left - right) * std::clamp(share, 0.0, 1.0);
  }
  double y(double ulp) const {
    const double low = panel_.y_low, high = panel_.y_high;
    const double at = std::isfinite(ulp) ? (ulp > 0 ? std::log10(ulp) : low) : high;
    return top + (height - top - bottom) * (high - std::clamp(at, low, high)) / (high - low);
  }

 private:
  const Panel& panel_;
};

std::string decade(int k) {
  if (k >= 0 && k <= 3) return fmt::format("{}", std::pow(10, k));
  if (k < 0 && k >= -2) return fmt::format("{}", std::pow(10, k));
  return fmt::format("1e{}", k);
}

std::string axes(const Panel& panel, const Canvas& to) {
  std::string grid, text;
  const int y_step = (panel.y_high - panel.y_low) / 12 + 1;
  for (int k = panel.y_low; k <= panel.y_high; k += y_step) {
    const double y = to.y(std::pow(10.0, k));
    grid += fmt::format("M{:.0f} {:.1f}h{:.0f}", left, y, width - left - right);
    text += fmt::format("<text x={:.0f} y={:.1f} text-anchor=end>{}</text>", left - 5, y + 4, decade(k));
  }
  const int first = static_cast<int>(std::ceil(std::log10(panel.x_low) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log10(panel.x_high) + 1e-9));
  const int x_step = (last - first) / 10 + 1;
  for (int k = first; k <= last; k += x_step) {
    const double x = to.x(std::pow(10.0, k));
    grid += fmt::format("M{:.1f} {:.0f}v{:.0f}", x, top, height - top - bottom);
    text += fmt::format("<text x={:.1f} y={:.0f} text-anchor=middle>{}</text>", x, height - bottom + 16,
                        decade(k));
  }
  return fmt::format(
      "<path class=grid d=\"{}\"/>{}<text class=title x={:.0f} y=18>{}</text>"
      "<text x={:.0f} y={:.0f} text-anchor=middle>{}</text><text x=4 y=18>ulp</text>\n",
      grid, text, left, panel.title, left + (width - left - right) / 2, height - 10, panel.x_label);
}

std::string marker(std::size_t look, double x, double y) {
  switch (look) {
    case 0:
      return fmt::format("M{:.1f} {:.1f}l4.5 8h-9z", x, y - 5);
    case 1:
      return fmt::format("M{:.1f} {:.1f}h7v7h-7z", x - 3.5, y - 3.5);
    case 2:
      return fmt::format("M{:.1f} {:.1f}a4 4 0 1 0 8 0a4 4 0 1 0-8 0", x - 4, y);
    case 3:
      return fmt::format("M{:.1f} {:.1f}l5 5-5 5-5-5z", x, y - 5);
    case 4:
      return fmt::format("M{:.1f} {:.1f}l4.5-8h-9z", x, y + 5);
    default:
      return fmt::format("M{:.1f} {:.1f}h2.4v3h3v2.4h-3v3h-2.4v-3h-3v-2.4h3z", x - 1.2, y - 4.2);
  }
}

/// Whole pixels of the view box, each point relative to the one before: half the bytes.
std::string path(const std::vector<Point>& points, const Canvas& to, std::string_view css) {
  std::string d;
  bool open = false;
  long x = 0, y = 0;
  for (const Point& p : points) {
    if (!std::isfinite(p.y) || p.y < 0) {
      open = false;
      continue;
    }
    const long next_x = std::lround(to.x(p.x)), next_y = std::lround(to.y(p.y));
    d += open ? fmt::format("l{}{}{}", next_x - x, next_y < y ? "" : " ", next_y - y)
              : fmt::format("M{} {}", next_x, next_y);
    x = next_x;
    y = next_y;
    open = true;
  }
  return d.empty() ? "" : fmt::format("<path class=\"l {}\" d=\"{}\"/>", css, d);
}

}  // namespace

std::string plot_svg(const Panel& panel) {
  const Canvas to(panel);
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width={0:.0f} height={1:.0f} role=img aria-label=\"{2}\">{3}",
      width, height, panel.title, axes(panel, to));
  for (const Line& line : panel.lines) {
    std::string marks, crosses;
    const std::size_t step = line.observed.size() / 9 + 1;
    for (std::size_t i = 0; i < line.observed.size(); ++i) {
      const Point& p = line.observed[i];
      if (std::isfinite(p.y))
        marks += i % step == 0 ? marker(line.look, to.x(p.x), to.y(p.y)) : "";
      else
        crosses += fmt::format("M{:.1f} {:.1f}l8 8m0-8l-8 8", to.x(p.x) - 4, top - 4);
    }
    out += fmt::format("<g class=k{} data-from=\"{}\"><title>{}</title>", line.look, escaped(line.from),
                       escaped(line.name));
    out +=
        path(line.bound, to, "bound") + path(line.expected, to, "expected") + path(line.observed, to, "seen");
    if (!marks.empty()) out += fmt::format("<path class=m d=\"{}\"/>", marks);
    if (!crosses.empty()) out += fmt::format("<path class=\"l cross\" d=\"{}\"/>", crosses);
    out += "</g>\n";
  }
  return out + fmt::format("<rect class=frame x={:.0f} y={:.0f} width={:.0f} height={:.0f} /></svg>", left,
                           top, width - left - right, height - top - bottom);
}

std::string look_sample(std::size_t look) {
  return fmt::format(
      "<svg class=key viewBox=\"0 0 28 12\" width=28 height=12 aria-hidden=true><g class=k{}><path class=l "
      "d=\"M0 "
      "6h28\"/><path class=m d=\"{}\"/></g></svg>",
      look, marker(look, 14, 6));
}

}  // namespace normcheck::page
