// Partial statistics of four chunks, merged wrongly.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view merge = "merge of partial statistics";

enum class Mistake : std::uint8_t {
  no_gap,         ///< the sums alone, without the gap of the means
  variance,       ///< a part's variance where its sum of squares is meant
  unweighted,     ///< the average of the parts' means and second moments
  no_early_exit,  ///< a part merged into nothing like into any other
  other_count,    ///< divides by the count of the part that is merged in
  empty_counts,   ///< an empty part's mean of 0 with the weight of one element
  last_alone,     ///< without the sums of the part that is merged in
  pairs_alone     ///< parts past the largest power of two are left
};

template <class R>
struct Part {
  R n{}, mean{}, square_dev{};
};

template <class R>
Part<R> part_of(std::span<const R> x) {
  if (x.empty()) return {};
  const Moments<R> m = TwoPass::moments<R>(x);
  const R n = count<R>(static_cast<std::int64_t>(x.size()));
  return {n, m.mean, m.var * n};
}

template <Mistake mistake, class R>
Part<R> merged(const Part<R>& a, Part<R> b) {
  using enum Mistake;
  if (mistake == empty_counts && b.n == R{}) b.n = R(1);
  if (mistake != no_early_exit && mistake != other_count) {
    if (b.n == R{}) return a;
    if (a.n == R{}) return b;
  }
  const R n = a.n + b.n, gap = b.mean - a.mean;
  if (mistake == other_count) {
    const R ratio = a.n / b.n;
    const R square = a.n == R{} ? R{} : gap * gap * a.n / (R(1) + ratio);
    return {n, a.mean + gap * b.n / n, a.square_dev + b.square_dev + square};
  }
  const R between = gap * gap * a.n * b.n / n;
  const R of_b = mistake == variance ? b.square_dev / b.n : mistake == last_alone ? R{} : b.square_dev;
  return {n, a.mean + gap * b.n / n, a.square_dev + of_b + (mistake == no_gap ? R{} : between)};
}

/// Chunks of ceil(n/4): the last are empty where n is small.
template <Mistake mistake, const auto& types, std::size_t parts = 4>
struct Merged : Right {
  static constexpr std::span<const DType> dtypes = types;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const std::size_t size = (l.x.size() + parts - 1) / parts;
    std::array<Part<R>, parts> part;
    std::size_t used = 0;
    for (std::size_t k = 0; k < parts; ++k) {
      const std::size_t from = std::min(l.x.size(), k * size), to = std::min(l.x.size(), from + size);
      part[k] = part_of(l.x.subspan(from, to - from));
      if (to > from) used = k + 1;
    }
    if (mistake == Mistake::unweighted) {
      R mean{}, second{};
      const R k = count<R>(static_cast<std::int64_t>(used));
      for (std::size_t i = 0; i < used; ++i) {
        mean += part[i].mean / k;
        second += (part[i].square_dev / part[i].n + part[i].mean * part[i].mean) / k;
      }
      return {mean, second - mean * mean};
    }
    if (mistake == Mistake::pairs_alone) {
      while ((used & (used - 1)) != 0) --used;
    }
    Part<R> all = mistake == Mistake::no_early_exit ? Part<R>{} : part[0];
    for (std::size_t i = mistake == Mistake::no_early_exit ? 0 : 1; i < parts; ++i) {
      if (mistake == Mistake::pairs_alone && i >= used) break;
      if (mistake == Mistake::no_early_exit && part[i].n == R{}) break;
      all = merged<mistake>(all, part[i]);
    }
    return {all.mean, all.square_dev / all.n};
  }
};

using enum Mistake;
constexpr std::array listed = {
    stepped<Merged<no_gap, f64>>({"B081", merge, "https://github.com/boostorg/histogram/pull/308",
                                  "adds the parts' sums of squares, without the gap of their means"}),
    stepped<Merged<variance, f64>>({"B082", merge, "https://github.com/Oneflow-Inc/oneflow/issues/7471",
                                    "takes a part's variance for its sum of squares"}),
    stepped<Merged<unweighted, f32>>({"B084", merge, "https://github.com/PaddlePaddle/Paddle/issues/32464",
                                      "averages the parts without weights"}),
    stepped<Merged<no_early_exit, f64_f32>>({"B085", merge, "https://github.com/apache/spark/pull/57460",
                                             "merges into an empty part by the formula: 0 times infinity"}),
    stepped<Merged<other_count, f64>>({"B087", merge, "https://github.com/apache/druid/pull/11617",
                                       "divides by the other part's count, which may be 0"}),
    stepped<Merged<empty_counts, f32>>({"B088", merge, "https://github.com/pytorch/pytorch/pull/74944",
                                        "counts an empty part as one element of value 0"}),
    stepped<Merged<last_alone, f32>>({"B090", merge, "https://github.com/speechbrain/speechbrain/pull/2835",
                                      "adds the gap of the means, and not what a batch varies by itself"}),
    stepped<Merged<pairs_alone, bf16_f32, 6>>({"B091", merge,
                                               "https://github.com/tenstorrent/tt-metal/issues/35291",
                                               "takes the number of parts for a power of two"}),
};

}  // namespace

std::span<const Defect> merge_defects() { return listed; }

}  // namespace normcheck
