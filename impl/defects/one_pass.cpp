// Variances as a difference of sums, floors that hide what is lost, and x folded into a scale and a shift.
#include <algorithm>
#include <array>

#include "impl/algorithms/naive_clamped.h"
#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view one_pass = "one-pass variance";
constexpr std::string_view clamped = "one-pass variance with a floor";
constexpr std::string_view folded = "folded into a scale and a shift";
constexpr const char* direct = "finish=direct";

/// sum(x^2)/n - mean^2 of sums that L lanes keep, added up at the end; with fma each square joins its sum
/// unrounded; with `reciprocal` both are multiplied by a rounded 1/n.
template <int L, bool fma = false, bool reciprocal = false>
struct Sums : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    std::array<R, L> sum{}, squares{};
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      const R v = l.x[i];
      sum[i % L] = sum[i % L] + v;
      squares[i % L] = fma ? std::fma(v, v, squares[i % L]) : squares[i % L] + v * v;
    }
    for (std::size_t k = 1; k < L; ++k) {
      sum[0] = sum[0] + sum[k];
      squares[0] = squares[0] + squares[k];
    }
    const R n = count<R>(l.n());
    if (reciprocal) {
      const R one_nth = count<R>(1) / n, mean = sum[0] * one_nth;
      return {mean, squares[0] * one_nth - mean * mean};
    }
    const R mean = sum[0] / n;
    return {mean, squares[0] / n - mean * mean};
  }
};

struct Clamped : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    return NaiveClamped::moments<R>(l.x);
  }
};

/// The floor is eps itself, and eps is not added.
struct FloorOfEps : Sums<1> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return count<R>(1) / std::sqrt(std::max(m.var, static_cast<R>(l.eps)));
  }
};

/// The sums of B008 under the root as a vector unit estimates it, with one Newton step.
struct FusedWithEstimate : Sums<8, true> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return reciprocal_root<Variant{.root = Root::newton1}>(m.var, static_cast<R>(l.eps), l.eps);
  }
};

/// As many threads as fill whole groups of 32: a row shorter than that has none, and no sums.
struct ShortRows : Sums<32> {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    if (l.n() < 32) return {};
    return Sums<32>::moments<R>(l);
  }
};

/// Both means of the difference are kept in x's own half type.
struct HalfMeans : Right {
  static constexpr std::span<const DType> dtypes = bf16;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R sum{}, squares{};
    for (const R v : l.x) {
      sum += v;
      squares += v * v;
    }
    const R n = count<R>(l.n()), mean = rounded(l.storage, sum / n);
    return {mean, rounded(l.storage, squares / n) - rounded(l.storage, mean * mean)};
  }
};

/// y = x*a + b with b = -mean*rstd formed beforehand, then gamma and beta: one fma where the compiler may.
template <bool fma>
struct Folded : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      const R a = l.gamma ? l.gamma[i] * rstd : rstd;
      const R b = (l.beta ? l.beta[i] : R{}) - a * m.mean;
      y[i] = fma ? std::fma(l.x[i], a, b) : l.x[i] * a + b;
    }
  }
};
struct FoldedF64 : Folded<false> {
  static constexpr std::span<const DType> dtypes = f64;
};

constexpr std::array listed = {
    stepped<Sums<1>>({"B001", one_pass, "https://github.com/pytorch/pytorch/issues/51102",
                      "E[x^2]-E[x]^2 in f32, one element after another"}),
    stepped<Clamped>({"B002", one_pass, "https://github.com/pytorch/pytorch/issues/40302",
                      "E[x^2]-E[x]^2 in f32, never below 0: finite and wrong"}),
    stepped<Sums<4>>({"B004", one_pass, "https://github.com/microsoft/onnxruntime/issues/21935",
                      "E[x^2]-E[x]^2 of four lanes, which comes out below -eps on a constant row"}),
    stepped<Sums<1, false, true>>({"B005", one_pass, "https://github.com/apache/tvm/issues/19592",
                                   "both sums in one loop, times a rounded 1/n, and their difference"}),
    stepped<Sums<1, true>>({"B007", one_pass, "https://github.com/BVLC/caffe/pull/3162",
                            "E[x^2]-E[x]^2 under an eps too small to hide what is lost"}),
    stepped<FusedWithEstimate>({"B008", one_pass, "https://github.com/openvinotoolkit/openvino/pull/36587",
                                "fused sums with fma, and an estimated root of what may be negative"}),
    stepped<ShortRows>({"B010", one_pass, "https://github.com/PaddlePaddle/Paddle/pull/33534",
                        "E[x^2]-E[x]^2 of 32 threads, and none of them for a row shorter than that"}),
    stepped<HalfMeans>({"B011", one_pass, "https://github.com/tenstorrent/tt-metal/issues/45968",
                        "E[x^2] and E[x]^2 each rounded to bf16 before the difference"}),
    stepped<Sums<2>>({"B013", one_pass, "https://github.com/boostorg/accumulators/issues/26",
                      "the lazy variance of a statistics library: the second moment less the squared mean"}),
    stepped<Sums<16>>({"B014", one_pass, "https://github.com/microsoft/onnxruntime/pull/31973",
                       "sixteen lanes of sums and squares, merged by adding them"}),
    stepped<Sums<1>>({"B015", clamped, "https://github.com/jax-ml/jax/pull/33496",
                      "E[x^2]-E[x]^2 with nothing against a negative variance"}),
    stepped<FloorOfEps>({"B016", clamped, "https://github.com/patrick-kidger/equinox/pull/314",
                         "E[x^2]-E[x]^2 with a floor: no NaN any more, and wrong all the same"}),
    stepped<Folded<true>>({"B018", folded, "https://github.com/pytorch/pytorch/issues/108072",
                           "x*rstd + (-mean*rstd) by fma: a constant row does not give beta", direct}),
    stepped<FoldedF64>({"B019", folded, "https://github.com/pytorch/pytorch/issues/98075",
                        "the same in f64, where a large gamma lifts what the two products rounded", direct}),
};

}  // namespace

std::span<const Defect> one_pass_defects() { return listed; }

}  // namespace normcheck
