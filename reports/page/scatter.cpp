// Draws cost against accuracy.
#include "reports/page/scatter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "reports/numbers.h"
#include "reports/page/html.h"

namespace normcheck::page {
namespace {

constexpr double width = 600, height = 520, left = 52, right = 14, top = 34, bottom = 96;
constexpr Rect area{left + 2, top + 2, width - left - right - 4, height - top - bottom - 4};
constexpr double letter = 7.4, line_height = 15;  // of 14 px, which narrow screens have
constexpr double dot_size = 9;

/// One implementation.
struct Spot {
  std::string name, label, from;
  double time, ulp, bound;
  std::string accumulate;
  double passes;
};

std::string_view glyph_of(double passes) {
  if (passes == 1) return "m0-5l4.8 8.6h-9.6z";
  if (passes == 2) return "m-3.8-3.8h7.6v7.6h-7.6z";
  return "m-4.4 0a4.4 4.4 0 1 0 8.8 0a4.4 4.4 0 1 0-8.8 0";
}
std::string glyph(double passes, double x, double y) {
  return fmt::format("M{:.1f} {:.1f}{}", x, y, glyph_of(passes));
}

/// Names that everyone knows are labelled before others.
std::size_t rank_of(const std::string& label) {
  constexpr std::array<std::string_view, 8> first = {"naive",    "two_pass", "welford", "chan",
                                                     "pairwise", "neumaier", "shifted", "compensated_mean"};
  return static_cast<std::size_t>(std::find(first.begin(), first.end(), label) - first.begin());
}

std::vector<Spot> spots_of(const Json& results, std::string_view dtype, std::size_t& no_time) {
  std::vector<Spot> out;
  const auto measured = items(at(results, "accuracy"));
  for (std::size_t a = 0; a < measured.size(); ++a) {
    const Json& one = measured[a];
    if (at(one, "dtype") != dtype || at(one, "kappa") != 100 || !is_number(at(one, "error_ulp"))) continue;
    for (const Json& implementation : items(at(results, "implementations"))) {
      if (at(implementation, "name") != at(one, "impl")) continue;
      const std::string accumulate = string_of(at(implementation, "accumulate"));
      const std::string_view key = dtype == "f32" ? "time_ratio_on_f32" : "time_ratio_to_two_pass";
      const double time = number_of(at(implementation, key));
      const double ulp = number_of(at(one, "error_ulp"));
      if (!std::isfinite(time) || time <= 0 || (dtype != "f32" && accumulate != dtype)) {
        ++no_time;
        continue;
      }
      const std::string name = string_of(at(one, "impl"));
      // The algorithm alone: colour and glyph say the rest. Variants have no label.
      const bool plain =
          std::count(name.begin(), name.end(), '/') == 1 && name.find('+') == std::string::npos;
      out.push_back({name, plain ? name.substr(0, name.find('/')) : "",
                     fmt::format("/accuracy/{}/error_ulp", a), time, ulp, number_of(at(one, "bound_ulp")),
                     accumulate, number_of(at(implementation, "passes"))});
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const Spot& a, const Spot& b) {
    return std::pair(a.label.empty(), rank_of(a.label)) < std::pair(b.label.empty(), rank_of(b.label));
  });
  return out;
}

struct Axes {
  double x_low, x_high;
  int y_low, y_high;
  double x(double time) const {
    const double share = std::log(time / x_low) / std::log(x_high / x_low);
    return left + (width - left - right) * std::clamp(share, 0.0, 1.0);
  }
  double y(double ulp) const {
    const double at = std::isfinite(ulp) ? (ulp > 0 ? std::log10(ulp) : y_low) : y_high;
    return top +
           (height - top - bottom) * (y_high - std::clamp<double>(at, y_low, y_high)) / (y_high - y_low);
  }
};

Axes axes_of(const std::vector<Spot>& spots) {
  double low = 1, high = 1, most = 10;
  for (const Spot& s : spots) {
    low = std::min(low, s.time);
    high = std::max(high, s.time);
    if (std::isfinite(s.ulp)) most = std::max(most, s.ulp);
  }
  return {low / 1.08, high * 1.12, -1, std::min(20, static_cast<int>(std::ceil(std::log10(most) + 0.15)))};
}

std::string frame(const Axes& axes, std::string_view dtype) {
  std::string grid, text;
  for (int k = axes.y_low; k <= axes.y_high; ++k) {
    const double y = axes.y(std::pow(10.0, k));
    grid += fmt::format("M{:.0f} {:.1f}h{:.0f}", left, y, width - left - right);
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", left - 6, y + 4,
                        short_number(std::pow(10.0, k)));
  }
  double last = -100;
  for (const double tick : {0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 20.0, 50.0, 100.0}) {
    if (tick < axes.x_low || tick > axes.x_high || axes.x(tick) - last < 34) continue;
    last = axes.x(tick);
    grid += fmt::format("M{:.1f} {:.0f}v{:.0f}", last, top, height - top - bottom);
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>", last,
                        height - bottom + 17, short_number(tick));
  }
  return fmt::format(
      "<path class=\"grid\" d=\"{}\"/>{}<rect class=\"frame\" x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" "
      "height=\"{:.0f}\"/>"
      "<text x=\"6\" y=\"{:.0f}\">ulp, largest known</text><text x=\"{:.0f}\" y=\"{:.0f}\" "
      "text-anchor=\"middle\">time, as a ratio to two_pass/{}</text>\n",
      grid, text, left, top, width - left - right, height - top - bottom, top - 12,
      left + (width - left - right) / 2, height - bottom + 36, dtype);
}

