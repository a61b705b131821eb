// The list of formulas, and statistics of the elements that they are about.
#include "oracles/hypotheses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/dtype.h"
#include "oracles/hypotheses_more.h"

namespace normcheck {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Moments2 moments_of(std::span<const double> x) {
  Quad sum = 0, squares = 0;
  for (const double v : x) sum += v;
  const auto n = static_cast<Quad>(x.size());
  const Quad mean = x.empty() ? Quad(nan) : sum / n;
  for (const double v : x) squares += (v - mean) * (v - mean);
  return {mean, x.empty() ? Quad(nan) : squares / n};
}

bool is_finite(Quad v) { return v - v == 0; }

}  // namespace

Quad reciprocal_root_of(Quad w) {
  if (!(w >= 0)) return nan;
  if (w == 0) return std::numeric_limits<double>::infinity();
  if (!is_finite(w)) return 0;
  // Into the range of double, by powers of 4; then Newton's steps, each of which doubles the digits.
  Quad scale = 1;
  while (w > 0x1p+512) w *= 0x1p-512, scale *= 0x1p-256;
  while (w < 0x1p-512) w *= 0x1p+512, scale *= 0x1p+256;
  Quad r = 1.0 / std::sqrt(static_cast<double>(w));
  for (int step = 0; step < 2; ++step) r += r * (1 - w * r * r) / 2;
  return r * scale;
}

HypothesisRow::HypothesisRow(const Case& c)
    : rows(row_count(c)),
      n(row_length(c)),
      eps(c.eps),
      problem_(&c),
      last_(c.x.shape.empty() ? 1 : c.x.shape.back()) {
  const auto take = [](const std::optional<Tensor>& tensor, std::vector<double>& out) {
    if (!tensor) return;
    for (std::int64_t i = 0; i < tensor->size(); ++i) out.push_back(tensor->value(i));
  };
  take(c.gamma, gamma_);
  take(c.beta, beta_);
}

bool HypothesisRow::load(std::int64_t which) {
  row = which;
  x.resize(static_cast<std::size_t>(n));
  max_abs = 0;
  bool finite = true;
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = problem_->x.value(row * n + i);
    x[static_cast<std::size_t>(i)] = v;
    finite = finite && std::isfinite(v);
    if (std::fabs(v) > max_abs) max_abs = std::fabs(v);
  }
  if (finite) exact = moments_of(x);
  return finite;
}

Moments2 HypothesisRow::of_first(std::int64_t count) const {
  return moments_of(std::span(x).first(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, n))));
}

Moments2 HypothesisRow::with_zeros(std::int64_t zeros) const {
  const auto count = static_cast<Quad>(n), all = static_cast<Quad>(n + zeros);
  const Quad mean = exact.mean * count / all;
  const Quad apart = exact.mean - mean;
  const Quad squares = count * (exact.variance + apart * apart) + static_cast<Quad>(zeros) * mean * mean;
  return {mean, squares / all};
}

const Moments2& HypothesisRow::of_slice(std::int64_t first, std::int64_t count, std::int64_t step) const {
  const auto [at, fresh] = slices_.try_emplace({first, {count, step}});
  if (fresh) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(problem_->x.value(first + i * step));
    at->second = moments_of(values);
  }
  return at->second;
}

Hypothesis::Statistics Hypothesis::statistics(const HypothesisRow& r, std::int64_t of) const {
  const Moments2 m = moments ? moments(r, of) : r.exact;
  return {m.mean, root ? root(r, m.variance) : reciprocal_root_of(m.variance + r.eps)};
}

Quad Hypothesis::y(const HypothesisRow& r, const Statistics& s, std::int64_t of) const {
  const Quad x_hat = (r.x[static_cast<std::size_t>(of)] - s.mean) * s.rstd;
  return affine ? affine(r, of, x_hat) : x_hat * r.gamma(of) + r.beta(of);
}

