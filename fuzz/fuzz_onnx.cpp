// Fuzz target: are any bytes either refused with an InputError or an ONNX tensor that is written and read
// alike?
#include "corpus/onnx_tensor.h"
#include "corpus/onnx_vector.h"
#include "fuzz/dump_claims.h"
#include "fuzz/target.h"
#include "fuzz/written.h"

namespace normcheck {

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const std::optional<DType> as : {std::optional<DType>(), std::optional(DType::bf16)}) {
    const auto read = read_or_refused([&] { return parse_onnx_tensor(text, "input", as); });
    if (!read) continue;
    const std::string& name = read->first;
    const Tensor& tensor = read->second;
    demand(static_cast<std::uint64_t>(tensor.size()) <= text.size(), "every number takes a byte at least");
    const std::string written = written_onnx(name, tensor);
    const auto again = read_or_refused([&] { return parse_onnx_tensor(written, "written", tensor.dtype); });
    demand(again.has_value(), "what was written is read");
    demand(again->first == name && again->second == tensor, "what was written is the same tensor");
  }
  read_or_refused([&] { return parse_onnx_model(text, "model"); });
  return 3;
}

}  // namespace normcheck