std::string key(std::string_view look, bool two_types) {
  const double y = height - 38;
  std::string out;
  double x = left;
  const auto put = [&](std::string_view css, const std::string& d, const std::string& words) {
    out += fmt::format(
        "<g class=\"{}0\"><path class=\"{}\" d=\"{}\"/></g><text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", look,
        css, d, x + 12, y + 4, words);
    x += 26 + letter * static_cast<double>(words.size());
  };
  put("m", glyph(1, x + 4, y), "1 pass");
  put("m", glyph(2, x + 4, y), "2 passes");
  put("m", glyph(3, x + 4, y), "more");
  put("l", glyph(2, x + 4, y), "hollow: nothing proven there");
  out += "\n";
  if (!two_types) return out;
  for (const int type : {0, 1}) {
    const double at = left + type * 190;
    out += fmt::format(
        "<g class=\"{}{}\"><path class=\"m\" d=\"{}\"/></g><text x=\"{:.0f}\" y=\"{:.0f}\">sums in "
        "{}</text>",
        look, type, glyph(2, at + 4, y + 22), at + 12, y + 26, type == 0 ? "f32" : "f64 or wider");
  }
  return out + "\n";
}

}  // namespace

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

std::vector<Label> placed_labels(const std::vector<Dot>& dots, const Rect& within) {
  std::vector<Label> out;
  const auto is_free = [&](const Rect& r) {
    if (r.x < within.x || r.y < within.y || r.x + r.width > within.x + within.width ||
        r.y + r.height > within.y + within.height)
      return false;
    for (const Dot& d : dots) {
      if (overlap(r, {d.x - dot_size / 2, d.y - dot_size / 2, dot_size, dot_size})) return false;
    }
    const Rect padded{r.x - 5, r.y, r.width + 10, r.height};
    return std::none_of(out.begin(), out.end(), [&](const Label& l) { return overlap(padded, l.place); });
  };
  for (std::size_t i = 0; i < dots.size(); ++i) {
    if (dots[i].label.empty()) continue;
    const double w = letter * static_cast<double>(dots[i].label.size()), h = line_height;
    bool is_placed = false;
    // Close ones first: right, left, above, below; then further out, all round.
    for (double away = 8; away <= 96 && !is_placed; away += 8) {
      for (int turn = 0; turn < 16 && !is_placed; ++turn) {
        constexpr std::array<int, 16> order = {0, 8, 12, 4, 2, 14, 6, 10, 1, 15, 7, 9, 3, 13, 5, 11};
        const double angle = order[static_cast<std::size_t>(turn)] * 3.14159265358979 / 8;
        const double dx = away * std::cos(angle), dy = away * std::sin(angle);
        const double shift = std::fabs(dx) < 1e-9 ? -w / 2 : dx > 0 ? 0 : -w;
        const Rect r{dots[i].x + dx + shift, dots[i].y + dy - h / 2, w, h};
        if (!is_free(r)) continue;
        out.push_back({i, r, away > 16});
        is_placed = true;
      }
    }
  }
  return out;
}

std::optional<CostPlot> cost_plot(const Json& results, std::string_view dtype, std::string_view look) {
  CostPlot plot{fmt::format("{} data, rows of 1,024 numbers, kappa 100", dtype), "", width, height, 0, 0, 0};
  const std::vector<Spot> spots = spots_of(results, dtype, plot.no_time);
  if (spots.empty()) return std::nullopt;
  const Axes axes = axes_of(spots);
  std::vector<Dot> dots;
  for (const Spot& s : spots) dots.push_back({axes.x(s.time), axes.y(s.ulp), s.label});
  const std::vector<Label> labels = placed_labels(dots, area);
  plot.points = spots.size();
  plot.labelled = labels.size();
  plot.body = frame(axes, dtype);
  const auto type = [&](const Spot& s) { return s.accumulate == dtype || s.accumulate == "f32" ? 0 : 1; };
  for (const Label& l : labels) {
    if (l.far)
      plot.body += fmt::format("<path class=\"frame\" d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", dots[l.of].x,
                               dots[l.of].y, std::clamp(dots[l.of].x, l.place.x, l.place.x + l.place.width),
                               std::clamp(dots[l.of].y, l.place.y + 2, l.place.y + l.place.height - 2));
  }
  bool two_types = false;
  // The labelled ones on top.
  for (std::size_t i = spots.size(); i-- > 0;) {
    const Spot& s = spots[i];
    two_types = two_types || type(s) == 1;
    const bool proven = std::isfinite(s.bound);
    plot.body += fmt::format(
        "<g class=\"{}{}\" data-from=\"{}\"><title>{}: time {}, largest known {} ulp, {}</title><path "
        "class=\"{}\" d=\"{}\"/></g>\n",
        look, type(s), s.from, escaped(s.name), short_number(s.time), short_number(s.ulp),
        proven ? fmt::format("proven {} ulp", short_number(s.bound)) : "no bound there", proven ? "m" : "l",
        glyph(s.passes, dots[i].x, dots[i].y));
  }
  for (const Label& l : labels)
    plot.body += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
        l.place.x < dots[l.of].x - 20 && l.place.x + l.place.width <= dots[l.of].x ? l.place.x + l.place.width
                                                                                   : l.place.x,
        l.place.y + line_height - 4,
        l.place.x < dots[l.of].x - 20 && l.place.x + l.place.width <= dots[l.of].x ? "end" : "start",
        escaped(spots[l.of].label));
  plot.body += key(look, two_types);
  return plot;
}

}  // namespace normcheck::page
