// Rows of builds with flags of their own: contracted to fma, and -ffast-math; each beside its plain row.
#include <array>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "impl/builds/interface.h"
#include "impl/builds/kernels.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {
namespace {

using EntriesOf = const normcheck_abi::Entry* (*)();

template <class R>
normcheck_abi::Space across(const RowBuffers<R>& b) {
  return {b.x, b.y, b.gamma, b.beta};
}
normcheck_abi::Call across(const LayerNormCall& c) {
  return {static_cast<int>(c.storage),
          static_cast<int>(c.gamma_dtype),
          static_cast<int>(c.beta_dtype),
          c.rows,
          c.n,
          c.eps,
          c.x,
          c.gamma,
          c.beta,
          c.y,
          c.mean,
          c.rstd};
}

/// A row's numbers in the accumulate type, read by plain code; none for a null pointer.
template <class R>
std::vector<R> widened(DType dtype, const std::byte* from, std::int64_t n) {
  std::vector<R> values(from == nullptr ? 0 : static_cast<std::size_t>(n));
  if (from != nullptr) load(dtype, from, n, values.data());
  return values;
}
template <class R>
const std::byte* bytes_or_null(const std::vector<R>& values) {
  return values.empty() ? nullptr : reinterpret_cast<const std::byte*>(values.data());
}

/// The plain side of one kernel of a build.
template <EntriesOf entries, std::size_t index, class Algorithm, class R, Finish finish>
struct BuiltRow {
  static void run(const LayerNormCall& call) {
    run_in_buffers<R>(call, [](const LayerNormCall& c, const RowBuffers<R>& b) {
      entries()[index].run(across(c), across(b));
    });
  }

  /// What `run` computes, seen from outside, since a copy of its code for the trace need not give its bits:
  /// the row is run in the accumulate type, which leaves y and rstd unrounded, and for x_hat without gamma
  /// and beta.
  static void trace(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
    const auto n = static_cast<std::size_t>(call.n);
    const std::byte* first = call.x + static_cast<std::size_t>(row) * n * size_of(call.storage);
    const std::vector<R> x = widened<R>(call.storage, first, call.n);
    const std::vector<R> gamma = widened<R>(call.gamma_dtype, call.gamma, call.n);
    const std::vector<R> beta = widened<R>(call.beta_dtype, call.beta, call.n);
    std::vector<R> y(n);
    R rstd{};

    LayerNormCall wide = call;
    wide.storage = wide.gamma_dtype = wide.beta_dtype = dtype_of<R>;
    wide.rows = 1;
    wide.x = bytes_or_null(x);
    wide.gamma = bytes_or_null(gamma);
    wide.beta = bytes_or_null(beta);
    wide.y = reinterpret_cast<std::byte*>(y.data());
    wide.mean = nullptr;
    wide.rstd = reinterpret_cast<std::byte*>(&rstd);
    run(wide);
    out = RowTrace{};
    out.rstd = static_cast<double>(rstd);
    out.scale_shift.assign(y.begin(), y.end());
    if constexpr (finish != Finish::folded) {
      wide.gamma = wide.beta = nullptr;
      run(wide);
      out.normalize.assign(y.begin(), y.end());
    }

    normcheck_abi::Moments got{};
    entries()[index].moments(x.data(), call.n, got);
    const Moments<R> moments{static_cast<R>(got.mean), static_cast<R>(got.var), static_cast<R>(got.mean_lo)};
    out.mean = static_cast<double>(is_compensated<Algorithm> ? moments.mean + moments.mean_lo : moments.mean);
    out.variance = got.var;
    for (const R& v : x) {
      out.centre.push_back(static_cast<double>(centred<is_compensated<Algorithm>>(v, moments)));
    }
  }
};

/// squares/n - mean*mean in one rounding leaves the rounding error of squares even where n = 1, so that a
/// variance of exactly 0, and the NaN of 0 times 1/sqrt(0), are certain of zeros alone.
MomentBound naive_fused(const RowFacts& facts, const Working& format) {
  MomentBound bound = Naive::bound(facts, format);
  bound.mean_exact = bound.mean_exact && facts.mean_abs == 0;
  return bound;
}

/// Fusing a product and a sum takes a rounding away: the algorithm's own bound holds, where that does not
/// rest on two equal roundings that cancel.
template <class Algorithm>
constexpr MomentBoundFunction fused_bound() {
  return std::is_same_v<Algorithm, Naive> ? naive_fused : Algorithm::bound;
}

/// -ffast-math may reassociate, multiply by reciprocals and take out what compensates for rounding: a careful
/// algorithm stays a careful one, whichever; a one-pass variance keeps its form, in another order.
MomentBound naive_reassociated(const RowFacts& facts, const Working& format) {
  MomentBound bound = Naive::bound_for(facts, format, Division::by_reciprocal);
  bound.mean_exact = false;
  return bound;
}
template <class Algorithm>
constexpr MomentBoundFunction reassociated_bound() {
  return std::is_same_v<Algorithm, Naive> ? naive_reassociated : any_careful_form;
}

/// A CPU without the instructions would die of the first one: SIGILL.
std::string_view without_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") ? "" : "FMA instructions";
#else
  return "";
#endif
}

