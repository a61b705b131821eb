// Cost against accuracy: a point an implementation, with labels that do not lie on each other.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck::page {

/// In pixels of the view box; y grows downwards.
struct Rect {
  double x, y, width, height;
};
bool overlap(const Rect& a, const Rect& b);

struct Dot {
  double x, y;
  std::string label;  ///< empty: it wants none
};
struct Label {
  std::size_t of;  ///< which dot
  Rect place;
  bool far;  ///< so far from its dot that a line is to lead there
};
/// Places the labels within `area`, earlier dots first: none lies on another, nor on any dot; what finds no
/// place is left out.
std::vector<Label> placed_labels(const std::vector<Dot>& dots, const Rect& area);

struct CostPlot {
  std::string title;
  std::string body;  ///< what stands within the svg element
  double width, height;
  std::size_t points, labelled;
  std::size_t no_time;  ///< implementations with an error at that dtype, and no time
};
/// Rows of 1024 numbers of the dtype (f32 or f64) at kappa 100: the largest known error of y in ulp against
/// the time, over that of two_pass/f32, or two_pass/f64. A glyph says the passes, a hollow one that nothing
/// is proven, the colour the accumulate type: classes `look`0 and `look`1. nullopt where there is no point.
std::optional<CostPlot> cost_plot(const nlohmann::ordered_json& results, std::string_view dtype,
                                  std::string_view look);

}  // namespace normcheck::page
