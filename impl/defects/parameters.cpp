// gamma and beta read as another type, y written as one, integers, no rows, one element.
#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "impl/defects/report.h"
#include "impl/plugin/normcheck_plugin.hpp"

namespace normcheck {
namespace {

using namespace defect;

constexpr std::string_view type = "another type of gamma, beta or y";
constexpr std::string_view integers = "an x of integers";
constexpr std::string_view empty = "no rows";
constexpr std::string_view single = "one element";
constexpr const char* refuses = "integers=refuse;refuses=int";

struct Plain : Right {};

/// n elements of `wrong` from the bytes of n of `dtype`; those past the end are 0.
std::vector<std::byte> bytes_as(const std::byte* from, DType dtype, DType wrong, std::int64_t n) {
  std::vector<std::byte> out(static_cast<std::size_t>(n) * size_of(wrong));
  if (from != nullptr)
    std::memcpy(out.data(), from, std::min(out.size(), static_cast<std::size_t>(n) * size_of(dtype)));
  return out;
}

/// A bf16 array read as f32.
struct ReadWide {
  static constexpr std::span<const DType> dtypes = bf16;
  static int work(const Call& call) {
    if (call.gamma == nullptr || call.gamma_dtype != DType::bf16) return all_rows<Plain>(call);
    const auto gamma = bytes_as(call.gamma, DType::bf16, DType::f32, call.n);
    Call other = call;
    other.gamma = gamma.data();
    other.gamma_dtype = DType::f32;
    return all_rows<Plain>(other);
  }
};
/// f32 parameters read as x's type.
struct ReadNarrow {
  static constexpr std::span<const DType> dtypes = f16;
  static int work(const Call& call) {
    Call other = call;
    other.gamma_dtype = other.beta_dtype = call.storage;
    return all_rows<Plain>(other);
  }
};
/// Multiplies by an f32 gamma behind the cast, so that y is f32; as many as have room are written.
struct WideOutput {
  static constexpr std::span<const DType> dtypes = bf16;
  struct Steps : Right {
    template <class R>
    static void write(const Line<R>& l, const R* y, std::byte* to) {
      store(DType::f32, y, l.n(), to);
    }
  };
  static int work(const Call& call) {
    if (call.gamma == nullptr || call.gamma_dtype != DType::f32) return all_rows<Plain>(call);
    std::vector<std::byte> wide(2 * call.at(call.rows));
    in_type(call, [&](auto& rows) {
      for (std::int64_t r = 0; r < call.rows; ++r) do_row<Steps>(rows, r, wide.data() + 2 * call.at(r));
    });
    std::memcpy(call.y, wide.data(), call.at(call.rows));
    return NC_OK;
  }
};

/// Takes integers, and puts y into their type: -1, 0 and 1.
struct IntegerOutput {
  static constexpr std::span<const DType> dtypes = f32;
  struct Steps : Right {
    static constexpr std::span<const DType> dtypes = f32;
  };
  static int run(const nc_call* c) {
    if (c->x->dtype_code != NC_INT || !plugin_detail::contiguous(c->x)) return by_steps<Steps>(c);
    const std::int64_t size = plugin_detail::product(c->x, 0, c->x->ndim);
    std::memset(first(*c->y), 0, static_cast<std::size_t>(size) * (c->y->dtype_bits / 8U));
    return NC_OK;
  }
};
/// Nothing to do is said before the dtype is looked at.
struct EmptyFirst {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    if (plugin_detail::product(c->x, 0, c->x->ndim) == 0) return NC_OK;
    return by_steps<IntegerOutput::Steps>(c);
  }
};

/// Divides by the number of rows to share them out, in integers.
struct DividesByRows {
  static constexpr std::span<const DType> dtypes = f32;
  static int run(const nc_call* c) {
    if (plugin_detail::fault(c) == nullptr && plugin_detail::Extents(c).rows == 0) std::raise(SIGFPE);
    return by_steps<IntegerOutput::Steps>(c);
  }
};
struct NotOne {
  static constexpr std::span<const DType> dtypes = f32;
  static int work(const Call& call) {
    if (call.n == 1) throw std::invalid_argument("the normalized size must be larger than 1");
    return all_rows<IntegerOutput::Steps>(call);
  }
};

constexpr std::array listed = {
    whole<ReadWide>({"B131", type, "https://github.com/openxla/xla/pull/10875",
                     "reads a bf16 gamma as f32, two elements as one"}),
    whole<ReadNarrow>(
        {"B132", type, "https://github.com/NVIDIA/apex/issues/760", "reads f32 parameters as x's type"}),
    whole<WideOutput>({"B134", type, "https://github.com/huggingface/transformers/issues/30236",
                       "y comes out as gamma's type, f32"}),
    bare<IntegerOutput>({"B137", integers, "https://github.com/keras-team/keras/issues/23708",
                         "takes integers, and rounds y to them", refuses}),
    bare<EmptyFirst>({"B138", integers, "https://github.com/pytorch/pytorch/issues/78444",
                      "takes integers where there are none to be looked at", refuses}),
    bare<DividesByRows>({"B151", empty, "https://github.com/tensorflow/tensorflow/issues/46366",
                         "divides by the number of rows, 0", nullptr, true}),
    whole<NotOne>({"B154", single, "https://github.com/microsoft/onnxruntime/issues/25896",
                   "throws for rows of one element"}),
};

}  // namespace

std::span<const Defect> parameter_defects() { return listed; }

}  // namespace normcheck
