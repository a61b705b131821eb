// The writers as they are.
#include "fuzz/written.h"

#include "corpus/case_file.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"

namespace normcheck {

std::string written_case(const Case& c) { return format_case(c); }
std::string written_npy(const Tensor& t) { return format_npy(t); }
std::string written_npz(const NamedTensors& tensors, bool deflate) { return format_npz(tensors, deflate); }
std::string written_safetensors(const NamedTensors& tensors) { return format_safetensors(tensors); }
std::string written_onnx(const std::string& name, const Tensor& t) { return format_onnx_tensor(name, t); }

}  // namespace normcheck