namespace {

using Row = const HypothesisRow&;

Quad of_double(double v) { return v; }

void add_roots(std::vector<Hypothesis>& out) {
  const auto add = [&](std::string name, std::function<Quad(Row, Quad)> root, bool convention = false) {
    Hypothesis h;
    h.name = std::move(name);
    h.convention = convention;
    h.root = std::move(root);
    out.push_back(std::move(h));
  };
  const auto with_eps = [&](std::string name, std::function<Quad(Row)> eps, bool convention = false) {
    add(
        std::move(name), [eps](Row r, Quad v) { return reciprocal_root_of(v + eps(r)); }, convention);
  };
  add("eps outside the root: sqrt(var) + eps",
      [](Row r, Quad v) { return 1 / (1 / reciprocal_root_of(v) + r.eps); });
  with_eps("no eps", [](Row) { return of_double(0); });
  with_eps("eps added twice", [](Row r) { return of_double(2 * r.eps); });
  with_eps("eps squared", [](Row r) { return of_double(r.eps) * r.eps; });
  add("max(var, eps) in place of var + eps",
      [](Row r, Quad v) { return reciprocal_root_of(v > r.eps ? v : of_double(r.eps)); });
  add("max(sqrt(var), eps) in place of sqrt(var + eps)", [](Row r, Quad v) {
    const Quad deviation = 1 / reciprocal_root_of(v);
    return 1 / (deviation > r.eps ? deviation : of_double(r.eps));
  });
  add("no root: divided by var + eps", [](Row r, Quad v) { return 1 / (v + r.eps); });
  add("the root taken twice",
      [](Row r, Quad v) { return reciprocal_root_of(1 / reciprocal_root_of(v + r.eps)); });
  add("multiplied by the root, not divided", [](Row r, Quad v) { return 1 / reciprocal_root_of(v + r.eps); });
  for (const double fixed : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12}) {
    with_eps(fmt::format("eps fixed at {:g}", fixed), [fixed](Row) { return of_double(fixed); });
    with_eps(fmt::format("eps fixed at {:g} in f32", fixed),
             [fixed](Row) { return of_double(static_cast<float>(fixed)); });
  }
  with_eps("eps fixed at the spacing of x's type at 1",
           [](Row r) { return of_double(2 * unit_roundoff(r.problem().x.dtype)); });
  with_eps("eps fixed at the spacing of f32 at 1", [](Row) { return of_double(0x1p-23); });
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    with_eps(
        fmt::format("eps rounded to {}", dtype_name(dtype)),
        [dtype](Row r) { return of_double(to_double(dtype, round_to(dtype, r.eps))); }, dtype == DType::f32);
  }
  with_eps("eps times n", [](Row r) { return of_double(r.eps) * static_cast<Quad>(r.n); });
  with_eps("eps over n", [](Row r) { return of_double(r.eps) / static_cast<Quad>(r.n); });
  with_eps("eps times max(x)^2", [](Row r) { return of_double(r.eps) * r.max_abs * r.max_abs; });
}

