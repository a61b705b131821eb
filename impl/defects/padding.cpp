// Lanes that are not there and are counted, tails and blocks that are and are not.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"
#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view padding = "padding in the statistics";
constexpr std::string_view tail = "vector tail or block left out, or too much";

std::int64_t power_of_two_from(std::int64_t n) {
  std::int64_t out = 1;
  while (out < n) out *= 2;
  return out;
}

/// Zero lanes up to a power of two, whose deviations from the mean are squared like any other.
template <const auto& types>
struct PaddedSquares : Right {
  static constexpr std::span<const DType> dtypes = types;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    Moments<R> m = Right::moments(l);
    const auto lanes = static_cast<R>(power_of_two_from(l.n()) - l.n());
    m.var += lanes * m.mean * m.mean / count<R>(l.n());
    return m;
  }
};
/// The count is that of whole tiles of 32.
struct PaddedCount : Right {
  static constexpr std::span<const DType> dtypes = bf16;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const R tiles = count<R>((l.n() + 31) / 32 * 32);
    R sum{}, squares{};
    for (const R v : l.x) sum += v;
    const R mean = sum / tiles;
    for (const R v : l.x) squares += (v - mean) * (v - mean);
    return {mean, squares / tiles};
  }
};

/// Rows of slots, not all of which are in use: taken whole.
struct SlotsForLengths {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    const nc_tensor* x = c->x;
    const bool slots = x->ndim == 2 && c->norm_ndim == 1 && tensor_dtype(*x) == DType::f32 &&
                       x->shape[0] > 1 && x->strides[1] == 1 && x->strides[0] > x->shape[1] &&
                       x->strides[0] < 2 * x->shape[1];
    if (!slots || plugin_detail::fault(c) != nullptr) return by_steps<OfF32>(c);
    return with_dense(c, f32, [](const Call& call) {
      const nc_tensor* rows = call.c->x;
      Rows<float> room(call);
      for (std::int64_t r = 0; r < call.rows; ++r) {
        Line<float> line = room.line(r);
        std::vector<float> all(static_cast<std::size_t>(rows->strides[0]));
        // The last row's slots past its end are not there.
        const auto taken = static_cast<std::size_t>(r + 1 < call.rows ? rows->strides[0] : call.n);
        std::memcpy(all.data(), first(*rows) + r * rows->strides[0] * 4, 4 * taken);
        Line<float> slots_of_row = line;
        slots_of_row.x = {all.data(), taken};
        const Moments<float> m = Right::moments(slots_of_row);
        Right::finish(line, m, Right::root(line, m), room.y.data());
        Right::write(line, room.y.data(), call.y + call.at(r));
        const float rstd = Right::root(line, m);
        if (call.mean) store(DType::f32, &m.mean, 1, call.mean + 4 * r);
        if (call.rstd) store(DType::f32, &rstd, 1, call.rstd + 4 * r);
      }
      return int{NC_OK};
    });
  }
};

/// gamma's length is compared as whole tiles of 32.
struct PaddedComparison {
  static constexpr std::span<const DType> dtypes = bf16;
  struct Steps : Right {
    static constexpr std::span<const DType> dtypes = bf16;
  };
  static int run(const nc_call* c) {
    nc_call other = *c;
    nc_tensor gamma{}, beta{};
    const auto accept = [&](const nc_tensor*& t, nc_tensor& copy) {
      if (t == nullptr || c->norm_ndim != 1 || t->ndim != 1 || c->x->ndim < 1) return;
      const std::int64_t n = c->x->shape[c->x->ndim - 1];
      if ((t->shape[0] + 31) / 32 != (n + 31) / 32) return;
      copy = *t;
      copy.shape = c->x->shape + c->x->ndim - 1;
      t = &copy;
    };
    accept(other.gamma, gamma);
    accept(other.beta, beta);
    return by_steps<Steps>(&other);
  }
};

/// Rows are written from the last to the first, in whole vectors of four: a tail runs into the row behind.
struct WholeVectors {
  static constexpr std::span<const DType> dtypes = f16;
  struct Steps : Right {};
  static int work(const Call& call) {
    const std::size_t vectors = (call.row_bytes() + 7) / 8 * 8;
    std::vector<std::byte> row(vectors);
    in_type(call, [&](auto& rows) {
      for (std::int64_t r = call.rows; r-- > 0;) {
        do_row<Steps>(rows, r, row.data());
        const std::size_t room = call.at(call.rows) - call.at(r);
        std::memcpy(call.y + call.at(r), row.data(), std::min(room, vectors));
      }
    });
    return NC_OK;
  }
};

/// Statistics of the first block.
template <std::size_t block>
struct FirstBlock : Right {
  static constexpr std::span<const DType> dtypes = f32;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    Line<R> some = l;
    some.x = l.x.first(std::min(block, l.x.size()));
    return Right::moments(some);
  }
};

/// Loads a row in the size of the template, the next multiple of 64, and uses n of it.
struct LoadsTemplate {
  static constexpr std::span<const DType> dtypes = f16;
  struct Steps : Right {};
  static int work(const Call& call) {
    const std::size_t loaded = (call.row_bytes() + 127) / 128 * 128;
    const volatile std::byte* from = call.x + call.at(call.rows - 1);
    for (std::size_t i = 0; i < loaded; ++i) static_cast<void>(from[i]);
    return all_rows<Steps>(call);
  }
};

constexpr std::array listed = {
    stepped<PaddedSquares<any>>({"B093", padding, "https://github.com/triton-lang/triton/issues/9838",
                                 "squares the deviation of lanes behind the row's end, which hold 0"}),
    stepped<PaddedSquares<bf16_f32>>({"B094", padding, "https://github.com/linkedin/Liger-Kernel/issues/518",
                                      "a mask in the mean, and none in the variance"}),
    stepped<PaddedCount>({"B096", padding, "https://github.com/tenstorrent/tt-metal/issues/28365",
                          "divides by the width of whole tiles"}),
    bare<SlotsForLengths>({"B097", padding, "https://github.com/pytorch/pytorch/issues/131967",
                           "takes the slots of a row for its elements"}),
    bare<PaddedComparison>({"B099", padding, "https://github.com/tenstorrent/tt-metal/pull/44527",
                            "takes a gamma too short where both fill as many tiles", "refuses=shape"}),
    whole<WholeVectors>({"B100", tail, "https://github.com/ROCm/aiter/issues/5044",
                         "stores whole vectors, the last of which runs into the next row"}),
    stepped<FirstBlock<4>>({"B101", tail, "https://github.com/facebookresearch/xformers/issues/785",
                            "statistics of the first block alone, of all elements"}),
    whole<LoadsTemplate>({"B103", tail, "https://github.com/microsoft/onnxruntime/pull/17943",
                          "loads up to the next size that it was compiled for, past the end", nullptr, true}),
};

}  // namespace

std::span<const Defect> padding_defects() { return listed; }

}  // namespace normcheck
