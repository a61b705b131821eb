// Layer norms in float with one mistake each, whose sums and finish have variants that are no mistake.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// A row as such a kernel sees it.
struct FloatRow {
  const Case* problem;
  std::int64_t row, n;
  std::vector<float> x, gamma, beta;  ///< 1 and 0 where absent
  int lanes;
  float eps, mean, var;
  std::function<float(std::int64_t row, std::int64_t i)> right_y;

  float sum(const std::vector<float>& v) const {
    std::vector<float> sums(static_cast<std::size_t>(lanes));
    for (std::size_t i = 0; i < v.size(); ++i) sums[i % sums.size()] += v[i];
    float out = 0;
    for (const float s : sums) out += s;
    return out;
  }
  float value(std::int64_t i) const { return x[static_cast<std::size_t>(i)]; }
  float g(std::int64_t i) const { return gamma[static_cast<std::size_t>(i)]; }
  float b(std::int64_t i) const { return beta[static_cast<std::size_t>(i)]; }
  float narrow(double v, DType to) const { return static_cast<float>(to_double(to, round_to(to, v))); }
};

/// What is empty is right.
struct FormulaMistake {
  std::string name;  ///< how its explanation begins
  std::function<float(const FloatRow&)> squares{};
  std::function<float(const FloatRow&)> rstd{};
  std::function<float(const FloatRow&, std::int64_t, float x_hat)> y{};
  std::function<std::uint64_t(DType, float)> store{};  ///< bits of y
  int parameters = 3;                                  ///< bit 0: gamma is there; bit 1: beta
  bool halves = true, singles = true;                  ///< storage types in which it can be seen
};

inline Tensor formula_kernel(const Case& c, const FormulaMistake& m, int lanes, bool folded) {
  Tensor out(c.x.dtype, c.x.shape);
  const std::int64_t n = row_length(c);
  FloatRow r{&c, 0, n, {}, {}, {}, lanes, static_cast<float>(c.eps), 0, 0, {}};
  for (std::int64_t i = 0; i < n; ++i) {
    r.gamma.push_back(c.gamma ? static_cast<float>(c.gamma->value(i)) : 1);
    r.beta.push_back(c.beta ? static_cast<float>(c.beta->value(i)) : 0);
  }
  const auto moments = [&](std::int64_t row) {
    r.row = row;
    r.x.clear();
    for (std::int64_t i = 0; i < n; ++i) r.x.push_back(static_cast<float>(c.x.value(row * n + i)));
    r.mean = r.sum(r.x) / static_cast<float>(n);
    std::vector<float> squares;
    for (const float v : r.x) squares.push_back((v - r.mean) * (v - r.mean));
    r.var = r.sum(squares) / static_cast<float>(n);
  };
  std::vector<float> right;
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    moments(row);
    for (std::int64_t i = 0; i < n; ++i)
      right.push_back((r.value(i) - r.mean) * (1 / std::sqrt(r.var + r.eps)) * r.g(i) + r.b(i));
  }
  r.right_y = [&](std::int64_t row, std::int64_t i) { return right[static_cast<std::size_t>(row * n + i)]; };
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    moments(row);
    if (m.squares) r.var = m.squares(r) / static_cast<float>(n);
    const float rstd = m.rstd ? m.rstd(r) : 1 / std::sqrt(r.var + r.eps);
    for (std::int64_t i = 0; i < n; ++i) {
      const float x_hat = folded ? r.value(i) * rstd - r.mean * rstd : (r.value(i) - r.mean) * rstd;
      const float y = m.y ? m.y(r, i, x_hat) : x_hat * r.g(i) + r.b(i);
      out.set_bits(row * n + i, m.store ? m.store(c.x.dtype, y) : round_to(c.x.dtype, y));
    }
  }
  return out;
}

/// The bits without those that do not fit.
inline std::uint64_t truncated(DType dtype, float y) {
  std::uint64_t bits = round_to(dtype, y);
  if (std::fabs(to_double(dtype, bits)) > std::fabs(static_cast<double>(y))) --bits;
  return bits;
}

std::vector<FormulaMistake> formula_mistakes();

}  // namespace normcheck
