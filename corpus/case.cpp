// Shapes and equality of cases.
#include "corpus/case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "corpus/error.h"

namespace normcheck {
namespace {

// Tensor keeps elements as they lie in memory and hands them out as the low bytes of a word.
static_assert(std::endian::native == std::endian::little, "files and tensors are little-endian");

constexpr std::int64_t kMaxElements = std::int64_t{1} << 40;

bool norm_ndim_fits(const Case& c) {
  return c.norm_ndim >= 1 && c.norm_ndim <= static_cast<std::int64_t>(c.x.shape.size());
}

// Product of x's extents first..last-1. Cannot overflow: checked_size bounds every such product.
std::int64_t product(const Case& c, std::size_t first, std::size_t last) {
  std::int64_t out = 1;
  for (std::size_t d = first; d < last; ++d) out *= c.x.shape[d];
  return out;
}

std::size_t leading_dims(const Case& c) { return c.x.shape.size() - static_cast<std::size_t>(c.norm_ndim); }

}  // namespace

Tensor::Tensor(DType dtype_in, std::vector<std::int64_t> shape_in)
    : dtype(dtype_in), shape(std::move(shape_in)) {
  if (dtype == DType::f80) throw InputError("tensor of f80: expected a type that is stored, f64 at most");
  const auto elements = checked_size(shape);
  if (!elements) {
    throw InputError(fmt::format("tensor of shape {}: expected no negative extent and at most 2^40 elements",
                                 shape_text(shape)));
  }
  data.resize(static_cast<std::size_t>(*elements) * size_of(dtype));
}

void Tensor::values(std::int64_t first, std::int64_t n, double* out) const {
  const std::byte* from = data.data() + static_cast<std::size_t>(first) * size_of(dtype);
  if (dtype == DType::f32) {  // at the speed of memory
    for (std::int64_t i = 0; i < n; ++i) {
      float v = 0;
      std::memcpy(&v, from + static_cast<std::size_t>(i) * sizeof v, sizeof v);
      out[i] = static_cast<double>(v);
    }
  } else if (dtype == DType::f64) {
    if (n > 0) std::memcpy(out, from, static_cast<std::size_t>(n) * sizeof(double));
  } else {
    for (std::int64_t i = 0; i < n; ++i) out[i] = value(first + i);
  }
}

std::optional<std::int64_t> checked_size(std::span<const std::int64_t> shape) {
  std::int64_t product = 1;
  bool empty = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || extent > kMaxElements) return std::nullopt;
    if (extent == 0) {
      empty = true;
    } else if (product > kMaxElements / extent) {
      return std::nullopt;
    } else {
      product *= extent;
    }
  }
  return empty ? 0 : product;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

std::string_view op_name(Op op) {
  switch (op) {
    case Op::layernorm_fwd:
      break;
  }
  return "layernorm_fwd";
}

bool same_case(const Case& a, const Case& b) {
  return a.id == b.id && a.op == b.op && a.norm_ndim == b.norm_ndim &&
         std::bit_cast<std::uint64_t>(a.eps) == std::bit_cast<std::uint64_t>(b.eps) &&
         a.normalized == b.normalized && a.x == b.x && a.gamma == b.gamma && a.beta == b.beta &&
         a.generated == b.generated && a.expect == b.expect && a.nan_rows == b.nan_rows &&
         a.violates == b.violates && a.origin == b.origin && a.notes == b.notes;
}

std::int64_t row_count(const Case& c) { return norm_ndim_fits(c) ? product(c, 0, leading_dims(c)) : 0; }

std::int64_t row_length(const Case& c) {
  return norm_ndim_fits(c) ? product(c, leading_dims(c), c.x.shape.size()) : 0;
}

std::vector<std::int64_t> statistics_shape(const Case& c) {
  std::vector<std::int64_t> out = c.x.shape;
  if (!norm_ndim_fits(c)) return out;
  for (std::size_t d = leading_dims(c); d < out.size(); ++d) out[d] = 1;
  return out;
}

std::vector<std::int64_t> normalized_shape(const Case& c) {
  if (!norm_ndim_fits(c)) return {};
  const auto first = c.x.shape.begin() + static_cast<std::ptrdiff_t>(leading_dims(c));
  return {first, c.x.shape.end()};
}

}  // namespace normcheck
