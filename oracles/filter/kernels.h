// The filter of one instruction set: settles rows by exact sums where they fit, else by pairs of doubles.
#pragma once

#include "oracles/filter/exact_sums.h"
#include "oracles/filter/pair_sums.h"

namespace normcheck::filter::NORMCHECK_FILTER_ISA {
namespace {

/// Nothing is known of a row.
inline void leave(std::int64_t n, double* reference, double* error, double* uncertainty) {
  for (std::int64_t i = 0; i < n; ++i) {
    if (reference != nullptr) reference[i] = __builtin_nan("");
    error[i] = __builtin_nan("");
    uncertainty[i] = kInfinity;
  }
}

template <class F, bool kGamma, bool kBeta>
inline void settle(const Rows& rows, const Elements& out, RowStatistics* statistics) {
  const auto* x = static_cast<const Byte*>(rows.x);
  const auto* got = static_cast<const Byte*>(rows.got);
  const std::int64_t n = rows.n;
  for (std::int64_t r = 0; r < rows.rows; ++r) {
    RowStatistics facts;
    GridRow grid;
    PairRow pairs;
    const Byte* row = x + r * n * F::size;
    bool settled = false;
    if constexpr (F::size < 8) settled = fill_exact<F>(rows, row, facts, grid);
    if (!settled) fill_pairs<F>(rows, row, facts, pairs);
    if (statistics != nullptr) statistics[r] = facts;
    if (got == nullptr) continue;
    double* reference = out.reference == nullptr ? nullptr : out.reference + r * n;
    double *error = out.error_ulp + r * n, *uncertainty = out.uncertainty + r * n;
    const Byte* gots = got + r * n * F::size;
    if (facts.path == Path::pairs)
      pair_elements<F, kGamma, kBeta>(pairs, row, gots, rows.gamma, rows.beta, n, reference, error,
                                      uncertainty);
    else if (facts.path != Path::exact_sums)
      leave(n, reference, error, uncertainty);
    else if constexpr (F::size < 8)
      grid_elements<F, kGamma, kBeta>(grid, row, gots, rows.gamma, rows.beta, n, reference, error,
                                      uncertainty);
  }
}

template <class F>
inline void settle(const Rows& rows, const Elements& out, RowStatistics* statistics) {
  if (rows.gamma != nullptr && rows.beta != nullptr)
    settle<F, true, true>(rows, out, statistics);
  else if (rows.gamma != nullptr)
    settle<F, true, false>(rows, out, statistics);
  else if (rows.beta != nullptr)
    settle<F, false, true>(rows, out, statistics);
  else
    settle<F, false, false>(rows, out, statistics);
}

inline void settle(const Rows& rows, const Elements& out, RowStatistics* statistics) {
  switch (rows.dtype) {
    case DType::f16:
      return settle<F16>(rows, out, statistics);
    case DType::bf16:
      return settle<BF16>(rows, out, statistics);
    case DType::f32:
      return settle<F32>(rows, out, statistics);
    default:
      return settle<F64>(rows, out, statistics);
  }
}

}  // namespace
}  // namespace normcheck::filter::NORMCHECK_FILTER_ISA
