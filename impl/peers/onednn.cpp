// oneDNN's layer normalization (v2 API) as a plug-in: f32, and bf16 where its processor has AVX-512.
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>

#include "impl/peers/peer.h"

namespace {

using dnnl::layer_normalization_forward;
using dnnl::memory;
using dnnl::normalization_flags;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

layer_normalization_forward::primitive_desc described(memory::data_type dtype, memory::dim rows,
                                                      memory::dim n, float eps, normalization_flags flags) {
  const memory::desc data({rows, n}, dtype, memory::format_tag::ab);
  const layer_normalization_forward::desc what(dnnl::prop_kind::forward_inference, data, eps, flags);
  return {what, engine(), true};  // empty where it is not offered
}

/// The statistics stay inside; scale and shift are f32 for every dtype.
int norm(memory::data_type dtype, void* y, const void* x, const float* gamma, const float* beta, float eps,
         memory::dim rows, memory::dim n) {
  try {
    auto flags = normalization_flags::none;
    if (gamma != nullptr) flags |= normalization_flags::use_scale;
    if (beta != nullptr) flags |= normalization_flags::use_shift;
    const auto what = described(dtype, rows, n, eps, flags);
    const auto view = [](const memory::desc& desc, const void* data) {
      return memory(desc, engine(), const_cast<void*>(data));
    };
    const memory::desc parameter({n}, memory::data_type::f32, memory::format_tag::a);
    std::unordered_map<int, memory> arguments = {{DNNL_ARG_SRC, view(what.src_desc(), x)},
                                                 {DNNL_ARG_DST, view(what.dst_desc(), y)}};
    if (gamma != nullptr) arguments.insert({DNNL_ARG_SCALE, view(parameter, gamma)});
    if (beta != nullptr) arguments.insert({DNNL_ARG_SHIFT, view(parameter, beta)});
    dnnl::stream stream(engine());
    layer_normalization_forward(what).execute(stream, arguments);
    stream.wait();
    return 0;
  } catch (const dnnl::error& e) {
    return e.status;
  }
}

int norm_f32(float* y, const float* x, const float* gamma, const float* beta, float eps, std::int64_t rows,
             std::int64_t n) {
  return norm(memory::data_type::f32, y, x, gamma, beta, eps, rows, n);
}
int norm_bf16(std::uint16_t* y, const std::uint16_t* x, const float* gamma, const float* beta, float eps,
              std::int64_t rows, std::int64_t n) {
  return norm(memory::data_type::bf16, y, x, gamma, beta, eps, rows, n);
}

const char* reason(const nc_call* c) {
  static const bool has_bf16 =
      static_cast<bool>(described(memory::data_type::bf16, 2, 16, 1e-5F, normalization_flags::none));
  return c->x->dtype_code == NC_BFLOAT && !has_bf16 ? "no bf16 without AVX-512" : nullptr;
}

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  const auto isa = [] {
    switch (dnnl::get_effective_cpu_isa()) {
      case dnnl::cpu_isa::sse41:
        return "SSE41";
      case dnnl::cpu_isa::avx:
        return "AVX";
      case dnnl::cpu_isa::avx2:
        return "AVX2";
      case dnnl::cpu_isa::avx2_vnni:
        return "AVX2_VNNI";
      case dnnl::cpu_isa::avx512_core:
        return "AVX512_CORE";
      case dnnl::cpu_isa::avx512_core_vnni:
        return "AVX512_CORE_VNNI";
      case dnnl::cpu_isa::avx512_core_bf16:
        return "AVX512_CORE_BF16";
      default:
        return "another instruction set";
    }
  };
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch) + " " +
         isa();
}

}  // namespace

NORMCHECK_PEER(normcheck::peer<reason>(
    normcheck::plugin<norm_f32, norm_bf16>("onednn").bf16().null_when_absent(), version()))
