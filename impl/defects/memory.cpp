// Strides, offsets and alignment passed over, inputs written to, outputs that are inputs.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "impl/defects/report.h"
#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view layout = "strides and offsets";
constexpr std::string_view alignment = "alignment";
constexpr std::string_view alias = "inputs written to, outputs that are inputs";

struct OfF16 : Right {
  static constexpr std::span<const DType> dtypes = f16;
};

std::vector<std::int64_t> row_major(const nc_tensor& t) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(t.ndim), 1);
  for (std::size_t d = out.size(); d-- > 1;) out[d - 1] = out[d] * t.shape[d];
  return out;
}

/// x from where its buffer begins.
struct NoOffset {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    nc_call other = *c;
    nc_tensor x = *c->x;
    x.byte_offset = 0;
    other.x = &x;
    return by_steps<OfF32>(&other);
  }
};
/// x as if its elements lay one after another.
struct NoStrides {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    nc_call other = *c;
    nc_tensor x = *c->x;
    std::vector<std::int64_t> steps = row_major(x);
    x.strides = steps.data();
    other.x = &x;
    return by_steps<OfF32>(&other);
  }
};
/// Statistics by the strides, and x once more without them.
struct TwoIndices {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    return with_dense(c, f32, [](const Call& call) {
      in_type(call, [&](auto& rows) {
        Call flat = call;
        flat.x = first(*call.c->x);
        Rows<typename std::remove_reference_t<decltype(rows)>::Element> other(flat);
        for (std::int64_t r = 0; r < call.rows; ++r) {
          do_row<OfF32>(rows, r, call.y + call.at(r));
          const auto line = rows.line(r);
          const auto m = Right::moments(line);
          auto wrong = other.line(r);
          Right::finish(wrong, m, Right::root(line, m), rows.y.data());
          Right::write(line, rows.y.data(), call.y + call.at(r));
        }
      });
      return int{NC_OK};
    });
  }
};
/// Rows of y as far apart as those of x.
struct PitchOfX {
  static constexpr std::span<const DType> dtypes = f16;
  static int run(const nc_call* c) {
    const nc_tensor& x = *c->x;
    if (x.ndim != 2 || x.strides[1] != 1 || x.strides[0] <= x.shape[1]) return by_steps<OfF16>(c);
    nc_call other = *c;
    nc_tensor of_x = x;
    std::int64_t steps[2] = {x.shape[1], 1};
    of_x.strides = steps;  // y has its own pitch, and the rows of x are taken for dense like it
    other.x = &of_x;
    return by_steps<OfF16>(&other);
  }
};

/// Whole vectors from the multiple of 8 bytes at or below the address.
struct RoundedDown {
  static constexpr std::span<const DType> dtypes = f16;
  static int work(const Call& call) {
    Call other = call;
    const auto at = reinterpret_cast<std::uintptr_t>(call.x);
    if (call.n % 4 == 0 && call.is_dense) other.x = call.x - at % 8;
    return all_rows<OfF16>(other);
  }
};
/// Scratch for the warps' sums begins behind a byte array whose size is not rounded up: the last warp's sum
/// lies across two slots, and is lost, where there are 5 to 7 of them.
struct ScratchOffset : Right {
  static constexpr std::span<const DType> dtypes = f16;
  template <class R>
  static Moments<R> moments(const Line<R>& l) {
    const std::int64_t warps = (l.n() + 31) / 32;
    Moments<R> m = Right::moments(l);
    if (warps < 5 || warps > 7) return m;
    R squares{};
    for (std::int64_t i = 0; i < (warps - 1) * 32; ++i) {
      const R d = l.x[static_cast<std::size_t>(i)] - m.mean;
      squares += d * d;
    }
    return {m.mean, squares / count<R>(l.n())};
  }
};

/// f32 needs no step up, so that the buffer worked in is x's own.
struct WorksInX {
  static constexpr std::span<const DType> dtypes = up_to_f32;
  static int work(const Call& call) {
    const int status = all_rows<Right>(call);
    if (call.storage == DType::f32 && call.is_dense) {
      in_type(call, [&](auto& rows) {
        for (std::int64_t r = 0; r < call.rows; ++r) {
          auto line = rows.line(r);
          const auto m = Right::moments(line);
          for (auto& v : rows.x) v -= m.mean;
          store(DType::f32, rows.x.data(), call.n, first(*call.c->x) + call.at(r));
        }
      });
    }
    return status;
  }
};
/// The second half of a row is read after the first is written.
struct WritesEarly {
  static constexpr std::span<const DType> dtypes = bf16_f32;
  static int work(const Call& call) {
    in_type(call, [&](auto& rows) {
      const std::int64_t half = call.n / 2;
      for (std::int64_t r = 0; r < call.rows; ++r) {
        do_row<Right>(rows, r, call.y + call.at(r));
        const std::size_t bytes = static_cast<std::size_t>(half) * call.size();
        std::vector<std::byte> start(call.y + call.at(r), call.y + call.at(r) + bytes);
        do_row<Right>(rows, r, call.y + call.at(r));
        std::memcpy(call.y + call.at(r), start.data(), bytes);
      }
    });
    return NC_OK;
  }
};

constexpr std::array listed = {
    whole<RoundedDown>({"B106", alignment, "https://github.com/microsoft/onnxruntime/pull/15054",
                        "loads vectors from an address that is none of theirs"}),
    stepped<ScratchOffset>({"B107", alignment, "https://github.com/flashinfer-ai/flashinfer/pull/636",
                            "an offset in scratch memory that is not rounded up, for some widths"}),
    bare<NoOffset>({"B139", layout, "https://github.com/pytorch/pytorch/issues/131750",
                    "reads a slice from the beginning of its buffer"}),
    bare<NoStrides>({"B140", layout, "https://github.com/microsoft/DirectML/issues/588",
                     "reads a permuted x as if it lay dense"}),
    bare<TwoIndices>({"B142", layout, "https://github.com/ModelTC/LightLLM/issues/1467",
                      "the statistics heed the strides, the last pass does not"}),
    bare<PitchOfX>({"B145", layout, "https://github.com/NVIDIA/TensorRT-LLM/pull/14810",
                    "one distance of rows for two arrays that have one each"}),
    whole<WorksInX>({"B147", alias, "https://github.com/GeeeekExplorer/nano-vllm/issues/170",
                     "works in x itself where no conversion makes a copy"}),
    whole<WritesEarly>({"B149", alias, "https://github.com/sgl-project/sglang/pull/28005",
                        "writes part of a row before it has read all of it", "inplace=yes"}),
};

}  // namespace

std::span<const Defect> memory_defects() { return listed; }

}  // namespace normcheck
