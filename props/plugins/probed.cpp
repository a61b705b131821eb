// One object with many layer norms over the bare interface, f32 and bf16: a right one, and one for each fault
// that only a probe sees. Their names say which.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

#include "impl/plugin/normcheck_plugin.h"

namespace {

enum class Fault {
  right,
  beta_needs_gamma,  ///< without gamma it forgets beta
  mean_needs_rstd,   ///< mean alone is not written
  half_parameters,   ///< takes gamma and beta for x's dtype
  single_is_nan,     ///< n = 1
  fails_empty,
  first_dim_is_rows,
  last_dim_only,   ///< whatever norm_ndim says
  rows_in_grid,    ///< rows past 2048 are left
  rows_in_blocks,  ///< what does not fill a block of 16 rows is done wrong
  aligned_loads,   ///< from the multiple of 16 bytes below
  caches_gamma,    ///< by pointer
  caches_x,
  caches_eps,     ///< of the first call
  keeps_mean,     ///< that of the last row of the call before, now and then
  tires,          ///< right fifty times
  restless,       ///< adds up in the other direction every other call
  by_position,    ///< rows at odd places in the other direction
  by_batch,       ///< batches of odd size in the other direction
  plain_layouts,  ///< right, and refuses all but dense calls
};
constexpr const char* names[] = {"right",         "beta_needs_gamma", "mean_needs_rstd",   "half_parameters",
                                 "single_is_nan", "fails_empty",      "first_dim_is_rows", "last_dim_only",
                                 "rows_in_grid",  "rows_in_blocks",   "aligned_loads",     "caches_gamma",
                                 "caches_x",      "caches_eps",       "keeps_mean",        "tires",
                                 "restless",      "by_position",      "by_batch",          "plain_layouts"};

bool is_bf16(const nc_tensor* t) { return t->dtype_code == NC_BFLOAT; }
bool is_f32(const nc_tensor* t) { return t->dtype_code == NC_FLOAT && t->dtype_bits == 32; }

/// Address of element number `flat` in row-major order.
char* element(const nc_tensor* t, std::int64_t flat) {
  std::int64_t offset = 0;
  for (std::int32_t d = t->ndim; d-- > 0; flat /= t->shape[d]) offset += flat % t->shape[d] * t->strides[d];
  return static_cast<char*>(t->data) + t->byte_offset + offset * (t->dtype_bits / 8);
}

float load(const nc_tensor* t, const char* from) {
  std::uint32_t bits = 0;
  if (!is_bf16(t)) {
    std::memcpy(&bits, from, 4);
    return std::bit_cast<float>(bits);
  }
  std::uint16_t half = 0;
  std::memcpy(&half, from, 2);
  return std::bit_cast<float>(std::uint32_t{half} << 16);
}
float get(const nc_tensor* t, std::int64_t flat) { return load(t, element(t, flat)); }

void put(const nc_tensor* t, std::int64_t flat, float value) {
  auto bits = std::bit_cast<std::uint32_t>(value);
  if (!is_bf16(t)) {
    std::memcpy(element(t, flat), &bits, 4);
    return;
  }
  bits += std::isnan(value) ? 0 : 0x7fff + (bits >> 16 & 1);
  const auto half = static_cast<std::uint16_t>(bits >> 16);
  std::memcpy(element(t, flat), &half, 2);
}

bool is_dense(const nc_tensor* t) {
  std::int64_t step = 1;
  for (std::int32_t d = t->ndim; d-- > 0; step *= t->shape[d])
    if (t->shape[d] > 1 && t->strides[d] != step) return false;
  return true;
}

float sum(const std::vector<float>& values, bool backward) {
  float out = 0;
  if (backward) {
    for (auto at = values.rbegin(); at != values.rend(); ++at) out += *at;
  } else {
    for (const float value : values) out += value;
  }
  return out;
}

template <Fault fault>
int run(const nc_call* c) {
  static int calls = 0;
  static const void *gamma_at = nullptr, *x_at = nullptr;
  static std::vector<float> gamma, x;
  static float kept_mean = 0;
  static double first_eps = c->eps;
  ++calls;
  if (c->op != NC_OP_LAYERNORM_FWD || (!is_f32(c->x) && !is_bf16(c->x))) return NC_UNSUPPORTED;
  if (fault == Fault::plain_layouts && !(is_dense(c->x) && is_dense(c->y))) return NC_UNSUPPORTED;
  std::int64_t rows = 1, n = 1;
  const std::int32_t over = fault == Fault::last_dim_only ? 1 : c->norm_ndim;
  const std::int32_t leading = fault == Fault::first_dim_is_rows ? 1 : c->x->ndim - over;
  for (std::int32_t d = 0; d < c->x->ndim; ++d) (d < leading ? rows : n) *= c->x->shape[d];
  if (rows * n == 0) return fault == Fault::fails_empty ? NC_FAILED : NC_OK;
  nc_tensor as_x = c->gamma != nullptr ? *c->gamma : *c->x;
  as_x.dtype_code = c->x->dtype_code;
  as_x.dtype_bits = c->x->dtype_bits;
  std::vector<float> scale(static_cast<std::size_t>(n), 1.0F);
  for (std::int64_t i = 0; c->gamma != nullptr && i < n; ++i)
    scale[static_cast<std::size_t>(i)] = get(fault == Fault::half_parameters ? &as_x : c->gamma, i);
  if (c->gamma != nullptr) {
    if (c->gamma->data != gamma_at || gamma.size() != scale.size()) gamma = scale;
    gamma_at = c->gamma->data;
    if (fault == Fault::caches_gamma) scale = gamma;
  }
  std::vector<float> values;
  for (std::int64_t i = 0; i < rows * n; ++i) {
    const char* at = element(c->x, i);
    if (fault == Fault::aligned_loads && is_f32(c->x))
      at = reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(element(c->x, 0)) &
                                         ~std::uintptr_t{15}) +
           (at - element(c->x, 0));
    values.push_back(load(c->x, at));
  }
  if (c->x->data != x_at || x.size() != values.size()) x = values;
  x_at = c->x->data;
  if (fault == Fault::caches_x) values = x;
  const double eps = fault == Fault::caches_eps ? first_eps : c->eps;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (fault == Fault::rows_in_grid && r >= 2048) break;
    const bool backward = (fault == Fault::restless && calls % 2 == 1) ||
                          (fault == Fault::by_position && r % 2 == 1) ||
                          (fault == Fault::by_batch && rows % 2 == 1);
    std::vector<float> row(values.begin() + r * n, values.begin() + (r + 1) * n);
    const auto count = static_cast<float>(n);
    float mean = sum(row, backward) / count;
    const float own_mean = mean;
    if (fault == Fault::keeps_mean && calls % 40 == 39) mean = kept_mean;
    if (fault == Fault::rows_in_blocks && rows > 16 && r >= rows / 16 * 16) mean = 0;
    kept_mean = own_mean;
    std::vector<float> squares;
    for (float& value : row) {
      value -= mean;
      squares.push_back(value * value);
    }
    const float var = sum(squares, backward) / count;
    float rstd = static_cast<float>(1 / std::sqrt(static_cast<double>(var) + eps));
    if (fault == Fault::tires && calls > 50) rstd *= 1.25F;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool shifted = c->beta != nullptr && (fault != Fault::beta_needs_gamma || c->gamma != nullptr);
      nc_tensor shift = c->beta != nullptr ? *c->beta : *c->x;
      if (fault == Fault::half_parameters)
        shift.dtype_code = c->x->dtype_code, shift.dtype_bits = c->x->dtype_bits;
      float y = row[static_cast<std::size_t>(i)] * rstd * scale[static_cast<std::size_t>(i)] +
                (shifted ? get(&shift, i) : 0.0F);
      if (fault == Fault::single_is_nan && n == 1) y = std::nanf("");
      put(c->y, r * n + i, y);
    }
    if (c->mean != nullptr && !(fault == Fault::mean_needs_rstd && c->rstd == nullptr))
      put(c->mean, r, own_mean);
    if (c->rstd != nullptr) put(c->rstd, r, rstd);
  }
  return NC_OK;
}

constexpr std::size_t count = std::size(names);

template <std::size_t... I>
const nc_plugin* plugin(std::size_t index, std::integer_sequence<std::size_t, I...>) {
  static const nc_plugin all[] = {{sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, names[I], nullptr, nullptr,
                                   nullptr, nullptr, &run<static_cast<Fault>(I)>}...};
  return index < count ? &all[index] : nullptr;
}

}  // namespace

extern "C" NC_EXPORT const nc_plugin* normcheck_plugin_v1(std::uint32_t, std::uint32_t index) {
  return plugin(index, std::make_index_sequence<count>());
}
