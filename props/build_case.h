// Cases and calls in one line, for tests that state their inputs themselves.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/case.h"
#include "corpus/generate.h"
#include "impl/observation.h"
#include "impl/table.h"

namespace normcheck {

using Shape = std::vector<std::int64_t>;

/// A tensor of the values, each rounded once to the dtype; the values repeat if the shape wants more.
inline Tensor tensor_of(DType dtype, Shape shape, const std::vector<double>& values) {
  Tensor t(dtype, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) {
    t.set_value(i, values[static_cast<std::size_t>(i) % values.size()]);
  }
  return t;
}

inline std::vector<double> values_of(const Tensor& t) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < t.size(); ++i) values.push_back(t.value(i));
  return values;
}

/// Values lo + i/2^fraction_bits with i uniform: exact in the dtype when they fit its precision.
inline Tensor grid_tensor(CounterRng& rng, DType dtype, Shape shape, std::int64_t lo, std::int64_t hi,
                          int fraction_bits = 0) {
  Tensor t(dtype, std::move(shape));
  const double step = 1.0 / static_cast<double>(std::int64_t{1} << fraction_bits);
  for (std::int64_t i = 0; i < t.size(); ++i) {
    t.set_value(i, static_cast<double>(rng.between(lo << fraction_bits, hi << fraction_bits)) * step);
  }
  return t;
}

/// mean + spread * normal, rounded once.
inline Tensor normal_tensor(CounterRng& rng, DType dtype, Shape shape, double mean = 0, double spread = 1) {
  Tensor t(dtype, std::move(shape));
  for (std::int64_t i = 0; i < t.size(); ++i) t.set_value(i, mean + spread * rng.normal());
  return t;
}

/// Every value times 2^power, rounded once.
inline Tensor scaled(const Tensor& t, int power) {
  Tensor out(t.dtype, t.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) out.set_value(i, std::ldexp(t.value(i), power));
  return out;
}

inline Case case_of(Tensor x, std::int64_t norm_ndim = 1, double eps = 1e-5) {
  Case c;
  c.id = "test";
  c.norm_ndim = norm_ndim;
  c.eps = eps;
  c.x = std::move(x);
  return c;
}

/// The case with its values in another dtype, rounded where that is narrower.
inline Tensor as_dtype(const Tensor& t, DType dtype) {
  Tensor out(dtype, t.shape);
  for (std::int64_t i = 0; i < t.size(); ++i) out.set_value(i, t.value(i));
  return out;
}
inline Case as_dtype(Case c, DType dtype) {
  c.x = as_dtype(c.x, dtype);
  if (c.gamma) c.gamma = as_dtype(*c.gamma, dtype);
  if (c.beta) c.beta = as_dtype(*c.beta, dtype);
  return c;
}

/// Anything that answers a case: a row of the table, or a row with a fault planted in it. A promise is a
/// function of a Layer, so that the fault is put before the very check that the rows pass.
using Layer = std::function<Observation(const Case&)>;

inline Layer layer_of(const Row& row, Wanted wanted = {true, true}) {
  return [&row, wanted](const Case& c) { return run_case(row, c, wanted); };
}

/// Equal bits, shape and dtype; NaN equals NaN of any payload and sign.
inline bool same_values(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.shape != b.shape) return false;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const bool both_nan = a.value(i) != a.value(i) && b.value(i) != b.value(i);
    if (!both_nan && a.bits(i) != b.bits(i)) return false;
  }
  return true;
}

}  // namespace normcheck
