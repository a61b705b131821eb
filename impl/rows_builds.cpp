// Rows of builds with flags of their own: contracted to fma, and -ffast-math; each beside its plain row.
#include <array>
#include <cstddef>
#include <type_traits>

#include "impl/builds/interface.h"
#include "impl/builds/subjects.h"
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

/// The plain side of one kernel of a build.
template <EntriesOf entries, std::size_t index, class R, Finish finish>
struct BuiltRow {
  static void run(const LayerNormCall& call) {
    run_in_buffers<R>(call, [](const LayerNormCall& c, const RowBuffers<R>& b) {
      entries()[index].run(across(c), across(b));
    });
  }
  static void trace(const LayerNormCall& call, std::int64_t row, RowTrace& out) {
    trace_in_buffers<R>(call, row, finish != Finish::folded, out,
                        [](const LayerNormCall& c, std::int64_t at, const RowBuffers<R>& b, StepBuffers& s) {
                          normcheck_abi::Steps steps{s.mean, s.variance, s.rstd, s.centre, s.x_hat, s.y};
                          entries()[index].trace(across(c), at, across(b), steps);
                          s.mean = steps.mean;
                          s.variance = steps.variance;
                          s.rstd = steps.rstd;
                        });
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

/// A CPU without the instructions would die of the first one: SIGILL.
std::string_view without_fma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma") ? "" : "FMA";
#else
  return "";
#endif
}

template <class Algorithm, class R, Finish finish = Finish::direct>
consteval Row fma_row(std::string_view name, std::string_view expect) {
  constexpr std::size_t index = FmaSubjects::index_of<Subject<Algorithm, R, finish>>();
  using Built = BuiltRow<normcheck_abi::normcheck_build_fma, index, R, finish>;
  constexpr Variant variant{.finish = finish, .build = Build::fma};
  return describe_row<Algorithm, R, variant>(name, expect, Built::run, Built::trace, fused_bound<Algorithm>(),
                                             without_fma);
}

template <class Algorithm, class R, Finish finish = Finish::direct>
consteval Row fast_row(std::string_view name, std::string_view expect) {
  constexpr std::size_t index = FastSubjects::index_of<Subject<Algorithm, R, finish>>();
  using Built = BuiltRow<normcheck_abi::normcheck_build_fast, index, R, finish>;
  constexpr Variant variant{.finish = finish, .build = Build::fast};
  return describe_row<Algorithm, R, variant>(name, expect, Built::run, Built::trace, Algorithm::bound);
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
      fast_row<Naive, float>("naive/f32+fast", expect::cancels),
      fast_row<TwoPass, float>("two_pass/f32+fast", expect::pass),
      fast_row<TwoPass, float, folded>("two_pass/f32/folded+fast", expect::pass),
      fast_row<Welford, float>("welford/f32+fast", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
