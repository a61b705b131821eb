// Another divisor, another power in place of the root, another norm, or the norm twice.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view divisor = "divisor n-1";
constexpr std::string_view power = "another power in place of the root";
constexpr std::string_view other_norm = "another norm";

template <const auto& types>
struct Unbiased : Right {
  static constexpr std::span<const DType> dtypes = types;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const Moments<R> m = Right::moments(l);
    return {m.mean, m.var * count<R>(l.n()) / count<R>(l.n() - 1)};
  }
};
/// y is right; what is kept beside it is the unbiased one.
struct UnbiasedKept : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static void saved(const Line<R>& l, R&, R& rstd) {
    Line<R> same = l;
    const Moments<R> m = Unbiased<f32>::moments(same);
    rstd = Right::root(l, m);
  }
};
/// A single value has no unbiased variance: 0/0.
struct UnbiasedSingle : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    return l.n() > 1 ? Right::moments(l) : Unbiased<f32>::moments(l);
  }
};

struct Squared : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    const R w = m.var + static_cast<R>(l.eps);
    return count<R>(1) / (w * w);
  }
};

/// The variance about the mean, the row itself in place of its deviations.
struct NotCentred : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    Right::finish(l, Moments<R>{R{}, m.var}, rstd, y);
  }
};
/// By the root of the mean square.
struct MeanSquare : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R sum{};
    for (const R v : l.x) sum += v * v;
    return {R{}, sum / count<R>(l.n())};
  }
};
/// What comes out is normalized, scaled and shifted once more.
struct Twice : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    Right::finish(l, m, rstd, y);
    const std::vector<R> once(y, y + l.x.size());
    Line<R> again = l;
    again.x = once;
    const Moments<R> second = Right::moments(again);
    Right::finish(again, second, Right::root(again, second), y);
  }
};

constexpr std::array listed = {
    stepped<Unbiased<any>>(
        {"B045", divisor, "https://github.com/FluxML/Flux.jl/issues/529", "a variance of n-1: NaN at n = 1"}),
    stepped<Unbiased<f32>>({"B046", divisor, "https://github.com/LBANN/lbann/pull/2024",
                            "n-1 on the way forward, n on the way back"}),
    stepped<Unbiased<f32>>({"B048", divisor, "https://github.com/pytorch/pytorch/issues/22617",
                            "the wrong one was the reference: it divides by n-1"}),
    stepped<UnbiasedKept>({"B049", divisor, "https://github.com/tenstorrent/tt-metal/issues/55438",
                           "one variance for what is put out and for what is kept, which differ by n/(n-1)"}),
    stepped<Squared>({"B050", power, "https://github.com/jax-ml/jax/issues/442",
                      "divides by the square of var+eps, which is 1 where test data have variance 1"}),
    stepped<Squared>({"B051", power, "https://github.com/131250208/TPlinker-joint-extraction/issues/37",
                      "a power of 2 where 1/2 was meant"}),
    stepped<UnbiasedSingle>({"B155", divisor, "https://github.com/pytorch/pytorch/issues/1381",
                             "one value alone: 0/0 of a variance of n-1, and no word of it"}),
    stepped<NotCentred>({"B207", other_norm, "https://github.com/keras-team/keras/issues/21234",
                         "scales by the variance, and does not take the mean off"}),
    stepped<Twice>({"B210", other_norm, "https://github.com/huggingface/pytorch-image-models/pull/2741",
                    "the norm and its gamma applied two times, which gamma 1 hides"}),
    stepped<MeanSquare>({"B211", other_norm, "https://github.com/tensorflow/tfjs/pull/2174",
                         "the name leads to another norm, here by the mean square"}),
};

}  // namespace

std::span<const Defect> divisor_defects() { return listed; }

}  // namespace normcheck
