// Writers that lose a sign or turn a bit: the reader targets must see it.
#include "corpus/case_file.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"
#include "fuzz/written.h"

namespace normcheck {
namespace {

Tensor turned(Tensor t) {
  if (!t.data.empty()) t.data.back() ^= std::byte{1};
  return t;
}

NamedTensors turned(NamedTensors tensors) {
  for (auto& [name, tensor] : tensors) tensor = turned(tensor);
  return tensors;
}

}  // namespace

std::string written_case(const Case& c) {
  std::string text = format_case(c);
  if (const auto at = text.find(" -0x"); at != text.npos) text.erase(at + 1, 1);
  return text;
}

std::string written_npy(const Tensor& t) { return format_npy(turned(t)); }
std::string written_npz(const NamedTensors& tensors, bool deflate) {
  return format_npz(turned(tensors), deflate);
}
std::string written_safetensors(const NamedTensors& tensors) { return format_safetensors(turned(tensors)); }
std::string written_onnx(const std::string& name, const Tensor& t) {
  return format_onnx_tensor(name, turned(t));
}

}  // namespace normcheck
