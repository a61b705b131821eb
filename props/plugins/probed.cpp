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
  wraps_index,     ///< rows that begin past element 65,535 are left
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
  reads_past,     ///< the element behind the last of x
  reads_before,   ///< the element before gamma
  aliases,        ///< claims that y may be x, and reads x again when it has written to y
  in_place,       ///< claims it rightly
  accepts,        ///< claims to refuse, and takes anything
  refuses,        ///< as it claims
  converts,       ///< integers, as it claims
  misconverts,    ///< claims it
  claims_repeats,
  claims_rows_alone,
  claims_strides,
  takes_rows,  ///< as it claims
  claims_statistics,
  no_statistics,  ///< as it claims
  claims_parameters,
  wears_out,           ///< right 150 times
  copies,              ///< right, as far as can be seen
  writes_far,          ///< 50,000 bytes behind the end of y, far past its red zone
  borrows_input,       ///< changes x, and puts it back
  hides_now_and_then,  ///< every third call is refused
  eps_outside,         ///< the root: of rstd alone, where var is small
  eps_outside_caches_x,
};
struct Named {
  const char *name, *claims;
};
constexpr Named names[] = {{"right", nullptr},
                           {"beta_needs_gamma", nullptr},
                           {"mean_needs_rstd", nullptr},
                           {"half_parameters", nullptr},
                           {"single_is_nan", nullptr},
                           {"fails_empty", nullptr},
                           {"first_dim_is_rows", nullptr},
                           {"last_dim_only", nullptr},
                           {"rows_in_grid", nullptr},
                           {"wraps_index", nullptr},
                           {"rows_in_blocks", nullptr},
                           {"aligned_loads", nullptr},
                           {"caches_gamma", nullptr},
                           {"caches_x", nullptr},
                           {"caches_eps", nullptr},
                           {"keeps_mean", nullptr},
                           {"tires", nullptr},
                           {"restless", nullptr},
                           {"by_position", nullptr},
                           {"by_batch", nullptr},
                           {"plain_layouts", nullptr},
                           {"reads_past", nullptr},
                           {"reads_before", nullptr},
                           {"aliases", "inplace=yes"},
                           {"in_place", "inplace=yes"},
                           {"accepts", "refuses=all"},
                           {"refuses", "refuses=all;integers=refuse"},
                           {"converts", "integers=convert"},
                           {"misconverts", "integers=convert"},
                           {"claims_repeats", "deterministic=yes"},
                           {"claims_rows_alone", "batch_invariant=yes"},
                           {"claims_strides", "strides=any"},
                           {"takes_rows", "strides=rows"},
                           {"claims_statistics", "stats=f32"},
                           {"no_statistics", "stats=none"},
                           {"claims_parameters", "gamma=any"},
                           {"wears_out", nullptr},
                           {"copies", "memory=copy"},
                           {"writes_far", nullptr},
                           {"borrows_input", nullptr},
                           {"hides_now_and_then", nullptr},
                           {"eps_outside", nullptr},
                           {"eps_outside_caches_x", nullptr}};

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
  if (t->dtype_code == NC_INT) {
    std::int64_t whole = 0;  // little-endian
    std::memcpy(&whole, from, t->dtype_bits / 8);
    return static_cast<float>(whole);
  }
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

bool has_tail(const nc_tensor* t, const nc_call* c) {
  if (t->ndim != c->norm_ndim) return false;
  return std::equal(t->shape, t->shape + t->ndim, c->x->shape + (c->x->ndim - c->norm_ndim));
}

bool is_wrong(const nc_call* c) {
  if (c->x->dtype_code == NC_INT || c->norm_ndim < 1 || c->norm_ndim > c->x->ndim) return true;
  if ((c->gamma != nullptr && !has_tail(c->gamma, c)) || (c->beta != nullptr && !has_tail(c->beta, c)))
    return true;
  return !std::isfinite(c->eps) || c->eps < 0;
}

bool has_dense_rows(const nc_tensor* t) { return t->ndim != 2 || t->shape[1] < 2 || t->strides[1] == 1; }

