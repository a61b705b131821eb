// One panel: lines over two logarithmic axes, as SVG that takes its colours from the page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace normcheck::page {

struct Point {
  double x, y;
};

/// An implementation on a panel: what was seen, what is proven, what is expected; each may be empty.
struct Line {
  std::string name;  ///< not yet escaped
  std::size_t look;  ///< colour and marker, below look_count
  std::string from;  ///< pointer of its points
  std::vector<Point> observed, bound, expected;
};
constexpr std::size_t look_count = 6;

struct Panel {
  std::string title;     ///< HTML
  std::string x_label;   ///< HTML
  double x_low, x_high;  ///< of the x axis, above 0
  int y_low, y_high;     ///< decades of the y axis, in ulp
  std::vector<Line> lines;
};

/// Observed solid with markers (at most nine a line), bound dotted, expected dashed. A line has a gap
/// where there is no finite number: an infinite or NaN error is a cross on the upper edge. An error of 0, and
/// what lies below the axis, is drawn on the lower edge.
std::string plot_svg(const Panel& panel);

/// Markers and their colours, named once for all panels: inline SVG, "<svg>...".
std::string look_sample(std::size_t look);

}  // namespace normcheck::page
