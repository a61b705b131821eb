// One layer norm from an algorithm, an arithmetic and a variant, over buffers that the caller owns.
#pragma once

#include <cstdint>
#include <span>

#include "impl/finish.h"
#include "impl/layer_norm_call.h"
#include "impl/observation.h"
#include "impl/storage.h"

namespace normcheck {

/// Room for one row, call.n elements each, and its steps where they are asked for (as doubles).
template <class R>
struct RowBuffers {
  R* x = nullptr;
  R* y = nullptr;
  R* gamma = nullptr;
  R* beta = nullptr;
};
struct StepBuffers {
  double mean = 0, variance = 0, rstd = 0;
  double* centre = nullptr;
  double* x_hat = nullptr;  ///< null, or left alone, where the finish does not form it
  double* y = nullptr;
};

template <class Algorithm, RootedArithmetic R, Variant variant>
struct Kernel {
  using Traits = ArithmeticTraits<R>;
  static constexpr bool compensated = is_compensated<Algorithm>;

  /// All rows of a call. mean and rstd are rounded once to statistics_dtype(storage). n = 0: nothing is
  /// written, statistics included.
  static void run(const LayerNormCall& call, const RowBuffers<R>& b) {
    if (call.n == 0) return;
    load_parameters(call, b);
    const R eps = Traits::from_double(call.eps);
    const DType statistics = statistics_dtype(call.storage);
    for (std::int64_t row = 0; row < call.rows; ++row) {
      const std::span<const R> x = load_row(call, b, row);
      const Moments<R> moments = Algorithm::template moments<R>(x);
      const R rstd = reciprocal_root<variant>(moments.var, eps, call.eps);
      finish_row<variant, compensated>(call.storage, x, moments, rstd, call.gamma ? b.gamma : nullptr,
                                       call.beta ? b.beta : nullptr, b.y);
      store(call.storage, b.y, call.n, call.y + offset(call, row));
      const std::size_t at = static_cast<std::size_t>(row) * size_of(statistics);
      const R mean = moments.mean + moments.mean_lo;
      if (call.mean) store(statistics, compensated ? &mean : &moments.mean, 1, call.mean + at);
      if (call.rstd) store(statistics, &rstd, 1, call.rstd + at);
    }
  }

  /// The steps of one row, by the same operations in the same order. Needs n >= 1.
  static void trace(const LayerNormCall& call, std::int64_t row, const RowBuffers<R>& b, StepBuffers& out) {
    load_parameters(call, b);
    const std::span<const R> x = load_row(call, b, row);
    const Moments<R> moments = Algorithm::template moments<R>(x);
    const R rstd = reciprocal_root<variant>(moments.var, Traits::from_double(call.eps), call.eps);
    out.mean = Traits::to_double(compensated ? moments.mean + moments.mean_lo : moments.mean);
    out.variance = Traits::to_double(moments.var);
    out.rstd = Traits::to_double(rstd);
    for (std::size_t i = 0; i < x.size(); ++i)
      out.centre[i] = Traits::to_double(centred<compensated>(x[i], moments));
    if constexpr (variant.finish != Finish::folded) {
      finish_row<variant, compensated, R>(call.storage, x, moments, rstd, nullptr, nullptr, b.y);
      for (std::size_t i = 0; i < x.size(); ++i) out.x_hat[i] = Traits::to_double(b.y[i]);
    }
    finish_row<variant, compensated>(call.storage, x, moments, rstd, call.gamma ? b.gamma : nullptr,
                                     call.beta ? b.beta : nullptr, b.y);
    for (std::size_t i = 0; i < x.size(); ++i) out.y[i] = Traits::to_double(b.y[i]);
  }

 private:
  static std::size_t offset(const LayerNormCall& call, std::int64_t row) {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(call.n) * size_of(call.storage);
  }
  static void load_parameters(const LayerNormCall& call, const RowBuffers<R>& b) {
    if (call.gamma) load(call.gamma_dtype, call.gamma, call.n, b.gamma);
    if (call.beta) load(call.beta_dtype, call.beta, call.n, b.beta);
  }
  static std::span<const R> load_row(const LayerNormCall& call, const RowBuffers<R>& b, std::int64_t row) {
    load(call.storage, call.x + offset(call, row), call.n, b.x);
    return {b.x, static_cast<std::size_t>(call.n)};
  }
};

}  // namespace normcheck