template <Fault fault>
int run(const nc_call* c) {
  static int calls = 0;
  static const void *gamma_at = nullptr, *x_at = nullptr;
  static std::vector<float> gamma, x;
  static float kept_mean = 0;
  static double first_eps = c->eps;
  ++calls;
  if (fault == Fault::refuses && is_wrong(c)) return NC_INVALID;
  const bool integers = c->x->dtype_code == NC_INT && is_f32(c->y);
  if (integers && fault == Fault::misconverts) return NC_INVALID;
  if (c->x->dtype_code == NC_INT && fault == Fault::accepts) return NC_OK;
  const bool takes_integers = integers && fault == Fault::converts;
  if (c->op != NC_OP_LAYERNORM_FWD || (!is_f32(c->x) && !is_bf16(c->x) && !takes_integers))
    return NC_UNSUPPORTED;
  constexpr bool plain = fault == Fault::plain_layouts || fault == Fault::claims_strides;
  if (fault == Fault::hides_now_and_then && calls % 3 == 0) return NC_UNSUPPORTED;
  if (plain && !(is_dense(c->x) && is_dense(c->y))) return NC_UNSUPPORTED;
  if (fault == Fault::takes_rows && !(has_dense_rows(c->x) && has_dense_rows(c->y))) return NC_UNSUPPORTED;
  constexpr bool without = fault == Fault::no_statistics || fault == Fault::claims_statistics;
  if (without && (c->mean != nullptr || c->rstd != nullptr)) return NC_UNSUPPORTED;
  if (fault == Fault::claims_parameters && c->gamma != nullptr && is_f32(c->gamma) && is_bf16(c->x))
    return NC_UNSUPPORTED;
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
  volatile float outside = 0;
  if (fault == Fault::reads_past) outside = load(c->x, element(c->x, rows * n - 1) + c->x->dtype_bits / 8);
  if (fault == Fault::reads_before && c->gamma != nullptr)
    outside = load(c->gamma, element(c->gamma, 0) - c->gamma->dtype_bits / 8);
  static_cast<void>(outside);
  if (fault == Fault::borrows_input) {
    auto* first = reinterpret_cast<volatile char*>(element(c->x, 0));
    const char before = *first;
    *first = 0;
    *first = before;
  }
  constexpr std::ptrdiff_t far = 50'000;
  if (fault == Fault::writes_far) *reinterpret_cast<volatile char*>(element(c->y, rows * n - 1) + far) = 1;
  if (c->x->data != x_at || x.size() != values.size()) x = values;
  x_at = c->x->data;
  if (fault == Fault::caches_x || fault == Fault::eps_outside_caches_x) values = x;
  const double eps = fault == Fault::caches_eps ? first_eps : c->eps;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (fault == Fault::rows_in_grid && r >= 2048) break;
    if (fault == Fault::wraps_index && r * n > 65535) break;
    const bool backward = ((fault == Fault::restless || fault == Fault::claims_repeats) && calls % 2 == 1) ||
                          (fault == Fault::by_position && r % 2 == 1) ||
                          ((fault == Fault::by_batch || fault == Fault::claims_rows_alone) && rows % 2 == 1);
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
    if (fault == Fault::eps_outside || fault == Fault::eps_outside_caches_x)
      rstd = static_cast<float>(1 / (std::sqrt(static_cast<double>(var)) + eps));
    if ((fault == Fault::tires && calls > 50) || (fault == Fault::wears_out && calls > 150)) rstd *= 1.25F;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool shifted = c->beta != nullptr && (fault != Fault::beta_needs_gamma || c->gamma != nullptr);
      nc_tensor shift = c->beta != nullptr ? *c->beta : *c->x;
      if (fault == Fault::half_parameters)
        shift.dtype_code = c->x->dtype_code, shift.dtype_bits = c->x->dtype_bits;
      float y = row[static_cast<std::size_t>(i)] * rstd * scale[static_cast<std::size_t>(i)] +
                (shifted ? get(&shift, i) : 0.0F);
      if (fault == Fault::single_is_nan && n == 1) y = std::nanf("");
      // As a second pass over x would: another number only where y has come to lie there.
      if (fault == Fault::aliases) y += get(c->x, r * n) - values[static_cast<std::size_t>(r * n)];
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
  static const nc_plugin all[] = {{sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, names[I].name, nullptr,
                                   names[I].claims, nullptr, nullptr, &run<static_cast<Fault>(I)>}...};
  return index < count ? &all[index] : nullptr;
}

}  // namespace

extern "C" NC_EXPORT const nc_plugin* normcheck_plugin_v1(std::uint32_t, std::uint32_t index) {
  return plugin(index, std::make_index_sequence<count>());
}