template <class Algorithm, class R, Finish finish = Finish::direct>
consteval Row fma_row(std::string_view name, std::string_view expect) {
  constexpr std::size_t index = FmaKernels::index_of<BuildOf<Algorithm, R, finish>>();
  using Built = BuiltRow<normcheck_abi::normcheck_build_fma, index, Algorithm, R, finish>;
  constexpr Variant variant{.finish = finish, .build = Build::fma};
  return describe_row<Algorithm, R, variant>(name, expect, Built::run, Built::trace, fused_bound<Algorithm>(),
                                             without_fma);
}

template <class Algorithm, class R, Finish finish = Finish::direct>
consteval Row fast_row(std::string_view name, std::string_view expect) {
  constexpr std::size_t index = FastKernels::index_of<BuildOf<Algorithm, R, finish>>();
  using Built = BuiltRow<normcheck_abi::normcheck_build_fast, index, Algorithm, R, finish>;
  constexpr Variant variant{.finish = finish, .build = Build::fast};
  return describe_row<Algorithm, R, variant>(name, expect, Built::run, Built::trace,
                                             reassociated_bound<Algorithm>());
}

}  // namespace

std::span<const Row> build_rows() {
  using enum Finish;
  static constexpr std::array rows = {
      fma_row<Naive, float>("naive/f32+fma", expect::cancels),
      fma_row<TwoPass, float>("two_pass/f32+fma", expect::pass),
      fma_row<TwoPass, float, folded>("two_pass/f32/folded+fma", expect::pass),
      fma_row<TwoPass, float, half_folded>("two_pass/f32/half_folded+fma", expect::pass),
      fma_row<TwoPass, double>("two_pass/f64+fma", expect::pass),
      fma_row<Welford, float>("welford/f32+fma", expect::pass),
      fma_row<Welford, double>("welford/f64+fma", expect::pass),
      fma_row<CompensatedMean, float>("compensated_mean/f32+fma", expect::pass),
      fma_row<Lanes<8>, float>("lanes8/f32+fma", expect::pass),
      fast_row<Naive, float>("naive/f32+fast", expect::cancels),
      fast_row<TwoPass, float>("two_pass/f32+fast", expect::pass),
      fast_row<TwoPass, float, folded>("two_pass/f32/folded+fast", expect::pass),
      fast_row<Welford, float>("welford/f32+fast", expect::pass),
      fast_row<CompensatedMean, float>("compensated_mean/f32+fast", expect::pass),
      fast_row<Lanes<8>, float>("lanes8/f32+fast", expect::pass),
      fast_row<Kahan, float>("kahan/f32+fast", expect::pass),
      fast_row<Neumaier, float>("neumaier/f32+fast", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
