// Finds the points of the curves that matter, and cites them by JSON pointer.
#include "reports/advice/recommendations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/dtype.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;
constexpr double none = std::numeric_limits<double>::infinity();

const Json& at(const Json& object, std::string_view key) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(std::string(key));
  return found == object.end() ? null : *found;
}
std::string text(const Json& object, std::string_view key) {
  const Json& value = at(object, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}
/// "inf" and "nan" are numbers too; a NaN is as wrong as can be. Nothing for what is no number.
std::optional<double> number(const Json& object, std::string_view key) {
  const Json& value = at(object, key);
  if (value.is_number()) return value.get<double>();
  if (value == "inf" || value == "nan") return none;
  return std::nullopt;
}

/// A sentence as it is made; where its values stand.
class Sentence {
 public:
  explicit Sentence(const Json& results) : results_(results) {}
  /// The value at a pointer, spelled.
  std::string cite(const std::string& pointer) {
    from_.push_back(pointer);
    return cited_text(results_.at(Json::json_pointer(pointer)));
  }
  Json done(const std::string& sentence, std::string_view standing) const {
    Json out;
    out["sentence"] = sentence;
    out["standing"] = standing;
    out["from"] = from_;
    return out;
  }

 private:
  const Json& results_;
  std::vector<std::string> from_;
};

/// One point of a curve of error_vs_kappa or error_vs_n.
struct Point {
  std::string curve;    ///< pointer
  std::string pointer;  ///< likewise
  std::string impl;
  double n = 0, kappa = 0, error = 0, bound = none;
  bool right = false;
  double cost = none;
  const char* error_key = "error_ulp";
  const char* bound_key = "bound_ulp";
};

class Reader {
 public:
  explicit Reader(const Json& results) : results_(results) {
    for (const char* member : {"error_vs_kappa", "error_vs_n"}) read(member);
  }

  struct Curve {
    std::string member, dtype, impl;
    std::vector<Point> points;
  };
  /// Those of a dtype, of the longest rows that every such curve of it has (by kappa), or of the largest
  /// kappa (by n).
  std::vector<const Curve*> curves(std::string_view member, std::string_view dtype) const {
    double most = 0;
    const auto key = [&](const Curve& c) {
      return c.points.empty() ? 0 : member == "error_vs_n" ? c.points.front().kappa : c.points.front().n;
    };
    const auto is_it = [&](const Curve& c) {
      return c.member == member && c.dtype == dtype && !c.points.empty();
    };
    for (const Curve& c : curves_) {
      if (is_it(c)) most = std::max(most, key(c));
    }
    std::vector<const Curve*> out;
    for (const Curve& c : curves_) {
      if (is_it(c) && key(c) == most) out.push_back(&c);
    }
    return out;
  }
  /// The cells of the maps of a dtype at that n and kappa, each under its own bound.
  std::vector<Point> cells(std::string_view dtype, double n, double kappa) const {
    std::vector<Point> out;
    const Json& maps = at(results_, "heat");
    for (std::size_t m = 0; maps.is_array() && m < maps.size(); ++m) {
      const Json& all = at(maps[m], "cells");
      for (std::size_t c = 0; text(maps[m], "dtype") == dtype && all.is_array() && c < all.size(); ++c) {
        const auto error = number(all[c], "own_error_ulp"), bound = number(all[c], "own_bound_ulp");
        if (!error || !bound || number(all[c], "n") != n || number(all[c], "kappa") != kappa) continue;
        Point p;
        p.curve = fmt::format("/heat/{}", m);
        p.pointer = fmt::format("{}/cells/{}", p.curve, c);
        p.impl = text(maps[m], "impl");
        p.n = n;
        p.kappa = kappa;
        p.error = *error;
        p.bound = *bound;
        p.error_key = "own_error_ulp";
        p.bound_key = "own_bound_ulp";
        mark(p);
        out.push_back(std::move(p));
      }
    }
    return out;
  }
  /// The implementation's accumulate type by its name, "two_pass/f32".
  static std::string accumulate(const std::string& impl) {
    const auto slash = impl.find('/');
    if (slash == std::string::npos) return "";
    return impl.substr(slash + 1, impl.find_first_of("/+", slash + 1) - slash - 1);
  }

 private:
  const Json* implementation(const std::string& name) const {
    const Json& all = at(results_, "implementations");
    if (!all.is_array()) return nullptr;
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const Json& i) { return text(i, "name") == name; });
    return found == all.end() ? nullptr : &*found;
  }
  /// The operations an element, as `implementations` says them in words; a division as 8, a pass as 2.
  static double cost_of(const Json& implementation) {
    const auto passes = number(implementation, "passes"), divisions = number(implementation, "divisions");
    const std::string words = text(implementation, "operations");
    if (!passes || words.empty()) return none;
    double out = 2 * *passes + 7 * divisions.value_or(0);
    for (std::size_t k = words.find(';'); k < words.size(); ++k) {
      if (words[k] < '0' || words[k] > '9') continue;
      char* end = nullptr;
      out += std::strtod(words.c_str() + k, &end);
      k = static_cast<std::size_t>(end - words.c_str());
    }
    return out;
  }
  /// What the table says of its implementation.
  void mark(Point& point) const {
    const Json* impl = implementation(point.impl);
    if (impl == nullptr) return;
    point.right = at(*impl, "right") == true && text(*impl, "kind") == "row";
    point.cost = cost_of(*impl);
  }
  void read(const std::string& member) {
    const Json& all = at(results_, member);
    if (!all.is_array()) return;
    for (std::size_t c = 0; c < all.size(); ++c) {
      Curve curve{member, text(all[c], "dtype"), text(all[c], "impl"), {}};
      const Json& points = at(all[c], "points");
      for (std::size_t p = 0; points.is_array() && p < points.size(); ++p) {
        Point point;
        point.curve = fmt::format("/{}/{}", member, c);
        point.pointer = fmt::format("{}/points/{}", point.curve, p);
        point.impl = curve.impl;
        const auto n = number(member == "error_vs_n" ? points[p] : all[c], "n");
        const auto kappa = number(member == "error_vs_n" ? all[c] : points[p], "kappa");
        const auto error = number(points[p], "error_ulp"), bound = number(points[p], "bound_ulp");
        if (!n || !kappa || !error || !bound || curve.impl.empty()) continue;
        point.n = *n;
        point.kappa = *kappa;
        point.error = *error;
        point.bound = *bound;
        mark(point);
        curve.points.push_back(std::move(point));
      }
      curves_.push_back(std::move(curve));
    }
  }

  const Json& results_;
  std::vector<Curve> curves_;
};

