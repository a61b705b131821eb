// Draws and makes changes of single elements and of whole tensors; those of shapes are in mutate_shape.cpp.
#include "fuzz/mutate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "fuzz/decode.h"
#include "fuzz/mutate_shape.h"
#include "impl/semantics.h"

namespace normcheck {
namespace {

constexpr std::array<std::string_view, changes> names = {
    "step_element", "step_run",      "copy_value", "offset", "scale", "swap_rows", "order",
    "eps",          "gamma_or_beta", "length",     "rows",   "dims",  "dtype"};

/// A half-open range of elements.
struct Run {
  std::int64_t first;
  std::int64_t last;
};

Run any_run(CounterRng& rng, std::int64_t size) {
  const std::int64_t first = rng.between(0, size - 1);
  const std::int64_t longest = rng.coin() ? 8 : size;
  return {first, std::min(size, first + rng.between(1, longest))};
}

/// The whole of x, or, more often, one row of it.
Run any_rows(CounterRng& rng, const Case& c) {
  const std::int64_t n = row_length(c);
  if (rng.coin(0.25)) return {0, c.x.size()};
  const std::int64_t row = rng.between(0, row_count(c) - 1);
  return {row * n, (row + 1) * n};
}

/// x mostly, gamma or beta where they are there.
Tensor& any_tensor(CounterRng& rng, Case& c) {
  const bool other = rng.coin(0.3);
  std::optional<Tensor>& t = rng.coin() ? c.gamma : c.beta;
  return other && t ? *t : c.x;
}

/// The pattern `by` steps on in the order of the numbers; a NaN stays, infinity ends it.
std::uint64_t stepped(DType dtype, std::uint64_t bits, std::int64_t by) {
  const Format f = format_of(dtype);
  const std::uint64_t sign = std::uint64_t{1} << (f.bits - 1);
  const auto infinity =
      static_cast<std::int64_t>(((std::uint64_t{1} << (f.bits - f.precision)) - 1) << (f.precision - 1));
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  if (magnitude > infinity) return bits;
  const std::int64_t from = (bits & sign) != 0 ? -magnitude - 1 : magnitude;
  // Compared before it is added: in f64 the sum does not fit.
  const std::int64_t end = by >= 0 ? infinity : -infinity - 1;
  const bool reached = by >= 0 ? from > end - by : from < end - by;
  const std::int64_t at = reached ? end : from + by;
  return at < 0 ? static_cast<std::uint64_t>(-at - 1) | sign : static_cast<std::uint64_t>(at);
}

/// 1 to 4 mostly, at times a power of two up to the precision.
std::int64_t any_steps(CounterRng& rng, DType dtype) {
  const std::int64_t size =
      rng.coin(0.7) ? rng.between(1, 4) : std::int64_t{1} << rng.between(0, format_of(dtype).precision);
  return rng.coin() ? size : -size;
}

void step(CounterRng& rng, Tensor& t, Run run) {
  const std::int64_t by = any_steps(rng, t.dtype);
  for (std::int64_t i = run.first; i < run.last; ++i) t.set_bits(i, stepped(t.dtype, t.bits(i), by));
}

/// A number about as large as one of the run, times a power of two: from what is lost in it to what drowns
/// it.
double any_size(CounterRng& rng, const Tensor& t, Run run) {
  const double v = t.value(rng.between(run.first, run.last - 1));
  const double size = std::isfinite(v) && v != 0 ? v : 1;
  const int p = format_of(t.dtype).precision;
  return std::ldexp(size, static_cast<int>(rng.between(-p, p)));
}

void offset(CounterRng& rng, Case& c) {
  const Run run = any_rows(rng, c);
  const double by = any_size(rng, c.x, run);
  for (std::int64_t i = run.first; i < run.last; ++i) c.x.set_value(i, c.x.value(i) + by);
}

void scale(CounterRng& rng, Case& c) {
  Tensor& t = any_tensor(rng, c);
  const Run run = &t == &c.x ? any_rows(rng, c) : Run{0, t.size()};
  const int reach = rng.coin(0.8) ? 8 : format_of(t.dtype).emax;
  const double by = rng.coin(0.8)
                        ? std::ldexp(rng.coin(0.1) ? -1 : 1, static_cast<int>(rng.between(-reach, reach)))
                        : 1 + static_cast<double>(rng.between(-4, 4)) / 16;
  for (std::int64_t i = run.first; i < run.last; ++i) t.set_value(i, t.value(i) * by);
}

void swap_rows(CounterRng& rng, Case& c) {
  const std::int64_t n = row_length(c), rows = row_count(c);
  const std::int64_t a = rng.between(0, rows - 1), b = rng.between(0, rows - 1);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint64_t bits = c.x.bits(a * n + i);
    c.x.set_bits(a * n + i, c.x.bits(b * n + i));
    c.x.set_bits(b * n + i, bits);
  }
}

void order(CounterRng& rng, Case& c) {
  const std::int64_t n = row_length(c), first = rng.between(0, row_count(c) - 1) * n;
  std::vector<std::uint64_t> row;
  for (std::int64_t i = 0; i < n; ++i) row.push_back(c.x.bits(first + i));
  const DType dtype = c.x.dtype;
  const auto magnitude = [dtype](std::uint64_t bits) {
    return bits & ~(std::uint64_t{1} << (format_of(dtype).bits - 1));
  };
  const std::uint64_t way = rng.below(4);
  if (way == 0) std::reverse(row.begin(), row.end());
  if (way == 1)
    std::rotate(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(rng.below(row.size())), row.end());
  if (way >=
      2) {  // by falling or rising magnitude, NaN last or first; patterns are ordered as magnitudes are
    std::stable_sort(row.begin(), row.end(), [&](std::uint64_t a, std::uint64_t b) {
      return way == 2 ? magnitude(a) < magnitude(b) : magnitude(b) < magnitude(a);
    });
  }
  for (std::int64_t i = 0; i < n; ++i) c.x.set_bits(first + i, row[static_cast<std::size_t>(i)]);
}

void change_eps(CounterRng& rng, Case& c) {
  constexpr std::array usual = {0.0, 1e-5, 1e-6, 1e-12, 1e-3, 1.0, 0x1p-24, 0x1p-149, 0x1p-1074};
  double eps = usual[rng.below(usual.size())];
  const std::uint64_t way = rng.below(4);
  if (way == 0 && c.eps > 0) eps = std::ldexp(c.eps, static_cast<int>(rng.between(-12, 12)));
  if (way == 1) eps = std::nextafter(c.eps, rng.coin() ? 0.0 : 1.0);
  if (way == 2) {  // the square of a difference of two elements: about the variance
    const double a = c.x.value(rng.between(0, c.x.size() - 1)), b = c.x.value(rng.between(0, c.x.size() - 1));
    eps = (a - b) * (a - b);
  }
  if (std::isfinite(eps) && eps >= 0) c.eps = eps;
}

void change_scale_tensor(CounterRng& rng, Case& c) {
  std::optional<Tensor>& t = rng.coin() ? c.gamma : c.beta;
  if (t && rng.coin()) return t.reset();
  const DType dtype = is_half(c.x.dtype) && rng.coin() ? DType::f32 : c.x.dtype;
  t.emplace(dtype, normalized_shape(c));
  const std::uint64_t way = rng.below(3);
  for (std::int64_t i = 0; i < t->size(); ++i) t->set_value(i, way == 0 ? 1 : way == 1 ? 0 : c.x.value(i));
}

void change_dtype(CounterRng& rng, Case& c) {
  constexpr std::array floats = {DType::f16, DType::bf16, DType::f32, DType::f64};
  const DType to = floats[rng.below(floats.size())];
  for (Tensor* t : {&c.x, c.gamma ? &*c.gamma : nullptr, c.beta ? &*c.beta : nullptr}) {
    if (t == nullptr) continue;
    Tensor out(to, t->shape);
    for (std::int64_t i = 0; i < t->size(); ++i) out.set_value(i, t->value(i));
    *t = std::move(out);
  }
}

}  // namespace