void add_divisors(std::vector<Hypothesis>& out) {
  const auto divisor = [&](std::string name, std::function<std::int64_t(std::int64_t)> of_n,
                           bool convention = false) {
    Hypothesis h;
    h.name = std::move(name);
    h.convention = convention;
    h.moments = [of_n](Row r, std::int64_t) {
      return Moments2{r.exact.mean, r.exact.variance * static_cast<Quad>(r.n) / static_cast<Quad>(of_n(r.n))};
    };
    h.applies = [of_n](Row r) { return of_n(r.n) != r.n; };
    out.push_back(std::move(h));
  };
  Hypothesis none;
  none.name = "no sums at all: mean and variance 0";
  none.moments = [](Row, std::int64_t) { return Moments2{0, 0}; };
  out.push_back(std::move(none));
  divisor("divisor n-1 (unbiased variance)", [](std::int64_t n) { return n - 1; });
  divisor("divisor n+1", [](std::int64_t n) { return n + 1; });
  for (const std::int64_t width : {4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    const auto padded = [width](std::int64_t n) { return (n + width - 1) / width * width; };
    divisor(fmt::format("the variance divided by the width padded to {}", width), padded);
    Hypothesis h;
    h.applies = [padded](Row r) { return padded(r.n) != r.n; };
    h.name = fmt::format("zeros of the padding to {} counted in mean and variance", width);
    h.moments = [padded](Row r, std::int64_t) { return r.with_zeros(padded(r.n) - r.n); };
    out.push_back(h);
    h.name = fmt::format("the sums divided by the width padded to {}", width);
    h.moments = [padded](Row r, std::int64_t) {
      const Quad share = static_cast<Quad>(r.n) / static_cast<Quad>(padded(r.n));
      const Quad apart = r.exact.mean * (1 - share);
      return Moments2{r.exact.mean * share, (r.exact.variance + apart * apart) * share};
    };
    out.push_back(h);
    h.name = fmt::format("zeros of the padding to {} counted in the variance", width);
    h.moments = [padded](Row r, std::int64_t) {
      const Quad extra = static_cast<Quad>(padded(r.n) - r.n) / static_cast<Quad>(r.n);
      return Moments2{r.exact.mean, r.exact.variance + extra * r.exact.mean * r.exact.mean};
    };
    out.push_back(h);
    h.name = fmt::format("the tail behind a multiple of {} left out of the statistics", width);
    h.moments = [width](Row r, std::int64_t) { return r.of_first(r.n / width * width); };
    h.applies = [width](Row r) { return r.n > width && r.n % width != 0; };
    out.push_back(h);
    h.applies = [width](Row r) { return r.n % width != 0; };
    h.name = fmt::format("the tail behind a multiple of {} left out of the sums, divided by n", width);
    h.moments = [width](Row r, std::int64_t) {
      const std::int64_t kept = r.n / width * width;
      if (kept == 0) return Moments2{0, 0};
      const Moments2 m = r.of_first(kept);
      const Quad mean = m.mean * static_cast<Quad>(kept) / static_cast<Quad>(r.n);
      const Quad apart = m.mean - mean;
      return Moments2{mean, (m.variance + apart * apart) * static_cast<Quad>(kept) / static_cast<Quad>(r.n)};
    };
    out.push_back(std::move(h));
  }
}

void add_elements(std::vector<Hypothesis>& out) {
  const auto add = [&](std::string name, std::function<Moments2(Row, std::int64_t)> moments,
                       std::function<bool(Row)> applies, bool by_element = false) {
    Hypothesis h;
    h.by_element = by_element;
    h.name = std::move(name);
    h.moments = std::move(moments);
    h.applies = std::move(applies);
    out.push_back(std::move(h));
  };
  const auto several = [](Row r) { return r.rows > 1; };
  add(
      "the last element left out of the statistics", [](Row r, std::int64_t) { return r.of_first(r.n - 1); },
      [](Row r) { return r.n > 1; });
  add(
      "the first element left out of the statistics",
      [](Row r, std::int64_t) { return r.of_slice(r.row * r.n + 1, r.n - 1, 1); },
      [](Row r) { return r.n > 1; });
  for (const std::int64_t most : {32, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768}) {
    add(
        fmt::format("statistics of the first {} elements alone", most),
        [most](Row r, std::int64_t) { return r.of_first(most); }, [most](Row r) { return r.n > most; });
  }
  add(
      "statistics of the row before",
      [](Row r, std::int64_t) { return r.of_slice(std::max<std::int64_t>(0, r.row - 1) * r.n, r.n, 1); },
      several);
  add(
      "statistics of the first row", [](Row r, std::int64_t) { return r.of_slice(0, r.n, 1); }, several);
  add(
      "statistics of the row behind",
      [](Row r, std::int64_t) { return r.of_slice(std::min(r.rows - 1, r.row + 1) * r.n, r.n, 1); }, several);
  add(
      "statistics over all rows together", [](Row r, std::int64_t) { return r.of_slice(0, r.rows * r.n, 1); },
      several);
  add(
      "statistics over the other axis (a column of the rows)",
      [](Row r, std::int64_t i) { return r.of_slice(i, r.rows, r.n); }, several, true);
  add(
      "statistics over the last dim alone",
      [](Row r, std::int64_t i) {
        return r.of_slice(r.row * r.n + i / r.last_extent() * r.last_extent(), r.last_extent(), 1);
      },
      [](Row r) { return r.problem().norm_ndim > 1 && r.last_extent() != r.n; }, true);
  add(
      "statistics over one dim more",
      [](Row r, std::int64_t) {
        const auto rank = static_cast<std::int64_t>(r.problem().x.shape.size());
        const std::int64_t more =
            r.problem().x.shape[static_cast<std::size_t>(rank - r.problem().norm_ndim - 1)];
        return r.of_slice(r.row / more * more * r.n, more * r.n, 1);
      },
      [](Row r) {
        const auto rank = static_cast<std::int64_t>(r.problem().x.shape.size());
        return rank > r.problem().norm_ndim && r.rows > 1;
      });
  add("the mean not subtracted", [](Row r, std::int64_t) { return Moments2{0, r.exact.variance}; }, {});
  add("the root mean square in place of the deviation (RMSNorm)",
      [](Row r, std::int64_t) {
        return Moments2{0, r.exact.variance + r.exact.mean * r.exact.mean};
      },
      {});
  add("the mean square in place of the variance",
      [](Row r, std::int64_t) {
        return Moments2{r.exact.mean, r.exact.variance + r.exact.mean * r.exact.mean};
      },
      {});
}

/// A statistic that is kept in a narrower type than it is computed in.
void add_narrow(std::vector<Hypothesis>& out) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const auto narrow = [dtype](Quad v) -> Quad {
      return to_double(dtype, round_to(dtype, static_cast<double>(v)));
    };
    Hypothesis h;
    h.kind = fmt::format("sums or steps rounded to {}", dtype_name(dtype));
    h.applies = [dtype](Row r) { return r.problem().x.dtype == DType::f64 || dtype != DType::f32; };
    h.name = fmt::format("the mean rounded to {}", dtype_name(dtype));
    h.moments = [narrow](Row r, std::int64_t) { return Moments2{narrow(r.exact.mean), r.exact.variance}; };
    out.push_back(h);
    h.name = fmt::format("the variance rounded to {}", dtype_name(dtype));
    h.moments = [narrow](Row r, std::int64_t) { return Moments2{r.exact.mean, narrow(r.exact.variance)}; };
    out.push_back(h);
    h.name = fmt::format("rstd rounded to {}", dtype_name(dtype));
    h.moments = {};
    h.root = [narrow](Row r, Quad v) { return narrow(reciprocal_root_of(v + r.eps)); };
    out.push_back(h);
    h.name = fmt::format("var + eps rounded to {}", dtype_name(dtype));
    h.root = [narrow](Row r, Quad v) { return reciprocal_root_of(narrow(v + r.eps)); };
    out.push_back(h);
    h.name = fmt::format("mean and rstd rounded to {}", dtype_name(dtype));
    h.root = [narrow](Row r, Quad v) { return narrow(reciprocal_root_of(v + r.eps)); };
    h.moments = [narrow](Row r, std::int64_t) { return Moments2{narrow(r.exact.mean), r.exact.variance}; };
    out.push_back(std::move(h));
  }
}

