// The ends of the range: squares and sums that overflow, infinities that are taken off, subnormals taken as
// 0.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view overflow = "overflow on the way to a finite answer";
constexpr std::string_view special = "an infinity or a NaN taken off";
constexpr std::string_view tiny = "subnormals";
constexpr const char* full = "range=full";

/// Raw squares beside centred ones: what overflows is taken from the difference of sums.
struct RawSquares : OfF32 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R sum{}, squares{};
    for (const R v : l.x) {
      sum += v;
      squares += v * v;
    }
    const R mean = sum / count<R>(l.n());
    return std::isfinite(squares) ? Right::moments(l)
                                  : Moments<R>{mean, squares / count<R>(l.n()) - mean * mean};
  }
};

/// The deviations are divided by the largest of them first, by a maximum that passes over NaN.
struct ScaledByLargest : OfF32 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R mean = Right::moments(l).mean;
    R largest{}, sum{};
    for (const R v : l.x) largest = std::fmax(largest, std::fabs(v - mean));
    if (largest == R{}) return {mean, R{}};
    for (const R v : l.x) sum += (v - mean) / largest * ((v - mean) / largest);
    return {mean, sum / count<R>(l.n()) * largest * largest};
  }
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    Line<R> zeros = l;
    const std::vector<R> none(l.x.size());
    const bool nothing = m.var == R{} && std::isnan(m.mean);
    if (nothing) zeros.x = none;
    Right::finish(zeros, nothing ? Moments<R>{} : m, rstd, y);
  }
};

struct NoInfiniteVariance : OfF32 {
  static constexpr std::span<const DType> dtypes = f16_f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const Moments<R> m = Right::moments(l);
    return {m.mean, std::isfinite(m.var) ? m.var : R{}};
  }
};
struct ClampedInput : OfF32 {
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    Line<R> other = l;
    const std::vector<R> held = inside(l);
    other.x = held;
    return Right::moments(other);
  }
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    Line<R> other = l;
    const std::vector<R> held = inside(l);
    other.x = held;
    Right::finish(other, m, rstd, y);
  }
  template <class R>
  static std::vector<R> inside(const Line<R>& l) {
    constexpr R most = std::numeric_limits<R>::max();
    std::vector<R> out(l.x.begin(), l.x.end());
    for (R& v : out) v = std::min(std::max(v, -most), most);
    return out;
  }
};

/// What is below the normal range is 0, on the way in and after each product.
struct Flushed : Right {
  static constexpr std::span<const DType> dtypes = f64_f32;
  template <class R>
  static R flush(R v) {
    return std::fabs(v) < std::numeric_limits<R>::min() ? std::copysign(R{}, v) : v;
  }
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R sum{}, squares{};
    for (const R v : l.x) sum = flush(sum + flush(v));
    const R n = count<R>(l.n()), mean = flush(sum / n);
    for (const R v : l.x) {
      const R d = flush(flush(v) - mean);
      squares = flush(squares + flush(d * d));
    }
    return {mean, flush(squares / n)};
  }
  template <class R>
  static R root(const Line<R>& l, const Moments<R>& m) {
    return flush(count<R>(1) / std::sqrt(flush(m.var + flush(static_cast<R>(l.eps)))));
  }
  template <class R>
  static void finish(const Line<R>& l, const Moments<R>& m, const R& rstd, R* y) {
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      R out = flush(flush(flush(l.x[i]) - m.mean) * rstd);
      if (l.gamma) out = flush(out * flush(l.gamma[i]));
      y[i] = l.beta ? flush(out + flush(l.beta[i])) : out;
    }
  }
};

constexpr std::array listed = {
    stepped<OfF32>({"B067", overflow, "https://github.com/pytorch/pytorch/pull/178123",
                    "plain f32: from 1e19 on the squares are infinite, and y is 0", full}),
    stepped<RawSquares>({"B068", overflow, "https://github.com/tenstorrent/tt-metal/issues/55159",
                         "raw squares overflow where centred ones do not"}),
    stepped<OfF32>({"B070", overflow, "https://github.com/pytorch/pytorch/issues/173793",
                    "sums before it divides: the mean of large equal numbers is infinite", full}),
    stepped<ScaledByLargest>({"B071", overflow, "https://github.com/microsoft/onnxruntime/pull/32574",
                              "scales by the largest deviation, where a row of NaN has none"}),
    stepped<NoInfiniteVariance>({"B158", special, "https://github.com/pytorch/pytorch/issues/173885",
                                 "0 in place of a variance that is not finite"}),
    stepped<ClampedInput>({"B159", special, "https://github.com/ggml-org/llama.cpp/issues/15274",
                           "holds x at the largest finite number: no NaN for an infinity"}),
    stepped<Flushed>({"B162", tiny, "https://github.com/r-xla/anvl/issues/540",
                      "takes subnormal numbers as 0, before and after each operation"}),
};

}  // namespace

std::span<const Defect> range_defects() { return listed; }

}  // namespace normcheck
