// Squares, sums, variances and counts in a half.
#include "impl/arithmetic/half.h"

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"
#include "impl/kernel.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view squares = "squares in a half";
constexpr std::string_view sums = "sums in a half";

/// The mean as it should be; `term` makes a deviation's share of the variance, `sum` adds two.
template <class R, class Term, class Sum>
Moments<R> about_mean(const Line<R>& l, Term term, Sum sum) {
  const R mean = Right::moments(l).mean;
  R out{};
  for (const R v : l.x) out = sum(out, term(v - mean));
  return {mean, out};
}

struct OfF16 : Right {
  static constexpr std::span<const DType> dtypes = f16;
};

/// d*d/n, summed in f16.
struct MeanOfSquares : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R n = count<R>(l.n());
    return about_mean(
        l, [&](R d) { return rounded(DType::f16, rounded(DType::f16, d * d) / n); },
        [](R a, R b) { return rounded(DType::f16, a + b); });
  }
};
/// An f32 sum of f16 products.
struct ProductsAlone : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    Moments<R> m = about_mean(
        l, [](R d) { return rounded(DType::f16, d * d); }, [](R a, R b) { return a + b; });
    m.var = m.var / count<R>(l.n());
    return m;
  }
};
/// All in f32, and the variance in an f16 variable.
struct VarianceKept : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const Moments<R> m = Right::moments(l);
    return {m.mean, rounded(DType::f16, m.var)};
  }
};
/// Squares of d/sqrt(n), in f16 with their sum.
struct ScaledSquares : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R scale = rounded(DType::f16, count<R>(1) / std::sqrt(count<R>(l.n())));
    return about_mean(
        l,
        [&](R d) {
          const R scaled = rounded(DType::f16, d * scale);
          return rounded(DType::f16, scaled * scaled);
        },
        [](R a, R b) { return rounded(DType::f16, a + b); });
  }
};
/// The squares as they are, their sum in f16.
struct SumOfSquares : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    Moments<R> m = about_mean(
        l, [](R d) { return d * d; }, [](R a, R b) { return rounded(DType::f16, a + b); });
    m.var = m.var / count<R>(l.n());
    return m;
  }
};
/// The sum of x in a half, one after another; the variance in f32, about that mean.
template <DType half, const auto& types>
struct SumOfElements : Right {
  static constexpr std::span<const DType> dtypes = types;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R sum{}, square_sum{};
    for (const R v : l.x) sum = rounded(half, sum + v);
    const R n = count<R>(l.n()), mean = rounded(half, sum / n);
    for (const R v : l.x) square_sum += (v - mean) * (v - mean);
    return {mean, square_sum / n};
  }
};
/// n as f16: rounded past 2048, infinite past 65,519.
struct HalfCount : OfF16 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R n = rounded(DType::f16, count<R>(l.n()));
    R sum{}, square_sum{};
    for (const R v : l.x) sum += v;
    const R mean = sum / n;
    for (const R v : l.x) square_sum += (v - mean) * (v - mean);
    return {mean, square_sum / n};
  }
};

/// The layer norm whose every operation rounds to f16.
int decomposed(const Call& call) {
  std::vector<std::byte> gamma, beta;
  const auto as_half = [&](const std::byte* from, DType dtype, std::vector<std::byte>& to) {
    if (from == nullptr || dtype == DType::f16) return from;
    to.resize(call.row_bytes());
    std::vector<Half> values(static_cast<std::size_t>(call.n));
    load(dtype, from, call.n, values.data());
    store(DType::f16, values.data(), call.n, to.data());
    return static_cast<const std::byte*>(to.data());
  };
  LayerNormCall inner{call.storage, call.rows, call.n, call.eps, call.x};
  inner.gamma = as_half(call.gamma, call.gamma_dtype, gamma);
  inner.beta = as_half(call.beta, call.beta_dtype, beta);
  inner.gamma_dtype = inner.beta_dtype = DType::f16;
  inner.y = call.y;
  inner.mean = call.mean;
  inner.rstd = call.rstd;
  std::vector<Half> room(4 * static_cast<std::size_t>(call.n));
  const auto n = static_cast<std::size_t>(call.n);
  Kernel<TwoPass, Half, Variant{}>::run(
      inner, {room.data(), room.data() + n, room.data() + 2 * n, room.data() + 3 * n});
  return NC_OK;
}
struct Decomposed {
  static constexpr std::span<const DType> dtypes = f16;
  static int work(const Call& call) { return decomposed(call); }
};
/// A path of its own for an x that does not lie dense, without the step up to f32.
struct OtherPath {
  static constexpr std::span<const DType> dtypes = f16;
  static int work(const Call& call) {
    return call.is_dense ? all_rows<OfF16>(call) : all_rows<SumOfElements<DType::f16, f16>>(call);
  }
};

constexpr std::array listed = {
    stepped<MeanOfSquares>({"B053", squares, "https://github.com/microsoft/onnxruntime/issues/29034",
                            "x*x/n added up in f16: infinite from 256 on, and y 0"}),
    whole<Decomposed>({"B054", squares, "https://github.com/microsoft/onnxruntime/issues/31626",
                       "the formula as single operations, each of which rounds to f16"}),
    stepped<ProductsAlone>({"B056", squares, "https://github.com/neuroneural/brainchop-cli/pull/56",
                            "the sum is f32, but each square is an f16 product first"}),
    stepped<VarianceKept>({"B057", squares, "https://github.com/microsoft/onnxruntime/issues/17692",
                           "all in f32 except the variance, which is kept as f16"}),
    whole<OtherPath>({"B059", squares, "https://github.com/NVIDIA/TensorRT/issues/2564",
                      "the path for another layout sums in f16, the usual one does not"}),
    stepped<ScaledSquares>({"B060", squares, "https://github.com/ROCm/AMDMIGraphX/pull/1534",
                            "scales by 1/sqrt(n) in f16 against overflow, and small squares vanish"}),
    stepped<SumOfSquares>(
        {"B061", sums, "https://github.com/numpy/numpy/issues/21941", "the sum of the squares in f16"}),
    stepped<SumOfElements<DType::f16, f16>>({"B062", sums, "https://github.com/numpy/numpy/issues/7933",
                                             "the sum of x in f16, which stops growing at 2048"}),
    stepped<SumOfElements<DType::bf16, bf16>>({"B064", sums,
                                               "https://github.com/pytorch/executorch/pull/20090",
                                               "the sum of x in bf16, which stops growing at 256"}),
    stepped<HalfCount>(
        {"B065", sums, "https://github.com/pandas-dev/pandas/pull/40738", "the number of elements as f16"}),
};

}  // namespace

std::span<const Defect> half_defects() { return listed; }

}  // namespace normcheck