/// Of each curve the point whose kappa is nearest to this, in ratio.
std::vector<const Point*> points_near(const std::vector<const Reader::Curve*>& curves, double kappa) {
  std::vector<const Point*> out;
  for (const Reader::Curve* curve : curves) {
    out.push_back(
        &*std::min_element(curve->points.begin(), curve->points.end(), [&](const Point& a, const Point& b) {
          return std::fabs(std::log(a.kappa / kappa)) < std::fabs(std::log(b.kappa / kappa));
        }));
  }
  return out;
}

const Point* cheapest_right(const std::vector<const Point*>& points) {
  const Point* best = nullptr;
  for (const Point* p : points) {
    if (p->right && std::isfinite(p->bound) && (best == nullptr || p->cost < best->cost)) best = p;
  }
  return best;
}
const Point* sharpest_right(const std::vector<const Point*>& points) {
  const Point* best = nullptr;
  for (const Point* p : points) {
    if (p->right && std::isfinite(p->bound) && (best == nullptr || p->bound < best->bound)) best = p;
  }
  return best;
}
const Point* of_impl(const std::vector<const Point*>& points, const std::string& impl) {
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const Point* p) { return p->impl == impl; });
  return found == points.end() ? nullptr : *found;
}

std::string error_of(Sentence& s, const Point& p) {
  return s.cite(fmt::format("{}/{}", p.pointer, p.error_key));
}
std::string bound_of(Sentence& s, const Point& p) {
  return s.cite(fmt::format("{}/{}", p.pointer, p.bound_key));
}
std::string impl_of(Sentence& s, const Point& p) { return s.cite(p.curve + "/impl"); }

