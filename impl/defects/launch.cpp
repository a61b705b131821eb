// Indices that wrap, grids that end, slots that threads share, and rows that depend on their number.
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view narrow_index = "an index or a grid too small";
constexpr std::string_view race = "a race or an unset slot";
constexpr std::string_view by_batch = "bits that depend on the batch";

struct Plain : Right {};

/// The offset of a row in 16 bits, a real one's 32 scaled down; where `tails` is set, for rows alone whose
/// length is no multiple of four.
template <const auto& types, bool tails>
struct NarrowOffset {
  static constexpr std::span<const DType> dtypes = types;
  static int work(const Call& call) {
    in_type(call, [&](auto& rows) {
      for (std::int64_t r = 0; r < call.rows; ++r) {
        const bool narrow = !tails || call.n % 4 != 0;
        const auto at = static_cast<std::size_t>(narrow ? (r * call.n) & 0xffff : r * call.n);
        if (at + static_cast<std::size_t>(call.n) <= static_cast<std::size_t>(call.rows * call.n))
          do_row<Plain>(rows, r, call.y + at * call.size());
      }
    });
    return NC_OK;
  }
};
/// A grid of as many elements as 16 bits count: the rest is not written.
struct GridOfElements {
  static constexpr std::span<const DType> dtypes = up_to_f32;
  static int work(const Call& call) {
    in_type(call, [&](auto& rows) {
      for (std::int64_t r = 0; r < call.rows && (r == 0 || (r + 1) * call.n <= 65536); ++r)
        do_row<Plain>(rows, r, call.y + call.at(r));
    });
    return NC_OK;
  }
};
/// A grid of 65,535 rows.
struct GridOfRows {
  static constexpr std::span<const DType> dtypes = f32;
  static int work(const Call& call) {
    in_type(call, [&](auto& rows) {
      for (std::int64_t r = 0; r < call.rows && r < 65535; ++r) do_row<Plain>(rows, r, call.y + call.at(r));
    });
    return NC_OK;
  }
};

/// One slot for the mean of all rows of a block, with no barrier: every so often a row finds that of the row
/// before it. What a race does by chance, a counter does here.
template <const auto& types, int width>
struct SharedSlot {
  static constexpr std::span<const DType> dtypes = types;
  static int work(const Call& call) {
    static std::atomic<std::uint32_t> turn = 0;
    in_type(call, [&](auto& rows) {
      auto kept = Right::moments(rows.line(0)).mean;
      for (std::int64_t r = 0; r < call.rows; ++r) {
        do_row<Plain>(rows, r, call.y + call.at(r));
        const auto line = rows.line(r);
        auto m = Right::moments(line);
        const bool is_late = (turn++ * 0x9E3779B9U) >> 28 == 0 && r % 4 != 0 && call.n % width == 0;
        if (is_late) {
          m.mean = kept;
          Right::finish(line, m, Right::root(line, m), rows.y.data());
          Right::write(line, rows.y.data(), call.y + call.at(r));
        }
        kept = m.mean;
      }
    });
    return NC_OK;
  }
};
/// Groups of 32 add up their sums in shared memory, and the first goes on before the others are there.
struct FirstGroup : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    R squares{};
    const R mean = Right::moments(l).mean;
    for (std::size_t i = 0; i < l.x.size(); ++i) {
      if (i / 32 % 32 == 0) squares += (l.x[i] - mean) * (l.x[i] - mean);
    }
    return {mean, squares / count<R>(l.n())};
  }
};

/// As many lanes as suit the number of rows: another order of the sums for another batch.
template <const auto& types>
struct LanesByRows : Right {
  static constexpr std::span<const DType> dtypes = types;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const std::size_t lanes = l.rows < 4 ? 16 : l.rows < 16 ? 4 : 1;
    const auto sum = [&](auto term) {
      R all{};
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        R one{};
        for (std::size_t i = lane; i < l.x.size(); i += lanes) one += term(l.x[i]);
        all += one;
      }
      return all;
    };
    const R n = count<R>(l.n()), mean = sum([](R v) { return v; }) / n;
    return {mean, sum([&](R v) { return (v - mean) * (v - mean); }) / n};
  }
};

constexpr std::array listed = {
    whole<NarrowOffset<f16, false>>({"B109", narrow_index, "https://github.com/pytorch/pytorch/issues/181555",
                                     "the offset of a row wraps, here in 16 bits"}),
    whole<NarrowOffset<bf16, true>>({"B110", narrow_index, "https://github.com/pytorch/pytorch/issues/184826",
                                     "it wraps where a row is no whole number of vectors"}),
    whole<GridOfElements>({"B112", narrow_index, "https://github.com/PaddlePaddle/Paddle/pull/79528",
                           "a grid too small for the elements leaves the rest unwritten"}),
    whole<GridOfRows>({"B113", narrow_index, "https://github.com/NVIDIA/apex/issues/411",
                       "rows past 65,535 are left as they were"}),
    whole<SharedSlot<f32, 1>>({"B189", race, "https://github.com/NVIDIA/apex/pull/1184",
                               "rows of a block share a slot for the mean, with no barrier", nullptr, true}),
    whole<SharedSlot<f32, 1>>({"B190", race, "https://github.com/PaddlePaddle/Paddle/issues/56100",
                               "the same call gives other numbers now and then", nullptr, true}),
    stepped<FirstGroup>({"B192", race, "https://github.com/ggml-org/llama.cpp/pull/3057",
                         "squares of the first group of lanes alone: the others' sums come too late"}),
    whole<SharedSlot<f16, 256>>({"B193", race, "https://github.com/flashinfer-ai/flashinfer/pull/3607",
                                 "a slot is read too early where the width is a multiple of 256", nullptr,
                                 true}),
    stepped<LanesByRows<bf16_f32>>({"B195", by_batch, "https://github.com/vllm-project/vllm/pull/48997",
                                    "the number of rows decides the order of the sums",
                                    "batch_invariant=yes"}),
    stepped<LanesByRows<bf16_f32>>({"B196", by_batch, "https://github.com/sgl-project/sglang/pull/28787",
                                    "another kernel for a large batch, with other bits",
                                    "batch_invariant=yes"}),
};

}  // namespace

std::span<const Defect> launch_defects() { return listed; }

}  // namespace normcheck
