/* A layer norm in C99 over the bare interface: strides, byte offsets and absent parameters as the header says. */
#include <math.h>
#include <stddef.h>

#include "impl/plugin/normcheck_plugin.h"

/* Element number `flat` in row-major order. */
static float* element(const nc_tensor* t, int64_t flat) {
  int64_t offset = 0;
#ifdef KIND_in_c_dense /* planted: takes every tensor for dense, and its data for its beginning */
  return (float*)t->data + flat;
#endif
  for (int32_t d = t->ndim; d-- > 0;) {
    offset += flat % t->shape[d] * t->strides[d];
    flat /= t->shape[d];
  }
  return (float*)((char*)t->data + t->byte_offset) + offset;
}

static int run(const nc_call* c) {
  int64_t rows = 1, n = 1;
  if (c->op != NC_OP_LAYERNORM_FWD || c->x->dtype_code != NC_FLOAT || c->x->dtype_bits != 32)
    return NC_UNSUPPORTED;
  for (int32_t d = 0; d < c->x->ndim; ++d) *(d < c->x->ndim - c->norm_ndim ? &rows : &n) *= c->x->shape[d];
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, var = 0, rstd;
    for (int64_t i = 0; i < n; ++i) mean += (double)*element(c->x, r * n + i);
    mean /= (double)n;
    for (int64_t i = 0; i < n; ++i) {
      const double d = (double)*element(c->x, r * n + i) - mean;
      var += d * d;
    }
    rstd = 1 / sqrt(var / (double)n + c->eps);
    for (int64_t i = 0; i < n; ++i) {
      const double g = c->gamma ? (double)*element(c->gamma, i) : 1;
      const double b = c->beta ? (double)*element(c->beta, i) : 0;
      *element(c->y, r * n + i) = (float)(((double)*element(c->x, r * n + i) - mean) * rstd * g + b);
    }
    if (c->mean) *element(c->mean, r) = (float)mean;
    if (c->rstd) *element(c->rstd, r) = (float)rstd;
  }
  return NC_OK;
}

static const nc_plugin plugin = {sizeof(nc_plugin), NC_ABI_MAJOR, NC_ABI_MINOR, "in_c", "1", NULL, NULL, NULL, run};

const nc_plugin* normcheck_plugin_v1(uint32_t host_minor, uint32_t index) {
  (void)host_minor;
  return index == 0 ? &plugin : NULL;
}
