// The refusals of a layer norm, in order: x's dtype, the dims, gamma, beta, eps.
#include "impl/semantics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace normcheck {
namespace {

std::optional<std::string> parameter_refusal(std::string_view name, const std::optional<Tensor>& parameter,
                                             const Case& c) {
  if (!parameter) return std::nullopt;
  const auto wanted = std::span(c.x.shape).last(static_cast<std::size_t>(c.norm_ndim));
  if (!std::equal(wanted.begin(), wanted.end(), parameter->shape.begin(), parameter->shape.end())) {
    return fmt::format("{} has shape {}, the normalized shape is {}", name, shape_text(parameter->shape),
                       shape_text(wanted));
  }
  const DType x = c.x.dtype;
  const DType own = parameter->dtype;
  if (own == x || (is_half(x) && own == DType::f32)) return std::nullopt;
  return fmt::format("{} is {} where x is {}: expected {}{}", name, dtype_name(own), dtype_name(x),
                     dtype_name(x), is_half(x) ? " or f32" : "");
}

}  // namespace

std::optional<std::string> refusal(const Case& c) {
  if (!is_float(c.x.dtype)) {
    return fmt::format("x is {}: a layer norm here takes f16, bf16, f32 or f64", dtype_name(c.x.dtype));
  }
  const auto rank = static_cast<std::int64_t>(c.x.shape.size());
  if (rank == 0) return std::string("x has shape []: there is no dim to normalize over");
  if (c.norm_ndim < 1 || c.norm_ndim > rank) {
    return fmt::format("norm_ndim is {}, x has shape {}: expected 1 to {}", c.norm_ndim,
                       shape_text(c.x.shape), rank);
  }
  if (c.normalized && *c.normalized != normalized_shape(c)) {
    return fmt::format("the normalized shape is stated as {}, the last {} dims of x are {} (x has shape {})",
                       shape_text(*c.normalized), c.norm_ndim, shape_text(normalized_shape(c)),
                       shape_text(c.x.shape));
  }
  if (auto why = parameter_refusal("gamma", c.gamma, c)) return why;
  if (auto why = parameter_refusal("beta", c.beta, c)) return why;
  if (!std::isfinite(c.eps) || c.eps < 0) {
    return fmt::format("eps is {}: expected a finite number, 0 or more", c.eps);
  }
  return std::nullopt;
}

}  // namespace normcheck
