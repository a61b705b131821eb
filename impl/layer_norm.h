// One layer norm from an algorithm, an arithmetic and a finish: what a row of the table runs, and its trace.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "impl/algorithms/moments.h"
#include "impl/finish.h"
#include "impl/storage.h"
#include "impl/table.h"
#include "impl/trace.h"

namespace normcheck {

/// The rows of a well-formed case as a kernel sees them; outputs are null.
LayerNormCall call_on(const Case& c);

/// Why a row of the table does not run a case: Status::invalid or Status::unsupported, and a message.
std::optional<Observation> declined(const Row& row, const Case& c);

/// Space for a row, kept from call to call so that no row allocates.
template <class R>
struct Scratch {
  std::vector<R> x, y, gamma, beta;
};

/// The values of a call that are the same for all its rows, in R.
template <RootedArithmetic R>
class Prepared {
 public:
  Prepared(const LayerNormCall& call, Scratch<R>& scratch)
      : call_(call), scratch_(scratch), eps_(ArithmeticTraits<R>::from_double(call.eps)) {
    const auto n = static_cast<std::size_t>(call.n);
    for (auto* space : {&scratch.x, &scratch.y, &scratch.gamma, &scratch.beta}) {
      if (space->size() < n) space->resize(n);
    }
    if (call.gamma) load(call.gamma_dtype, call.gamma, call.n, scratch.gamma.data());
    if (call.beta) load(call.beta_dtype, call.beta, call.n, scratch.beta.data());
  }
  std::span<const R> row(std::int64_t index) const {
    load(call_.storage, call_.x + offset(index), call_.n, scratch_.x.data());
    return {scratch_.x.data(), static_cast<std::size_t>(call_.n)};
  }
  std::size_t offset(std::int64_t index) const {
    return static_cast<std::size_t>(index) * static_cast<std::size_t>(call_.n) * size_of(call_.storage);
  }
  const R& eps() const { return eps_; }
  const R* gamma() const { return call_.gamma ? scratch_.gamma.data() : nullptr; }
  const R* beta() const { return call_.beta ? scratch_.beta.data() : nullptr; }
  R* y() const { return scratch_.y.data(); }

 private:
  const LayerNormCall& call_;
  Scratch<R>& scratch_;
  R eps_;
};

/// All rows of a call. mean and rstd are rounded once to statistics_dtype(storage). n = 0: nothing is
/// written, statistics included.
template <class Algorithm, RootedArithmetic R, Finish finish>
void run_rows(const LayerNormCall& call) {
  if (call.n == 0) return;
  thread_local Scratch<R> scratch;
  const Prepared<R> prepared(call, scratch);
  const DType statistics = statistics_dtype(call.storage);
  for (std::int64_t row = 0; row < call.rows; ++row) {
    const std::span<const R> x = prepared.row(row);
    const Moments<R> moments = Algorithm::template moments<R>(x);
    const R rstd = reciprocal_root(moments.var, prepared.eps());
    finish_row<finish, R>(x, moments.mean, rstd, prepared.gamma(), prepared.beta(), prepared.y());
    store(call.storage, prepared.y(), call.n, call.y + prepared.offset(row));
    const std::size_t at = static_cast<std::size_t>(row) * size_of(statistics);
    if (call.mean) store(statistics, &moments.mean, 1, call.mean + at);
    if (call.rstd) store(statistics, &rstd, 1, call.rstd + at);
  }
}

/// The steps of one row, by the same operations in the same order as run_rows. Needs n >= 1.
template <class Algorithm, RootedArithmetic R, Finish finish>
void trace_one(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
  using Traits = ArithmeticTraits<R>;
  Scratch<R> scratch;
  const Prepared<R> prepared(call, scratch);
  const std::span<const R> x = prepared.row(row);
  const Moments<R> moments = Algorithm::template moments<R>(x);
  const R rstd = reciprocal_root(moments.var, prepared.eps());
  const auto as_doubles = [&](const R* values) {
    std::vector<double> doubles(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) doubles[i] = Traits::to_double(values[i]);
    return doubles;
  };
  out = RowTrace{};
  out.mean = Traits::to_double(moments.mean);
  for (const R& v : x) out.centre.push_back(Traits::to_double(v - moments.mean));
  out.variance = Traits::to_double(moments.var);
  out.rstd = Traits::to_double(rstd);
  if constexpr (finish != Finish::folded) {
    normalize_row<finish, R>(x, moments.mean, rstd, prepared.y());
    out.normalize = as_doubles(prepared.y());
  }
  finish_row<finish, R>(x, moments.mean, rstd, prepared.gamma(), prepared.beta(), prepared.y());
  out.scale_shift = as_doubles(prepared.y());
}

}  // namespace normcheck
