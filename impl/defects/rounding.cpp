// Roundings too many, the wrong way or too coarse: x_hat, y, roots, means and statistics.
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view more_than_once = "rounded more than once, or the wrong way";
constexpr std::string_view coarse_root = "coarse reciprocal root";
constexpr std::string_view mean_rounds = "the mean of a constant row";
constexpr std::string_view narrow = "computed or kept in a narrower type";
constexpr std::string_view order = "a long sum";
constexpr const char* exact_constants = "constant=exact";

template <const auto& types>
struct Of : Right {
  static constexpr std::span<const DType> dtypes = types;
};

/// x_hat is put into the storage type before gamma.
template <const auto& types>
struct RoundedXHat : Of<types> {
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    finish_row<Variant{.x_hat_storage = true}, false>(l.storage, l.x, m, rstd, l.gamma, l.beta, y);
  }
};
/// y loses its low 16 bits.
struct Truncated : Of<bf16> {
  template <class R>
  static void write(const Line<R>& l, const R* y, std::byte* to) {
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      const auto half =
          static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(y[i])) >> 16);
      std::memcpy(to + 2 * i, &half, 2);
    }
  }
};
/// gamma is 1 + w, and formed in the storage type.
struct OnePlusWeight : Of<bf16> {
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    Line<R> other = l;
    std::vector<R> gamma;
    for (std::size_t i = 0; l.gamma != nullptr && i < l.x.size(); ++i)
      gamma.push_back(rounded(l.storage, count<R>(1) + rounded(l.storage, l.gamma[i] - count<R>(1))));
    if (l.gamma != nullptr) other.gamma = gamma.data();
    Right::finish(other, m, rstd, y);
  }
};

/// 1/sqrt(w) of so many bits, without a step.
template <int bits>
struct Estimated : Of<f32> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const double r = 1.0 / std::sqrt(static_cast<double>(m.var + static_cast<R>(l.eps)));
    int exponent = 0;
    const double significand = std::frexp(r, &exponent);
    return std::isfinite(r)
               ? static_cast<R>(std::ldexp(std::round(std::ldexp(significand, bits)), exponent - bits))
               : static_cast<R>(r);
  }
};
/// A step that forms r*r first, and has no eye for 0 and infinity.
struct UnguardedStep : Of<f32> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const R w = m.var + static_cast<R>(l.eps);
    R r = static_cast<R>(estimated_reciprocal_root(static_cast<double>(w)));
    for (int step = 0; step < 2; ++step) r = r * (static_cast<R>(1.5) - static_cast<R>(0.5) * w * (r * r));
    return r;
  }
};
/// From the bits of w shifted right, with one step.
struct FromBits : Of<f32> {
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const auto w = static_cast<float>(m.var + static_cast<R>(l.eps));
    const auto r = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(w) >> 1));
    return static_cast<R>(r * (1.5F - 0.5F * w * r * r));
  }
};

/// Each element times a rounded 1/n.
struct SumOfShares : Of<f32> {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R share = count<R>(1) / count<R>(l.n());
    R mean{}, var{};
    for (const R v : l.x) mean += v * share;
    for (const R v : l.x) var += (v - mean) * (v - mean) * share;
    return {mean, var};
  }
};

/// f64 from first to last in f32.
struct InSingle : Of<f64> {
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>&, const R&, R* y) {
    const std::vector<float> x = narrowed(l.x.data(), l.x.size());
    const std::vector<float> gamma = narrowed(l.gamma, l.gamma ? l.x.size() : 0);
    const std::vector<float> beta = narrowed(l.beta, l.beta ? l.x.size() : 0);
    const Line<float> single{DType::f32,
                             l.eps,
                             l.row,
                             l.rows,
                             x,
                             l.gamma ? gamma.data() : nullptr,
                             l.beta ? beta.data() : nullptr};
    const Moments<float> m = Right::moments(single);
    std::vector<float> out(x.size());
    Right::finish(single, m, Right::root(single, m), out.data());
    for (std::size_t i = 0; i < out.size(); ++i) y[i] = static_cast<R>(out[i]);
  }
  template <class R>
  static std::vector<float> narrowed(const R* from, std::size_t n) {
    std::vector<float> out;
    for (std::size_t i = 0; i < n; ++i) out.push_back(static_cast<float>(from[i]));
    return out;
  }
};
/// What is kept for later is rounded to x's type.
struct NarrowStatistics : Of<bf16> {
  template <class R>
  static void saved(const Line<R>& l, R& mean, R& rstd) {
    mean = rounded(l.storage, mean);
    rstd = rounded(l.storage, rstd);
  }
};

constexpr std::array listed = {
    stepped<RoundedXHat<bf16>>({"B072", more_than_once,
                                "https://github.com/vllm-project/vllm-xpu-kernels/pull/536",
                                "rounds x_hat to bf16, and again after gamma"}),
    stepped<RoundedXHat<halves>>({"B073", more_than_once,
                                  "https://github.com/NVIDIA/TransformerEngine/issues/1132",
                                  "the same as the usage of one library, from which others differ"}),
    stepped<Truncated>({"B075", more_than_once, "https://github.com/ROCm/aiter/pull/1978",
                        "cuts y off to bf16 in place of rounding it"}),
    stepped<OnePlusWeight>({"B076", more_than_once, "https://github.com/vllm-project/vllm/pull/53203",
                            "forms gamma as 1+w in bf16, whatever type w has"}),
    stepped<Estimated<12>>({"B077", coarse_root, "https://github.com/Tencent/ncnn/pull/6903",
                            "the hardware's estimate of 12 bits, as it is"}),
    stepped<UnguardedStep>({"B078", coarse_root, "https://github.com/Tencent/ncnn/pull/6903",
                            "a Newton step by r*r, which is infinite for a small w"}),
    stepped<FromBits>({"B080", coarse_root, "https://github.com/Xilinx/finn/pull/1667",
                       "a seed from shifted bits, and one step: off by 2 in 1000"}),
    stepped<InSingle>({"B135", narrow, "https://github.com/google/flax/issues/612",
                       "computes f64 in f32, and widens what comes out"}),
    stepped<SumOfShares>({"B156", mean_rounds, "https://github.com/BVLC/caffe/issues/3963",
                          "adds up x*(1/n): a constant row has another mean than its value",
                          exact_constants}),
    stepped<Of<f32>>({"B157", mean_rounds, "https://github.com/pytorch/pytorch/issues/5410",
                      "divides a rounded sum: a large constant row does not give beta", exact_constants}),
    stepped<NarrowStatistics>({"B184", narrow, "https://github.com/pytorch/pytorch/pull/77407",
                               "keeps mean and rstd in bf16", "stats=f32"}),
    stepped<Of<f32>>({"B200", order, "https://github.com/pytorch/pytorch/issues/143182",
                      "adds up one after another where pairwise sums were to be expected",
                      "algorithm=two_pass;order=pairwise"}),
};

}  // namespace

std::span<const Defect> rounding_defects() { return listed; }

}  // namespace normcheck
