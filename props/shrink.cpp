// Simplifies cases: lists the edits, makes one, and follows those that keep a case failing.
#include "props/shrink.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <utility>

namespace normcheck {
namespace {

constexpr std::int64_t most_parts = 4096;  // of one size of range; beyond, only larger ranges are tried
constexpr std::array trims = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 44};

const Tensor* tensor_of(const Case& c, int which) {
  if (which == 0) return &c.x;
  const std::optional<Tensor>& t = which == 1 ? c.gamma : c.beta;
  return t ? &*t : nullptr;
}
Tensor* tensor_of(Case& c, int which) { return const_cast<Tensor*>(tensor_of(std::as_const(c), which)); }

int significant_bits(double magnitude) {
  int exponent = 0;
  double m = std::frexp(magnitude, &exponent);
  int bits = 0;
  while (m != 0) {
    m = 2 * m;
    m -= std::trunc(m);
    ++bits;
  }
  return bits;
}

double trimmed(double value, int bits) {
  int exponent = 0;
  const double m = std::frexp(value, &exponent);
  return std::ldexp(std::trunc(std::ldexp(m, bits)), exponent - bits);
}

// 0, then 1, then few bits near 1 without a sign; what is not finite is left as it is.
std::int64_t complexity(double value) {
  if (value == 0) return std::signbit(value) ? 1 : 0;
  if (value == 1) return 2;
  if (!std::isfinite(value)) return 3;
  const double magnitude = std::fabs(value);
  return 3 + significant_bits(magnitude) + std::abs(std::ilogb(magnitude)) + (value < 0 ? 1 : 0);
}

int eps_rank(double eps) {
  if (eps == 1) return 0;
  if (eps == 0 || eps == 1e-5) return 1;
  return significant_bits(std::fabs(eps)) == 1 ? 2 : 3;
}

// Sizes that are half of each other, and powers of two, since a failure may need a remainder of one; of a
// few, all sizes, since it may need a number of them.
void list_ranges(std::vector<Edit>& out, Edit::Kind kind, std::int64_t count) {
  constexpr std::int64_t few = 12;
  std::vector<std::int64_t> sizes;
  if (count <= few) {
    for (std::int64_t size = count - 1; size >= 1; --size) sizes.push_back(size);
  } else {
    for (std::int64_t size = count / 2; size >= 1; size /= 2) sizes.push_back(size);
    for (std::int64_t size = 1; size <= count / 2; size *= 2) sizes.push_back(size);
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  }
  for (const std::int64_t size : sizes) {
    if (count / size > most_parts) break;
    for (std::int64_t first = 0; first < count; first += size)
      out.push_back({kind, 0, first, std::min(count, first + size)});
  }
}

void list_values(std::vector<Edit>& out, const Tensor& t, int which) {
  const std::int64_t size = std::min(t.size(), most_parts);
  for (const int bits : trims)
    if (bits < format_of(t.dtype).precision) out.push_back({Edit::Kind::trim_all, which, 0, t.size(), bits});
  for (std::int64_t i = 0; i < size; ++i) {
    const double value = t.value(i);
    if (!std::isfinite(value) || complexity(value) == 0) continue;
    out.push_back({Edit::Kind::to_zero, which, i, i + 1});
    if (complexity(value) <= 2) continue;
    out.push_back({Edit::Kind::to_one, which, i, i + 1});
    if (value < 0) out.push_back({Edit::Kind::drop_sign, which, i, i + 1});
    if (std::ilogb(value) != 0) out.push_back({Edit::Kind::drop_exponent, which, i, i + 1});
    const int bits = significant_bits(std::fabs(value));
    for (const int fewer : trims)
      if (fewer < bits) out.push_back({Edit::Kind::trim, which, i, i + 1, fewer});
  }
}

Tensor without(const Tensor& t, std::vector<std::int64_t> shape,
               const std::function<bool(std::int64_t)>& drop) {
  Tensor out(t.dtype, std::move(shape));
  std::int64_t to = 0;
  for (std::int64_t i = 0; i < t.size(); ++i)
    if (!drop(i)) out.set_bits(to++, t.bits(i));
  return out;
}

void drop_rows(Case& c, const Edit& edit) {
  const std::int64_t n = row_length(c);
  std::vector<std::int64_t> shape = normalized_shape(c);
  shape.insert(shape.begin(), row_count(c) - (edit.last - edit.first));
  c.x = without(c.x, std::move(shape),
                [&](std::int64_t i) { return i / n >= edit.first && i / n < edit.last; });
}

void drop_columns(Case& c, const Edit& edit) {
  const std::int64_t n = row_length(c);
  const std::int64_t rows = row_count(c);
  const std::int64_t left = n - (edit.last - edit.first);
  const auto drop = [&](std::int64_t i) { return i % n >= edit.first && i % n < edit.last; };
  c.x = without(c.x, {rows, left}, drop);
  if (c.gamma) c.gamma = without(*c.gamma, {left}, drop);
  if (c.beta) c.beta = without(*c.beta, {left}, drop);
  c.norm_ndim = 1;
}

void flatten(Case& c) {
  const std::int64_t n = row_length(c);
  c.x.shape = {row_count(c), n};
  if (c.gamma) c.gamma->shape = {n};
  if (c.beta) c.beta->shape = {n};
  c.norm_ndim = 1;
}

double edited(double value, const Edit& edit) {
  switch (edit.kind) {
    case Edit::Kind::to_zero:
      return 0.0;
    case Edit::Kind::to_one:
      return 1.0;
    case Edit::Kind::drop_sign:
      return std::fabs(value);
    case Edit::Kind::drop_exponent:
      return value == 0 ? value : std::ldexp(value, -std::ilogb(value));
    default:
      return trimmed(value, edit.bits);
  }
}

void edit_values(Case& c, const Edit& edit) {
  Tensor& t = *tensor_of(c, edit.which);
  for (std::int64_t i = edit.first; i < edit.last; ++i)
    if (std::isfinite(t.value(i))) t.set_value(i, edited(t.value(i), edit));
}

// A row is to be NaN as long as it holds something that is not finite.
void expect_again(Case& c) {
  const std::int64_t n = row_length(c);
  c.nan_rows.clear();
  for (std::int64_t i = 0; i < c.x.size(); ++i)
    if (!std::isfinite(c.x.value(i)) && (c.nan_rows.empty() || c.nan_rows.back() != i / n))
      c.nan_rows.push_back(i / n);
  c.expect = c.nan_rows.empty() ? Expect::bound : Expect::nan_rows;
}

}  // namespace

