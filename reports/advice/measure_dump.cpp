// Measures every row of every layer, and keeps a few to run.
#include "reports/advice/measure_dump.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "corpus/error.h"
#include "oracles/condition.h"
#include "reports/numbers.h"
#include "reports/render_text.h"

namespace normcheck {
namespace {

constexpr std::int64_t most_rows = 16;

struct Measured {
  std::int64_t row;
  double kappa, eps_share;
};

Case rows_of_case(const Case& c, const std::vector<std::int64_t>& rows) {
  Case out = c;
  const std::int64_t n = row_length(c);
  const std::size_t bytes = static_cast<std::size_t>(n) * size_of(c.x.dtype);
  out.x = Tensor(c.x.dtype, {static_cast<std::int64_t>(rows.size()), n});
  out.norm_ndim = 1;
  for (auto* parameter : {&out.gamma, &out.beta}) {
    if (*parameter) (*parameter)->shape = {n};
  }
  for (std::size_t k = 0; k < rows.size(); ++k)
    std::memcpy(out.x.data.data() + k * bytes, c.x.data.data() + static_cast<std::size_t>(rows[k]) * bytes,
                bytes);
  return out;
}

/// The worst by kappa, the worst by eps/var, and others evenly.
std::vector<std::int64_t> chosen(std::vector<Measured> rows, std::int64_t most) {
  std::vector<std::int64_t> out;
  const auto add = [&](std::int64_t row) {
    if (static_cast<std::int64_t>(out.size()) < most && std::find(out.begin(), out.end(), row) == out.end())
      out.push_back(row);
  };
  const std::vector<Measured> in_order = rows;
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Measured& a, const Measured& b) { return a.kappa > b.kappa; });
  for (std::size_t k = 0; k < rows.size() && static_cast<std::int64_t>(k) < (most + 1) / 2; ++k)
    add(rows[k].row);
  const auto by_eps = std::max_element(rows.begin(), rows.end(), [](const Measured& a, const Measured& b) {
    return a.eps_share < b.eps_share;
  });
  if (by_eps != rows.end()) add(by_eps->row);
  const std::size_t step = std::max<std::size_t>(1, in_order.size() / static_cast<std::size_t>(most));
  for (std::size_t k = 0; k < in_order.size(); k += step) add(in_order[k].row);
  return out;
}

void measure(LayerMeasure& out, const Case& c, std::int64_t most) {
  out.shape = problem_text(c);
  out.dtype = c.x.dtype;
  out.n = row_length(c);
  out.rows = row_count(c);
  out.eps = c.eps;
  std::vector<Measured> rows;
  std::vector<double> x(static_cast<std::size_t>(out.n));
  RowCondition condition;
  for (std::int64_t r = 0; r < out.rows && out.n > 0; ++r) {
    bool finite = true;
    for (std::int64_t i = 0; i < out.n; ++i) {
      const double v = c.x.value(r * out.n + i);
      x[static_cast<std::size_t>(i)] = v;
      finite = finite && std::isfinite(v);
    }
    if (!finite) {
      ++out.non_finite;
      continue;
    }
    condition.fill(x.data(), out.n, false);
    if (condition.facts().constant) {
      ++out.constant;
      continue;
    }
    const double kappa = condition.facts().kappa;
    const double share = c.eps / static_cast<double>(condition.variance());
    rows.push_back({r, kappa, share});
    out.eps_share = std::max(out.eps_share, share);
    if (out.worst_row < 0 || kappa > out.kappa) {
      out.kappa = kappa;
      out.worst_row = r;
    }
  }
  if (rows.empty()) return;
  out.kept = rows_of_case(c, chosen(rows, most));
  out.kept.id = out.name.empty() ? c.id : out.name;
  const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  std::nth_element(rows.begin(), middle, rows.end(),
                   [](const Measured& a, const Measured& b) { return a.kappa < b.kappa; });
  out.kappa_median = middle->kappa;
}

}  // namespace

std::vector<LayerMeasure> measure_dump(const std::vector<ProblemSource>& problems, const Options& options,
                                       std::int64_t elements) {
  std::vector<LayerMeasure> out;
  for (const ProblemSource& problem : problems) {
    LayerMeasure layer;
    layer.name = problem.name;
    try {
      const Problem p = read_problem(problem, options);
      const std::int64_t n = std::max<std::int64_t>(1, row_length(p.c));
      const std::int64_t share = elements / static_cast<std::int64_t>(problems.size());
      measure(layer, p.c, std::clamp<std::int64_t>(share / n, 1, most_rows));
      if (layer.name.empty()) layer.name = p.c.id;
    } catch (const InputError& e) {
      layer.error = e.what();
    }
    out.push_back(std::move(layer));
  }
  return out;
}

std::string layers_text(const std::vector<LayerMeasure>& layers) {
  std::size_t width = 5;
  for (const LayerMeasure& layer : layers) width = std::max(width, layer.name.size());
  std::string out = fmt::format("{:<{}}  {:>8}  {:>8}  {:>9}  {:>8}  {:<20}  {}\n", "layer", width, "kappa",
                                "median", "worst row", "eps/var", "cheapest", "shape");
  for (const LayerMeasure& layer : layers) {
    if (!layer.error.empty()) {
      out += fmt::format("{:<{}}  NOT RUN  {}\n", layer.name, width, layer.error);
      continue;
    }
    const bool any = layer.worst_row >= 0;
    out += fmt::format("{:<{}}  {:>8}  {:>8}  {:>9}  {:>8}  {:<20}  {}", layer.name, width,
                       any ? short_number(layer.kappa) : "-", any ? short_number(layer.kappa_median) : "-",
                       any ? std::to_string(layer.worst_row) : "-", any ? short_number(layer.eps_share) : "-",
                       layer.cheapest.empty() ? "none" : layer.cheapest, layer.shape);
    if (layer.constant > 0) out += fmt::format("; {} constant", layer.constant);
    if (layer.non_finite > 0) out += fmt::format("; {} with NaN or inf", layer.non_finite);
    out += "\n";
  }
  return out;
}

}  // namespace normcheck
