// Takes a call apart: what is refused, what is not done, what is gathered first and scattered after.
#include "impl/defects/layer.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck::defect {
namespace {

/// Bytes from the first element to each, in row-major order.
template <class Work>
void each_element(const nc_tensor& t, Work work) {
  const std::int64_t count = plugin_detail::product(&t, 0, t.ndim);
  const std::size_t size = t.dtype_bits / 8U;
  for (std::int64_t flat = 0; flat < count; ++flat) {
    std::int64_t rest = flat, offset = 0;
    for (std::int32_t d = t.ndim; d-- > 0; rest /= t.shape[d]) offset += rest % t.shape[d] * t.strides[d];
    work(static_cast<std::size_t>(flat) * size, offset * static_cast<std::int64_t>(size), size);
  }
}

/// The elements of a tensor, where they lie one after another; else copied into `copy`.
std::byte* dense(const nc_tensor* t, std::vector<std::byte>& copy, bool read) {
  if (t == nullptr) return nullptr;
  if (plugin_detail::contiguous(t)) return first(*t);
  const auto count = static_cast<std::size_t>(plugin_detail::product(t, 0, t->ndim));
  copy.resize(count * (t->dtype_bits / 8U));
  if (read)
    each_element(*t, [&](std::size_t to, std::int64_t from, std::size_t size) {
      std::memcpy(copy.data() + to, first(*t) + from, size);
    });
  return copy.data();
}

}  // namespace

DType tensor_dtype(const nc_tensor& t) {
  if (t.dtype_code == NC_BFLOAT) return DType::bf16;
  if (t.dtype_code == NC_INT) return t.dtype_bits == 32 ? DType::i32 : DType::i64;
  return t.dtype_bits == 64 ? DType::f64 : t.dtype_bits == 32 ? DType::f32 : DType::f16;
}

std::byte* first(const nc_tensor& t) { return static_cast<std::byte*>(t.data) + t.byte_offset; }

int answer(const nc_call* c, int status, std::string_view why) {
  return plugin_detail::answer(c, status, std::string(why).c_str());
}

int with_dense(const nc_call* c, std::span<const DType> dtypes, int (*work)(const Call&)) {
  if (c->op != NC_OP_LAYERNORM_FWD || c->flags != 0) return answer(c, NC_UNSUPPORTED, "another operation");
  if (const char* why = plugin_detail::fault(c)) return answer(c, NC_INVALID, why);
  Call call;
  call.c = c;
  call.storage = tensor_dtype(*c->x);
  if (std::find(dtypes.begin(), dtypes.end(), call.storage) == dtypes.end())
    return answer(c, NC_UNSUPPORTED, "another dtype");
  for (const nc_tensor* t : {c->gamma, c->beta}) {
    if (t == nullptr || tensor_dtype(*t) == call.storage) continue;
    if (!is_half(call.storage) || tensor_dtype(*t) != DType::f32)
      return answer(c, NC_INVALID, "gamma or beta has another dtype");
  }
  const plugin_detail::Extents size(c);
  call.rows = size.rows;
  call.n = size.n;
  call.eps = c->eps;
  if (call.n == 0 || call.rows == 0) return NC_OK;
  std::vector<std::byte> x, gamma, beta, y;
  call.is_dense = plugin_detail::contiguous(c->x) && plugin_detail::contiguous(c->y);
  call.x = dense(c->x, x, true);
  call.gamma = dense(c->gamma, gamma, true);
  call.beta = dense(c->beta, beta, true);
  if (c->gamma != nullptr) call.gamma_dtype = tensor_dtype(*c->gamma);
  if (c->beta != nullptr) call.beta_dtype = tensor_dtype(*c->beta);
  call.y = dense(c->y, y, false);
  for (const nc_tensor* t : {c->mean, c->rstd}) {
    if (t != nullptr && !plugin_detail::contiguous(t)) return answer(c, NC_UNSUPPORTED, "strided statistics");
  }
  if (c->mean != nullptr) call.mean = first(*c->mean);
  if (c->rstd != nullptr) call.rstd = first(*c->rstd);
  const int status = work(call);
  if (status == NC_OK && !y.empty())
    each_element(*c->y, [&](std::size_t from, std::int64_t to, std::size_t size_of_one) {
      std::memcpy(first(*c->y) + to, y.data() + from, size_of_one);
    });
  return status;
}

}  // namespace normcheck::defect
