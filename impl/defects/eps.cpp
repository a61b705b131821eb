// eps in another place, replaced, lost, or rounded to a half.
#include <algorithm>
#include <array>
#include <cmath>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view place = "eps in another place";
constexpr std::string_view lost = "eps lost or replaced";
constexpr std::string_view fixed = "eps a constant of the kernel's";
constexpr std::string_view half_eps = "eps in a half";

template <const auto& types>
struct Of : Right {
  static constexpr std::span<const DType> dtypes = types;
};

/// x_hat = d / (sqrt(var) + eps).
template <const auto& types>
struct Outside : Of<types> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return count<R>(1) / (std::sqrt(m.var) + static_cast<R>(l.eps));
  }
};
/// rstd = 1/sqrt(var) + eps.
struct AfterInversion : Of<f32> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return count<R>(1) / std::sqrt(m.var) + static_cast<R>(l.eps);
  }
};
struct LargerOfBoth : Of<f16_f32> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const R eps = static_cast<R>(l.eps);
    return count<R>(1) / std::sqrt(m.var < eps ? eps : m.var);
  }
};
template <const auto& types>
struct None : Of<types> {
  template <class R>
  static R root(const Line<R>&, const Moments<R>& m) {
    return count<R>(1) / std::sqrt(m.var);
  }
};
/// 10^-exponent, whatever was asked for.
template <int exponent, const auto& types>
struct Fixed : Of<types> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    constexpr double eps = exponent == 3 ? 1e-3 : exponent == 5 ? 1e-5 : 1e-6;
    Line<R> other = l;
    other.eps = eps;
    return Right::root(other, m);
  }
};
struct OfTheDtype : Of<halves> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    Line<R> other = l;
    other.eps = std::ldexp(1.0, 1 - format_of(l.storage).precision);
    return Right::root(other, m);
  }
};
/// eps as an attribute or argument of the half type, added in f32.
struct HalfEps : Of<f16> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    Line<R> other = l;
    other.eps = rounded(DType::f16, l.eps);
    return Right::root(other, m);
  }
};
/// The graph's own form: every constant is a half, the power and the root are apart.
struct HalfAttribute : Of<f16> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const R eps = rounded(DType::f16, static_cast<R>(l.eps));
    return count<R>(1) / std::sqrt(m.var + eps);
  }
};
struct HalfSum : Of<f16> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return count<R>(1) / std::sqrt(rounded(DType::f16, m.var + static_cast<R>(l.eps)));
  }
};
/// Divided by the Euclidean norm, or by a floor that is 1e-12 as a half: 0.
struct NormWithFloor : Of<f16> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const R n = count<R>(l.n());
    return std::sqrt(n) / std::max(std::sqrt(m.var * n), rounded(DType::f16, static_cast<R>(1e-12)));
  }
};

constexpr std::array listed = {
    stepped<Outside<any>>(
        {"B020", place, "https://github.com/tracel-ai/burn/issues/2185", "divides by sqrt(var)+eps"}),
    stepped<Outside<f32>>({"B021", place, "https://github.com/pyg-team/pytorch_geometric/pull/2917",
                           "divides by std+eps, whose gradient at a constant row is infinite besides"}),
    stepped<Outside<f32>>({"B023", place, "https://github.com/EleutherAI/gpt-neox/pull/1342",
                           "the root of the mean square, and eps added to that"}),
    stepped<AfterInversion>(
        {"B024", place, "https://github.com/tile-ai/tilelang/pull/1243", "adds eps to the reciprocal root"}),
    stepped<Outside<f32>>({"B026", place, "https://github.com/openvinotoolkit/openvino/pull/8142",
                           "whether eps goes inside or outside is a flag, which it does not read"}),
    stepped<LargerOfBoth>({"B027", place, "https://github.com/pytorch/executorch/pull/19523",
                           "the larger of var and eps in place of their sum: 5 % where they are alike"}),
    stepped<None<f32>>({"B028", lost, "https://github.com/VeriSilicon/TIM-VX/pull/589",
                        "reads eps as another type, and gets 0"}),
    stepped<Fixed<3, f32>>({"B029", lost, "https://github.com/tensorflow/tensorflow/pull/58863",
                            "1e-3, whatever eps is asked for"}),
    stepped<None<f32>>({"B031", lost, "https://github.com/deeplearning4j/deeplearning4j/issues/8241",
                        "divides by the standard deviation alone"}),
    stepped<None<f32>>({"B032", lost, "https://github.com/kssteven418/I-BERT/pull/30",
                        "a standard deviation from integers, with nothing beside it"}),
    stepped<Fixed<6, f32>>(
        {"B034", fixed, "https://github.com/ggml-org/llama.cpp/issues/2373", "1e-6 compiled in"}),
    stepped<Fixed<5, f16>>(
        {"B035", fixed, "https://github.com/apache/tvm/pull/15856", "1e-5 as a literal of the kernel"}),
    stepped<OfTheDtype>({"B037", fixed, "https://github.com/pytorch/pytorch/issues/189581",
                         "the machine epsilon of x's type, 2^-7 for bf16"}),
    stepped<HalfEps>({"B038", half_eps, "https://github.com/pytorch/pytorch/issues/41527",
                      "eps rounded to f16 before it is added: 0 below 3e-8"}),
    stepped<HalfSum>({"B039", half_eps, "https://github.com/deepspeedai/DeepSpeed/issues/581",
                      "var+eps rounded to f16 before the root"}),
    stepped<HalfAttribute>({"B041", half_eps, "https://github.com/pytorch/pytorch/issues/86580",
                            "eps stored as an f16 constant of the graph"}),
    stepped<NormWithFloor>({"B042", half_eps, "https://github.com/huggingface/diffusers/pull/13316",
                            "divides by the larger of the norm and 1e-12 as f16, which is 0"}),
};

}  // namespace

std::span<const Defect> eps_defects() { return listed; }

}  // namespace normcheck
