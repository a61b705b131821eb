// PyTorch's native_layer_norm (libtorch, CPU) as a plug-in: f32 and f64 with mean and rstd, bf16 with y
// alone.
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/native_layer_norm.h>
#include <torch/csrc/api/include/torch/version.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <type_traits>

#include "impl/peers/peer.h"

namespace {

template <class T>
constexpr at::ScalarType scalar_type = std::is_same_v<T, float>    ? at::kFloat
                                       : std::is_same_v<T, double> ? at::kDouble
                                                                   : at::kBFloat16;

template <class T>
at::Tensor view(const T* data, at::IntArrayRef shape) {
  return at::from_blob(const_cast<T*>(data), shape, at::TensorOptions().dtype(scalar_type<T>));
}

/// Its three outputs, in tensors of its own; an absent gamma or beta stays absent.
template <class T>
std::tuple<at::Tensor, at::Tensor, at::Tensor> outputs(const T* x, const T* gamma, const T* beta, double eps,
                                                       std::int64_t rows, std::int64_t n) {
  const at::NoGradGuard no_graph;
  const auto optional = [n](const T* data) {
    return data == nullptr ? c10::optional<at::Tensor>() : view(data, {n});
  };
  return at::native_layer_norm(view(x, {rows, n}), {n}, optional(gamma), optional(beta), eps);
}

void copy(void* to, const at::Tensor& from) {
  if (to != nullptr) std::memcpy(to, from.contiguous().data_ptr(), from.nbytes());
}

template <class T>
void norm(T* y, T* mean, T* rstd, const T* x, const T* gamma, const T* beta, double eps, std::int64_t rows,
          std::int64_t n) {
  const auto [out, means, deviations] = outputs(x, gamma, beta, eps, rows, n);
  copy(y, out);
  copy(mean, means);
  copy(rstd, deviations);
}

/// Of bf16 its statistics are bf16 too: they are left to it. Parameters of f32 it refuses here.
void norm_bf16(std::uint16_t* y, const std::uint16_t* x, const std::uint16_t* gamma,
               const std::uint16_t* beta, double eps, std::int64_t rows, std::int64_t n) {
  copy(y, std::get<0>(outputs(x, gamma, beta, eps, rows, n)));
}

std::string version() {
  const std::string config = at::show_config(), key = "CPU capability usage: ";
  const auto from = config.find(key);
  std::string out = TORCH_VERSION;
  if (from != std::string::npos)
    out += " " + config.substr(from + key.size(), config.find('\n', from) - from - key.size());
  return out + ", threads " + std::to_string(at::get_num_threads());
}

}  // namespace

NORMCHECK_PEER(normcheck::peer<normcheck::no_reason>(
    normcheck::plugin<norm<float>, norm<double>, norm_bf16>("torch").bf16().null_when_absent(), version()))
