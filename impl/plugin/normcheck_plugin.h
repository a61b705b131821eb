/* The interface between normcheck and a kernel: C99, one file, copy it beside your kernel.
 *
 * A plug-in is a shared object that exports normcheck_plugin_v1. normcheck asks it for its implementations,
 * describes each problem in an nc_call, and judges what `run` wrote. Everything in a call belongs to the
 * host and is valid until `run` returns: keep no pointer. Calls come from one thread at a time, each with the
 * default floating-point environment (round to nearest, subnormals kept), which is to be left as it was.
 * In C++, normcheck_plugin.hpp makes all of this out of a plain function, in one line. */
#ifndef NORMCHECK_PLUGIN_H
#define NORMCHECK_PLUGIN_H

#include <stdint.h>

#if defined(_WIN32)
#define NC_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define NC_EXPORT __attribute__((visibility("default")))
#else
#define NC_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define NC_ABI_MAJOR 1u /* of this header: another one is not loaded */
#define NC_ABI_MINOR 0u /* grows when fields are appended */

/* A view of an array, laid out as DLPack's DLTensor.
 * Element [i0,i1,...] is at (char*)data + byte_offset + (i0*strides[0] + i1*strides[1] + ...) * dtype_bits/8.
 * `data` is never NULL, also where the array is empty, and is aligned to the element and to no more. */
typedef struct nc_tensor {
  void* data;
  int32_t device_type; /* 1: memory of the CPU */
  int32_t device_id;   /* 0 */
  int32_t ndim;
  uint8_t dtype_code;   /* NC_FLOAT, NC_BFLOAT or NC_INT: DLPack's codes */
  uint8_t dtype_bits;   /* 16, 32 or 64 */
  uint16_t dtype_lanes; /* 1 */
  int64_t* shape;       /* ndim extents; any may be 0 */
  int64_t* strides;     /* ndim steps, in elements, not bytes; never NULL */
  uint64_t byte_offset; /* bytes from `data` to the first element; not always 0 */
} nc_tensor;

enum { NC_INT = 0, NC_FLOAT = 2, NC_BFLOAT = 4 };

/* What `run` returns. Anything else counts as NC_FAILED. Where it is not NC_OK, the outputs are not read. */
enum {
  NC_OK = 0,          /* all outputs that were asked for are written */
  NC_UNSUPPORTED = 1, /* a valid call that this kernel does not do (a dtype, strides): honest, no fault */
  NC_INVALID = 2,     /* a call that every layer norm must refuse. On a valid call it counts as a failure */
  NC_FAILED = 3       /* the kernel tried and could not */
};

/* What is computed. For another value than yours: NC_UNSUPPORTED. */
enum { NC_OP_LAYERNORM_FWD = 1, NC_OP_LAYERNORM_BWD = 2, NC_OP_RMSNORM_FWD = 3, NC_OP_RMSNORM_BWD = 4 };

/* One problem. Layer norm forward, over the last `norm_ndim` dims of x taken together (n elements):
 *   mean = sum(x)/n;  rstd = 1/sqrt(sum((x-mean)^2)/n + eps);  y = gamma*(x-mean)*rstd + beta
 * gamma and beta have exactly the shape of the normalized dims, and x's dtype or (x a half) f32. y has x's
 * shape and dtype. mean and rstd have x's shape with each normalized dim kept as 1; f32 for halves, else x's
 * dtype. To be refused with NC_INVALID: another shape of any of these, norm_ndim outside 1..x->ndim, an x of
 * integers, and an eps that is negative, NaN or infinite; with NC_INVALID or NC_UNSUPPORTED: a gamma or beta
 * of another dtype than x's, unless it is f32 beside a half. */
typedef struct nc_call {
  uint32_t struct_size; /* sizeof(nc_call) of the host; fields are only ever appended */
  uint32_t op;          /* NC_OP_... */
  int32_t norm_ndim;
  uint32_t flags; /* 0 in version 1; for others: NC_UNSUPPORTED */
  double eps;     /* added once, inside the root */
  const nc_tensor* x;
  const nc_tensor* gamma; /* NULL: absent, all ones */
  const nc_tensor* beta;  /* NULL: absent, all zeros */
  nc_tensor* y;           /* written by `run`, like all that follow */
  nc_tensor* mean;        /* NULL: not asked for */
  nc_tensor* rstd;        /* NULL: not asked for */
  const nc_tensor* dy;    /* backward only, NULL otherwise */
  nc_tensor* dx;
  nc_tensor* dgamma;
  nc_tensor* dbeta;
  void* workspace;          /* as many bytes as workspace_bytes asked for, 64-byte aligned; NULL for none */
  uint64_t workspace_bytes; /* their number; what they hold is undefined before and unread after */
  void* stream;             /* NULL on the CPU */
  char* errmsg;             /* room for a zero-terminated line that says why, where the answer is not NC_OK */
  uint32_t errmsg_len;      /* bytes of room, the zero included; may be 0 */
} nc_call;

/* One implementation. The object owns it and all strings; they stay valid and unchanged. */
typedef struct nc_plugin {
  uint32_t struct_size; /* sizeof(nc_plugin) */
  uint32_t abi_major;   /* NC_ABI_MAJOR */
  uint32_t abi_minor;   /* NC_ABI_MINOR */
  const char* name;     /* one word: letters, digits, . _ + - */
  const char* version;  /* NULL: none */
  const char*
      claims; /* what it is held to, such as "algorithm=two_pass;finish=folded"; NULL: nothing claimed */
  /* NC_OK or NC_UNSUPPORTED, from shapes, strides and dtypes alone; never reads data. NULL: ask `run`. */
  int (*supports)(const nc_call*);
  /* Bytes of scratch memory that `run` wants for this call. NULL: none. */
  uint64_t (*workspace_bytes)(const nc_call*);
  int (*run)(const nc_call*);
} nc_plugin;

/* Implementation number `index` (0, 1, ...); NULL ends the list. `host_minor` is the host's NC_ABI_MINOR. */
NC_EXPORT const nc_plugin* normcheck_plugin_v1(uint32_t host_minor, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif /* NORMCHECK_PLUGIN_H */
