// How a kernel becomes a row of the table: its buffers, its name and what it is expected to do.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "impl/algorithms/described.h"
#include "impl/kernel.h"
#include "impl/table.h"
#include "impl/trace.h"

namespace normcheck {

/// The rows of a well-formed case as a kernel sees them; outputs are null.
LayerNormCall call_on(const Case& c);

/// Why a row of the table does not run a case: Status::invalid or Status::unsupported, and a message.
std::optional<Observation> declined(const Row& row, const Case& c);

/// Space for a row, kept from call to call so that no row allocates.
template <class R>
RowBuffers<R> buffers_for(std::int64_t n) {
  thread_local std::vector<R> space;
  const auto size = static_cast<std::size_t>(n);
  if (space.size() < 4 * size) space.resize(4 * size);
  R* first = space.data();
  return {first, first + size, first + 2 * size, first + 3 * size};
}

template <class R>
void run_in_buffers(const LayerNormCall& call, void (*run)(const LayerNormCall&, const RowBuffers<R>&)) {
  run(call, buffers_for<R>(call.n));
}
template <class R>
void trace_in_buffers(const LayerNormCall& call, std::int64_t row, bool forms_x_hat, RowTrace& out,
                      void (*trace)(const LayerNormCall&, std::int64_t, const RowBuffers<R>&, StepBuffers&)) {
  const auto n = static_cast<std::size_t>(call.n);
  out = RowTrace{};
  out.centre.resize(n);
  out.normalize.resize(forms_x_hat ? n : 0);
  out.scale_shift.resize(n);
  StepBuffers steps;
  steps.centre = out.centre.data();
  steps.x_hat = forms_x_hat ? out.normalize.data() : nullptr;
  steps.y = out.scale_shift.data();
  trace(call, row, buffers_for<R>(call.n), steps);
  out.mean = steps.mean;
  out.variance = steps.variance;
  out.rstd = steps.rstd;
}

template <class Algorithm, class R, Variant variant>
void run_rows(const LayerNormCall& call) {
  run_in_buffers<R>(call, Kernel<Algorithm, R, variant>::run);
}
template <class Algorithm, class R, Variant variant>
void trace_one(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
  trace_in_buffers<R>(call, row, variant.finish != Finish::folded, out, Kernel<Algorithm, R, variant>::trace);
}

/// Takes `part` off the front of a row's name; a name that does not have it does not compile.
consteval std::string_view without(std::string_view name, std::string_view part) {
  if (!name.starts_with(part)) throw "the row's name is not algorithm/accumulate[/variant...][+build]";
  return name.substr(part.size());
}
consteval bool is_name_of(std::string_view name, std::string_view algorithm, DType accumulate,
                          const Variant& v) {
  std::string_view rest = without(without(name, algorithm), "/");
  rest = without(rest, accumulate == DType::f16    ? "f16"
                       : accumulate == DType::bf16 ? "bf16"
                       : accumulate == DType::f32  ? "f32"
                       : accumulate == DType::f64  ? "f64"
                                                   : "f80");
  if (v.finish == Finish::folded) rest = without(rest, "/folded");
  if (v.finish == Finish::half_folded) rest = without(rest, "/half_folded");
  if (v.root == Root::newton0) rest = without(rest, "/newton0");
  if (v.root == Root::newton1) rest = without(rest, "/newton1");
  if (v.root == Root::newton2) rest = without(rest, "/newton2");
  if (v.division == Division::by_reciprocal) rest = without(rest, "/by_reciprocal");
  if (v.eps_f64) rest = without(rest, "/eps_f64");
  if (v.x_hat_storage) rest = without(rest, "/x_hat_storage");
  if (v.build == Build::fma) rest = without(rest, "+fma");
  if (v.build == Build::fast) rest = without(rest, "+fast");
  return rest.empty();
}

/// What each accumulate type offers to store: itself, and what is narrower. Half accumulation is for its
/// own format alone, f80 for f64: to a narrower type its results would be rounded by way of double.
inline constexpr std::array f16_only = {DType::f16};
inline constexpr std::array bf16_only = {DType::bf16};
inline constexpr std::array up_to_f32 = {DType::f16, DType::bf16, DType::f32};
inline constexpr std::array up_to_f64 = {DType::f16, DType::bf16, DType::f32, DType::f64};
inline constexpr std::array f64_only = {DType::f64};
constexpr std::span<const DType> storages_of(DType accumulate) {
  return accumulate == DType::f16    ? std::span<const DType>(f16_only)
         : accumulate == DType::bf16 ? std::span<const DType>(bf16_only)
         : accumulate == DType::f32  ? std::span<const DType>(up_to_f32)
         : accumulate == DType::f64  ? std::span<const DType>(up_to_f64)
                                     : std::span<const DType>(f64_only);
}

template <class Algorithm>
consteval Division division_of() {
  if constexpr (requires { Algorithm::division; }) {
    return Algorithm::division;
  } else {
    return Division::by_count;
  }
}

/// The row's name is written out where the row is, so that a search for it finds it; a name that is not
/// the algorithm's, the accumulate type's and the variant's does not compile.
template <class Algorithm, class R, Variant variant>
consteval Row describe_row(std::string_view name, std::string_view expect, decltype(Row::run) run,
                           decltype(Row::trace) trace, MomentBoundFunction moments,
                           decltype(Row::missing) missing = nullptr) {
  static_assert(Described<Algorithm>,
                "the algorithm lacks formula, first_order_mean, first_order_variance or derivation "
                "(impl/algorithms/described.h says what they are, two_pass.h shows them)");
  constexpr bool reads_prefixes = requires { Algorithm::reads_prefixes; };
  if (!is_name_of(name, Algorithm::name, dtype_of<R>, variant)) throw "the row's name says too much";
  return {name, Algorithm::name, dtype_of<R>, variant,        expect, storages_of(dtype_of<R>),
          run,  trace,           moments,     reads_prefixes, missing};
}

template <class Algorithm, class R, Variant given = Variant{}>
consteval Row make_row(std::string_view name, std::string_view expect) {
  constexpr Variant variant = [] {
    Variant v = given;
    v.division = division_of<Algorithm>();
    return v;
  }();
  return describe_row<Algorithm, R, variant>(name, expect, run_rows<Algorithm, R, variant>,
                                             trace_one<Algorithm, R, variant>, Algorithm::bound,
                                             dtype_of<R> == DType::f80 ? missing_f80 : nullptr);
}

}  // namespace normcheck