/// What to take where the mean is about the spread, and where it is 1/sqrt(u) of it.
void add_choice(Json& out, const Json& results, const Reader& reader, DType dtype) {
  const auto curves = reader.curves("error_vs_kappa", dtype_name(dtype));
  const Point* small = cheapest_right(points_near(curves, 1));
  if (small == nullptr) return;
  const auto large_points = points_near(curves, 1 / std::sqrt(unit_roundoff(dtype)));
  const Point* large = sharpest_right(large_points);
  Sentence s(results);
  std::string said = fmt::format("{}, n {}: ", s.cite(small->curve + "/dtype"), s.cite(small->curve + "/n"));
  said += fmt::format(
      "where the mean is no larger than the spread, {} will do: at most {} ulp proven on these rows, "
      "{} the largest known",
      impl_of(s, *small), bound_of(s, *small), error_of(s, *small));
  if (large != nullptr && large->kappa > 2 * small->kappa) {
    said += fmt::format("; at kappa {} take {}: at most {} ulp proven, {} the largest known",
                        s.cite(large->pointer + "/kappa"), impl_of(s, *large), bound_of(s, *large),
                        error_of(s, *large));
    const Point* there = of_impl(large_points, small->impl);
    if (there != nullptr && there != large)
      said += fmt::format(" ({}: {} and {})", there->impl, bound_of(s, *there), error_of(s, *there));
  }
  out.push_back(s.done(said + ".", "proven"));
}

/// Rows of 4096 numbers whose mean is far from 0: what is proven there and of whom nothing is, and why.
void add_far_mean(Json& out, const Json& results, const Reader& reader, DType dtype) {
  constexpr double n = 4096, kappa = 100;
  const std::vector<Point> cells = reader.cells(dtype_name(dtype), n, kappa);
  std::vector<const Point*> points;
  for (const Point& p : cells) points.push_back(&p);
  const Point *cheap = cheapest_right(points), *sharp = sharpest_right(points);
  if (cheap == nullptr) return;
  Sentence s(results);
  std::string said = fmt::format(
      "{}, n {}, mean up to {} times the spread: {} is proven to {} ulp on such rows, {} the largest known",
      s.cite(cheap->curve + "/dtype"), s.cite(cheap->pointer + "/n"), s.cite(cheap->pointer + "/kappa"),
      impl_of(s, *cheap), bound_of(s, *cheap), error_of(s, *cheap));
  if (sharp != cheap && sharp->bound < 0.9 * cheap->bound)
    said += fmt::format("; {} to {} ({})", impl_of(s, *sharp), bound_of(s, *sharp), error_of(s, *sharp));
  const std::string sums = dtype == DType::f64 ? "f64" : "f32";
  if (const Point* naive = of_impl(points, "naive/" + sums)) {
    const bool is_void = std::isinf(naive->bound);
    said += fmt::format(
        ". {} (E[x^2]-E[x]^2) is off by {} ulp, the largest known; {}", impl_of(s, *naive),
        error_of(s, *naive),
        is_void
            ? fmt::format("nothing is proven of it, its bound is {}: the two squares of the mean cancel, and "
                          "the variance may be off by as much as its own size",
                          bound_of(s, *naive))
            : fmt::format("proven to {}", bound_of(s, *naive)));
  }
  out.push_back(s.done(said + ".", "proven"));
}

/// From which kappa on E[x^2]-E[x]^2 has no bound.
void add_void(Json& out, const Json& results, const Reader& reader) {
  for (const char* dtype : {"f32", "f16", "bf16", "f64"}) {
    for (const Reader::Curve* curve : reader.curves("error_vs_kappa", dtype)) {
      if (!curve->impl.starts_with("naive/")) continue;
      const auto first = std::find_if(curve->points.begin(), curve->points.end(),
                                      [](const Point& p) { return std::isinf(p.bound); });
      if (first == curve->points.end()) continue;
      Sentence s(results);
      out.push_back(
          s.done(fmt::format("Nothing is proven of {} (E[x^2]-E[x]^2) in {} at n {} from kappa {} on: its "
                             "bound is {} there, "
                             "and it was off by {} ulp, the largest known.",
                             impl_of(s, *first), s.cite(first->curve + "/dtype"), s.cite(first->curve + "/n"),
                             s.cite(first->pointer + "/kappa"), bound_of(s, *first), error_of(s, *first)),
                 "largest known"));
      return;
    }
  }
}

/// Sums in blocks against one long sum.
void add_long_rows(Json& out, const Json& results, const Reader& reader) {
  std::vector<const Point*> last;
  for (const Reader::Curve* curve : reader.curves("error_vs_n", "f32")) last.push_back(&curve->points.back());
  const Point* one = of_impl(last, "two_pass/f32");
  const Point* blocks = of_impl(last, "pairwise/f32");
  if (one == nullptr || blocks == nullptr || !std::isfinite(blocks->bound) || blocks->n != one->n) return;
  Sentence s(results);
  out.push_back(s.done(fmt::format("Long rows: sum in blocks. f32, n {}, kappa {}: {} is proven to {} ulp "
                                   "({} the largest known), one sum "
                                   "after the other ({}) to {} ({}).",
                                   s.cite(blocks->pointer + "/n"), s.cite(blocks->curve + "/kappa"),
                                   impl_of(s, *blocks), bound_of(s, *blocks), error_of(s, *blocks),
                                   impl_of(s, *one), bound_of(s, *one), error_of(s, *one)),
                       "proven"));
}

