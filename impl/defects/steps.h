// A layer norm in steps, of which a defect changes one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "impl/algorithms/two_pass.h"
#include "impl/defects/layer.h"
#include "impl/finish.h"
#include "impl/storage.h"

namespace normcheck::defect {

/// One row as the steps of a layer norm see it.
template <class R>
struct Line {
  DType storage;
  double eps;
  std::int64_t row, rows;
  std::span<const R> x;
  const R* gamma;  ///< null where absent
  const R* beta;
  std::int64_t n() const { return static_cast<std::int64_t>(x.size()); }
};

/// The right steps. A defect derives from it and hides one.
struct Right {
  static constexpr std::span<const DType> dtypes = any;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    return TwoPass::moments<R>(l.x);
  }
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return reciprocal_root<Variant{}>(m.var, ArithmeticTraits<R>::from_double(l.eps), l.eps);
  }
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    finish_row<Variant{}, false>(l.storage, l.x, m, rstd, l.gamma, l.beta, y);
  }
  /// What the optional outputs hold.
  template <class R>
  static void saved(const Line<R>&, R&, R&) {}
  template <class R>
  static void write(const Line<R>& l, const R* y, std::byte* to) {
    store(l.storage, y, l.n(), to);
  }
};

/// The right steps, in f32 alone.
struct OfF32 : Right {
  static constexpr std::span<const DType> dtypes = f32;
};

/// Rows of a call in R, with room for one.
template <class R>
struct Rows {
  using Element = R;
  explicit Rows(const Call& c)
      : call(c), x(size(c)), y(size(c)), gamma(c.gamma ? size(c) : 0), beta(c.beta ? size(c) : 0) {
    if (c.gamma) load(c.gamma_dtype, c.gamma, c.n, gamma.data());
    if (c.beta) load(c.beta_dtype, c.beta, c.n, beta.data());
  }
  Line<R> line(std::int64_t row) {
    load(call.storage, call.x + call.at(row), call.n, x.data());
    return {call.storage,
            call.eps,
            row,
            call.rows,
            x,
            call.gamma ? gamma.data() : nullptr,
            call.beta ? beta.data() : nullptr};
  }
  static std::size_t size(const Call& c) { return static_cast<std::size_t>(c.n); }
  const Call& call;
  std::vector<R> x, y, gamma, beta;
};

/// One row by the steps S, to `y`; the statistics where they are asked for.
template <class S, class R>
void do_row(Rows<R>& rows, std::int64_t row, std::byte* y) {
  const Call& c = rows.call;
  const Line<R> line = rows.line(row);
  const Moments<R> m = S::template moments<R>(line);
  const R rstd = S::template root<R>(line, m);
  S::template finish<R>(line, m, rstd, rows.y.data());
  S::template write<R>(line, rows.y.data(), y);
  R mean = m.mean, saved = rstd;
  S::template saved<R>(line, mean, saved);
  const DType statistics = is_half(c.storage) ? DType::f32 : c.storage;
  const std::size_t at = static_cast<std::size_t>(row) * size_of(statistics);
  if (c.mean) store(statistics, &mean, 1, c.mean + at);
  if (c.rstd) store(statistics, &saved, 1, c.rstd + at);
}

/// Calls `work` with rows in the type to compute in: double for f64, else float.
template <class Work>
void in_type(const Call& c, Work work) {
  if (c.storage == DType::f64) {
    Rows<double> rows(c);
    work(rows);
  } else {
    Rows<float> rows(c);
    work(rows);
  }
}

template <class S>
int all_rows(const Call& c) {
  in_type(c, [&](auto& rows) {
    for (std::int64_t r = 0; r < c.rows; ++r) do_row<S>(rows, r, c.y + c.at(r));
  });
  return NC_OK;
}

}  // namespace normcheck::defect
