// One row as the filter takes it.
#pragma once

#include <span>

#include "corpus/case.h"
#include "oracles/filter/filter.h"

namespace normcheck::filter {

/// A row of n elements of `dtype` at x, and its outputs at got (NULL: no error is asked for). gamma and beta:
/// n numbers from `columns` each, or empty: absent.
inline Rows row_of(DType dtype, const void* x, const void* got, std::int64_t n, double eps,
                   std::span<const double> gamma = {}, std::span<const double> beta = {}) {
  Rows rows;
  rows.dtype = dtype;
  rows.x = x;
  rows.got = got;
  rows.gamma = gamma.empty() ? nullptr : gamma.data();
  rows.beta = beta.empty() ? nullptr : beta.data();
  rows.rows = 1;
  rows.n = n;
  rows.eps = eps;
  return rows;
}
/// Row `row` of n elements each, of two tensors of one dtype and shape.
inline Rows row_of(const Tensor& x, const Tensor& got, std::int64_t row, std::int64_t n, double eps,
                   std::span<const double> gamma, std::span<const double> beta) {
  const std::size_t first = static_cast<std::size_t>(row * n) * size_of(x.dtype);
  return row_of(x.dtype, x.data.data() + first, got.data.data() + first, n, eps, gamma, beta);
}

}  // namespace normcheck::filter