/// The least that f32 sums are proven to at a kappa of a hundred, and what f64 sums were seen to give.
void add_double_sums(Json& out, const Json& results, const Reader& reader) {
  const auto points = points_near(reader.curves("error_vs_kappa", "f32"), 100);
  const Point* best = nullptr;
  for (const Point* p : points) {
    if (p->right && Reader::accumulate(p->impl) == "f32" && std::isfinite(p->bound) &&
        (best == nullptr || p->bound < best->bound))
      best = p;
  }
  if (best == nullptr) return;
  Sentence s(results);
  std::string said = fmt::format(
      "When double sums are needed: with sums in f32 nothing here is proven below {} ulp at kappa {} and n "
      "{} ({})",
      bound_of(s, *best), s.cite(best->pointer + "/kappa"), s.cite(best->curve + "/n"), impl_of(s, *best));
  const Json& entries = at(results, "entries");
  for (std::size_t e = 0; entries.is_array() && e < entries.size(); ++e) {
    const std::string impl = text(entries[e], "impl");
    const Json& largest = at(at(entries[e], "total"), "largest_finite");
    if (text(entries[e], "dtype") != "f32" || at(entries[e], "expect") != "pass" || impl != "two_pass/f64" ||
        !number(largest, "error_ulp"))
      continue;
    said +=
        fmt::format("; {} was never off by more than {} ulp on f32 data, in any regime, the largest known",
                    s.cite(fmt::format("/entries/{}/impl", e)),
                    s.cite(fmt::format("/entries/{}/total/largest_finite/error_ulp", e)));
  }
  out.push_back(s.done(said + ".", "proven"));
}

/// That bf16 and f16 hide no cancellation.
void add_halves_cancel(Json& out, const Json& results, const Reader& reader) {
  for (const char* dtype : {"bf16", "f16"}) {
    const auto curves = reader.curves("error_vs_kappa", dtype);
    const Point *worst = nullptr, *beside = nullptr;
    for (const Reader::Curve* curve : curves) {
      if (curve->impl != "naive/f32") continue;
      for (const Point& p : curve->points) {
        const Point* right = of_impl(points_near(curves, p.kappa), "two_pass/f32");
        if (right == nullptr || !std::isfinite(right->bound) || p.error < 4 * right->error) continue;
        if (worst == nullptr) {  // the first, where the mean is least
          worst = &p;
          beside = right;
        }
      }
    }
    if (worst == nullptr) continue;
    Sentence s(results);
    out.push_back(s.done(
        fmt::format(
            "{} inputs cancel too: {} is off by {} ulp at kappa {} and n {}, {} on the same rows by {}, the "
            "largest known.",
            s.cite(worst->curve + "/dtype"), impl_of(s, *worst), error_of(s, *worst),
            s.cite(worst->pointer + "/kappa"), s.cite(worst->curve + "/n"), impl_of(s, *beside),
            error_of(s, *beside)),
        "largest known"));
    return;
  }
}

void add_half_sums(Json& out, const Json& results) {
  const Json& half = at(results, "half_accumulation");
  for (const char* key : {"impl", "input", "mean", "exact_mean", "mean_accumulated_in_f32"}) {
    if (at(half, key).is_null()) return;
  }
  Sentence s(results);
  const auto cite = [&](const char* key) { return s.cite(fmt::format("/half_accumulation/{}", key)); };
  out.push_back(s.done(
      fmt::format("Never sum in a half: the mean of {} is {} by {}, {} with sums in f32, and {} exactly.",
                  cite("input"), cite("mean"), cite("impl"), cite("mean_accumulated_in_f32"),
                  cite("exact_mean")),
      "proven"));
}

}  // namespace

std::string cited_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  return value.is_number() ? short_number(value.get<double>()) : value.dump();
}

Json recommendations(const Json& results) {
  Json out = Json::array();
  const Reader reader(results);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f64})
    add_choice(out, results, reader, dtype);
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64})
    add_far_mean(out, results, reader, dtype);
  add_void(out, results, reader);
  add_long_rows(out, results, reader);
  add_double_sums(out, results, reader);
  add_halves_cancel(out, results, reader);
  add_half_sums(out, results);
  return out;
}

}  // namespace normcheck