std::string_view change_name(Change change) { return names[static_cast<std::size_t>(change)]; }

void apply(Change change, Case& c, CounterRng& rng) {
  switch (change) {
    case Change::step_element: {
      Tensor& t = any_tensor(rng, c);
      const std::int64_t at = rng.between(0, t.size() - 1);
      return step(rng, t, {at, at + 1});
    }
    case Change::step_run: {
      Tensor& t = any_tensor(rng, c);
      return step(rng, t, any_run(rng, t.size()));
    }
    case Change::copy_value: {
      Tensor& t = any_tensor(rng, c);
      const std::uint64_t bits = t.bits(rng.between(0, t.size() - 1));
      const Run run = any_run(rng, t.size());
      for (std::int64_t i = run.first; i < run.last; ++i) t.set_bits(i, bits);
      return;
    }
    case Change::offset:
      return offset(rng, c);
    case Change::scale:
      return scale(rng, c);
    case Change::swap_rows:
      return swap_rows(rng, c);
    case Change::order:
      return order(rng, c);
    case Change::eps:
      return change_eps(rng, c);
    case Change::gamma_or_beta:
      return change_scale_tensor(rng, c);
    case Change::length:
      return change_length(rng, c);
    case Change::rows:
      return change_rows(rng, c);
    case Change::dims:
      return change_dims(rng, c);
    case Change::dtype:
      return change_dtype(rng, c);
  }
}

bool mutate(Case& c, CounterRng& rng) {
  if (c.x.size() == 0 || refusal(c)) return false;
  for (int tries = 0; tries < 8; ++tries) {
    Case changed = c;
    apply(static_cast<Change>(rng.below(changes)), changed, rng);
    if (same_problem(changed, c)) continue;
    c = std::move(changed);
    return true;
  }
  return false;
}

}  // namespace normcheck