void add_affine(std::vector<Hypothesis>& out) {
  const auto add = [&](std::string name, std::function<Quad(Row, std::int64_t, Quad)> affine,
                       std::function<bool(Row)> applies, bool convention = false) {
    Hypothesis h;
    h.name = std::move(name);
    h.affine = std::move(affine);
    h.applies = std::move(applies);
    h.convention = convention;
    out.push_back(std::move(h));
  };
  const auto scaled = [](Row r) { return r.has_gamma(); };
  const auto shifted = [](Row r) { return r.has_beta(); };
  const auto both = [](Row r) { return r.has_gamma() && r.has_beta(); };
  const auto either = [](Row r) { return r.has_gamma() || r.has_beta(); };
  add(
      "gamma left out", [](Row r, std::int64_t i, Quad h) { return h + r.beta(i); }, scaled);
  add(
      "beta left out", [](Row r, std::int64_t i, Quad h) { return h * r.gamma(i); }, shifted);
  add(
      "gamma and beta left out", [](Row, std::int64_t, Quad h) { return h; }, both);
  add(
      "gamma and beta exchanged", [](Row r, std::int64_t i, Quad h) { return h * r.beta(i) + r.gamma(i); },
      both);
  add(
      "beta added before gamma multiplies",
      [](Row r, std::int64_t i, Quad h) { return (h + r.beta(i)) * r.gamma(i); }, both);
  add(
      "1 + gamma in place of gamma",
      [](Row r, std::int64_t i, Quad h) { return h * (1 + of_double(r.gamma(i))) + r.beta(i); }, scaled,
      true);
  add(
      "beta subtracted", [](Row r, std::int64_t i, Quad h) { return h * r.gamma(i) - r.beta(i); }, shifted);
  const auto indexed = [&](std::string name, std::function<std::int64_t(Row, std::int64_t)> at) {
    add(
        "gamma and beta " + name,
        [at](Row r, std::int64_t i, Quad h) { return h * r.gamma(at(r, i)) + r.beta(at(r, i)); }, either);
    add(
        "gamma " + name, [at](Row r, std::int64_t i, Quad h) { return h * r.gamma(at(r, i)) + r.beta(i); },
        both);
    add(
        "beta " + name, [at](Row r, std::int64_t i, Quad h) { return h * r.gamma(i) + r.beta(at(r, i)); },
        both);
  };
  indexed("indexed by the row", [](Row r, std::int64_t) { return r.row; });
  indexed("shifted by one element", [](Row, std::int64_t i) { return i + 1; });
  indexed("shifted back by one element", [](Row, std::int64_t i) { return i - 1; });
  indexed("in reversed order", [](Row r, std::int64_t i) { return r.n - 1 - i; });
  indexed("of the first element for all", [](Row, std::int64_t) { return std::int64_t{0}; });
  indexed("of the last dim alone, broadcast", [](Row r, std::int64_t i) { return i % r.last_extent(); });
  indexed("transposed", [](Row r, std::int64_t i) {
    const std::int64_t across = r.n / r.last_extent();
    return i % r.last_extent() * across + i / r.last_extent();
  });
}

}  // namespace

std::span<const Hypothesis> hypotheses() {
  static const std::vector<Hypothesis> all = [] {
    std::vector<Hypothesis> out;
    add_roots(out);
    add_divisors(out);
    add_elements(out);
    add_affine(out);
    add_narrow(out);
    add_output_hypotheses(out);
    add_moment_hypotheses(out);
    add_rounding_hypotheses(out);
    return out;
  }();
  return all;
}

}  // namespace normcheck
