// Wrong layer norms, each with one mistake and everything else in double, so that nothing but the mistake
// shows.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"

namespace normcheck {

/// What a wrong kernel may do differently; everything in double, so that nothing but the mistake shows.
struct Mistake {
  std::string name;
  std::function<double(double, double)> divisor = [](double var, double eps) { return std::sqrt(var + eps); };
  std::function<double(double)> count = [](double n) { return n; };
  std::function<int(int, int)> gamma_index = [](int, int i) { return i; };
  int left_out = 0;   // elements missing from the statistics
  int stale_row = 0;  // statistics of an earlier row
  bool swap = false;  // gamma for beta
  bool no_gamma = false;
  bool no_beta = false;
  bool one_pass_f32 = false;
  bool transposed = false;  // statistics over the columns
};

inline Observation wrong_kernel(const Case& c, const Mistake& m) {
  Observation o;
  o.y = Tensor(c.x.dtype, c.x.shape);
  const int rows = static_cast<int>(row_count(c)), n = static_cast<int>(row_length(c));
  for (int r = 0; r < rows; ++r) {
    const int source = std::max(0, r - m.stale_row);
    std::vector<double> used;
    for (int i = 0; i < n - m.left_out; ++i) used.push_back(c.x.value(source * n + i));
    if (m.transposed) {
      used.clear();
      for (int k = 0; k < rows; ++k) used.push_back(c.x.value(k * n));
    }
    double sum = 0, squares = 0;
    float sum32 = 0, squares32 = 0;
    for (const double v : used) {
      sum += v;
      const auto f = static_cast<float>(v);
      sum32 += f;
      squares32 += f * f;
    }
    const double count = static_cast<double>(used.size());
    double mean = sum / count;
    for (const double v : used) squares += (v - mean) * (v - mean);
    double var = squares / m.count(count);
    if (m.one_pass_f32) {
      const float mean32 = sum32 / static_cast<float>(count);
      mean = static_cast<double>(mean32);
      var = std::max(0.0F, squares32 / static_cast<float>(count) - mean32 * mean32);
    }
    for (int i = 0; i < n; ++i) {
      const int g = m.gamma_index(r, i);
      double gamma = c.gamma->value(g), beta = c.beta->value(g);
      if (m.swap) std::swap(gamma, beta);
      const double x_hat = (c.x.value(r * n + i) - mean) / m.divisor(var, c.eps);
      o.y.set_value(r * n + i, (m.no_gamma ? 1 : gamma) * x_hat + (m.no_beta ? 0 : beta));
    }
  }
  return o;
}

inline std::vector<Mistake> mistakes() {
  std::vector<Mistake> out;
  const auto add = [&out](const char* name) -> Mistake& {
    out.emplace_back();
    out.back().name = name;
    return out.back();
  };
  add("eps outside the root").divisor = [](double var, double eps) { return std::sqrt(var) + eps; };
  add("eps added twice").divisor = [](double var, double eps) { return std::sqrt(var + 2 * eps); };
  add("eps missing").divisor = [](double var, double) { return std::sqrt(var); };
  add("eps fixed at 1e-5").divisor = [](double var, double) { return std::sqrt(var + 1e-5); };
  add("eps squared").divisor = [](double var, double eps) { return std::sqrt(var + eps * eps); };
  add("max(var, eps)").divisor = [](double var, double eps) { return std::sqrt(std::max(var, eps)); };
  add("no root").divisor = [](double var, double eps) { return var + eps; };
  add("root of 12 bits").divisor = [](double var, double eps) {
    return std::sqrt(var + eps) * (1 + 0x1p-12);
  };
  add("divisor n-1").count = [](double n) { return n - 1; };
  add("divisor of the padded width").count = [](double) { return 16.0; };
  add("gamma indexed by the row").gamma_index = [](int row, int) { return row; };
  add("gamma and beta shifted").gamma_index = [](int, int i) { return (i + 1) % 12; };
  add("last element left out").left_out = 1;
  add("statistics of the row before").stale_row = 1;
  add("gamma and beta swapped").swap = true;
  add("gamma missing").no_gamma = true;
  add("beta missing").no_beta = true;
  add("one pass in f32, clamped").one_pass_f32 = true;
  add("statistics over the wrong axis").transposed = true;
  return out;
}

}  // namespace normcheck