Weight weight(const Case& c) {
  Weight out = {0, 0, 0, eps_rank(c.eps), 0};
  for (int which = 0; which < 3; ++which) {
    const Tensor* t = tensor_of(c, which);
    if (t == nullptr) continue;
    out[0] += which == 0 ? t->size() + row_length(c) : 0;  // a column weighs, however few the rows
    out[1] += static_cast<std::int64_t>(t->shape.size());
    ++out[2];
    for (std::int64_t i = 0; i < t->size(); ++i) out[4] += complexity(t->value(i));
  }
  return out;
}

std::vector<Edit> edits(const Case& c) {
  std::vector<Edit> out;
  if (c.expect == Expect::refused) return out;
  list_ranges(out, Edit::Kind::drop_rows, row_count(c));
  if (c.norm_ndim > 1 || c.x.shape.size() > 2) out.push_back({Edit::Kind::flatten});
  list_ranges(out, Edit::Kind::drop_columns, row_length(c));
  if (c.gamma) out.push_back({Edit::Kind::drop_tensor, 1});
  if (c.beta) out.push_back({Edit::Kind::drop_tensor, 2});
  for (const double eps : {1.0, 1e-5, std::ldexp(1.0, c.eps > 0 ? std::ilogb(c.eps) : 0)})
    out.push_back({.kind = Edit::Kind::set_eps, .eps = eps});
  for (int which = 2; which >= 0; --which)
    if (const Tensor* t = tensor_of(c, which)) list_values(out, *t, which);
  return out;
}

std::optional<Case> simplified(const Case& c, const Edit& edit) {
  Case out = c;
  switch (edit.kind) {
    case Edit::Kind::drop_rows:
      drop_rows(out, edit);
      break;
    case Edit::Kind::drop_columns:
      drop_columns(out, edit);
      break;
    case Edit::Kind::flatten:
      flatten(out);
      break;
    case Edit::Kind::drop_tensor:
      (edit.which == 1 ? out.gamma : out.beta).reset();
      break;
    case Edit::Kind::set_eps:
      out.eps = edit.eps;
      break;
    default:
      edit_values(out, edit);
  }
  out.generated.reset();
  expect_again(out);
  if (weight(out) < weight(c)) return out;
  return std::nullopt;
}

Case minimise(Case c, const std::function<bool(const Case&)>& fails, std::int64_t tries) {
  bool moved = true;
  while (moved && tries > 0) {
    moved = false;
    for (const Edit& edit : edits(c)) {
      if (tries <= 0) break;
      std::optional<Case> candidate = simplified(c, edit);
      if (!candidate) continue;
      --tries;
      if (!fails(*candidate)) continue;
      c = std::move(*candidate);
      moved = true;
      break;
    }
  }
  return c;
}

}  // namespace normcheck
