// Layer norms in f32 with one mistake that the bounds of a long row hide; sums in several orders.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

struct HiddenMistake {
  std::string name;
  std::string hypothesis;  ///< what the evidence is to say; empty: it is none, for this is right
  int divisor_step = 0;    ///< n + it
  std::int64_t lost = 0;   ///< elements at the end that no statistic counts
  bool tail = false;       ///< likewise what is behind a multiple of 8
  std::function<float(float)> rstd = [](float w) { return 1 / std::sqrt(w); };
};

/// How a kernel sums and finishes.
struct Form {
  int lanes = 1;
  bool welford = false;
  bool folded = false;
  bool reciprocal_n = false;
};

inline float lanes_sum(const std::vector<float>& v, int lanes) {
  std::vector<float> sums(static_cast<std::size_t>(lanes));
  for (std::size_t i = 0; i < v.size(); ++i) sums[i % sums.size()] += v[i];
  float sum = 0;
  for (const float s : sums) sum += s;
  return sum;
}

/// y of rows whose tensors are all read as f32; rounded once on the way out.
inline Tensor hidden_kernel(const Case& c, const HiddenMistake& m, const Form& form) {
  Tensor y(c.x.dtype, c.x.shape);
  const std::int64_t n = row_length(c);
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    std::vector<float> x, used;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(static_cast<float>(c.x.value(r * n + i)));
    used.assign(x.begin(), x.end() - (m.tail ? n % 8 : m.lost));
    const auto count = static_cast<float>(used.size());
    float mean = 0, squares = 0;
    if (form.welford) {
      for (std::size_t k = 0; k < used.size(); ++k) {
        const float d = used[k] - mean;
        mean += d / static_cast<float>(k + 1);
        squares += d * (used[k] - mean);
      }
    } else {
      const float sum = lanes_sum(used, form.lanes);
      mean = form.reciprocal_n ? sum * (1 / count) : sum / count;
      for (float& v : used) v = (v - mean) * (v - mean);
      squares = lanes_sum(used, form.lanes);
    }
    const float divisor = count + static_cast<float>(m.divisor_step);
    const float var = form.reciprocal_n ? squares * (1 / divisor) : squares / divisor;
    const float rstd = m.rstd(var + static_cast<float>(c.eps));
    for (std::int64_t i = 0; i < n; ++i) {
      const auto gamma = static_cast<float>(c.gamma->value(i)), beta = static_cast<float>(c.beta->value(i));
      const float v = x[static_cast<std::size_t>(i)];
      const float a = gamma * rstd;
      y.set_value(r * n + i, form.folded ? v * a + (beta - a * mean) : (v - mean) * rstd * gamma + beta);
    }
  }
  return y;
}

inline float root_of_bits(float w, int bits) {
  const double r = 1 / std::sqrt(static_cast<double>(w));
  const int e = std::ilogb(r) + 1 - bits;
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(r, -e)), e));
}

inline std::vector<HiddenMistake> hidden_mistakes() {
  std::vector<HiddenMistake> out = {
      {.name = "right", .hypothesis = ""},
      {.name = "right, a root 2 ulp off", .hypothesis = ""},
      {.name = "divisor n-1", .hypothesis = "divisor n-1"},
      {.name = "divisor n+1", .hypothesis = "divisor n+1"},
      {.name = "divisor n-4", .hypothesis = "divisor n-4"},
      {.name = "last element lost", .hypothesis = "the last element left out of the statistics"},
      {.name = "tail of 8 lost", .hypothesis = "the tail behind a multiple of 8 left out of the statistics"},
      {.name = "root of 12 bits", .hypothesis = "a reciprocal root of 12 bits"},
      {.name = "root of 14 bits", .hypothesis = "a reciprocal root of 14 bits"},
      {.name = "root off by 2^-12", .hypothesis = "a reciprocal root too small by one part in 2^12"},
      {.name = "guessed root", .hypothesis = "a reciprocal root guessed from the bits"},
  };
  out[1].rstd = [](float w) { return 1 / std::sqrt(w) * (1 + 0x1p-22F); };
  out[2].divisor_step = -1, out[3].divisor_step = 1, out[4].divisor_step = -4;
  out[5].lost = 1, out[6].tail = true;
  out[7].rstd = [](float w) { return root_of_bits(w, 12); };
  out[8].rstd = [](float w) { return root_of_bits(w, 14); };
  out[9].rstd = [](float w) { return 1 / (std::sqrt(w) * (1 + 0x1p-12F)); };
  out[10].rstd = [](float w) {
    float r = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(w) >> 1));
    for (int k = 0; k < 1; ++k) r = r * (1.5F - 0.5F * w * r * r);
    return r;
  };
  return out;
}

}  // namespace normcheck
