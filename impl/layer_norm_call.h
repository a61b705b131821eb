// The rows of a layer norm as a kernel sees them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "corpus/dtype.h"

namespace normcheck {

/// Contiguous rows. gamma and beta may be null; mean and rstd may be null.
struct LayerNormCall {
  DType storage = DType::f32;
  std::int64_t rows = 0;
  std::int64_t n = 0;
  double eps = 0;
  const std::byte* x = nullptr;
  const std::byte* gamma = nullptr;
  const std::byte* beta = nullptr;
  DType gamma_dtype = DType::f32;
  DType beta_dtype = DType::f32;
  std::byte* y = nullptr;
  std::byte* mean = nullptr;
  std::byte* rstd = nullptr;
};

}  // namespace normcheck
