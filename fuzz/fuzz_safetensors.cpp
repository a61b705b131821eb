// Fuzz target: are any bytes either refused with an InputError or tensors that are written and read alike?
#include "corpus/safetensors.h"
#include "fuzz/dump_claims.h"
#include "fuzz/target.h"
#include "fuzz/written.h"

namespace normcheck {

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto dump = read_or_refused([&] { return open_safetensors(bytes_of(text, "input.safetensors")); });
  if (!dump) return 1;
  const NamedTensors tensors = readable(**dump);
  const std::size_t held = [&] {
    std::size_t sum = 0;
    for (const auto& [name, tensor] : tensors) sum += tensor.data.size();
    return sum;
  }();
  demand(held <= text.size(), "no byte is read twice");
  const std::string written = written_safetensors(tensors);
  demand_holds(*open_safetensors(bytes_of(written, "written.safetensors")), tensors);
  return 2;
}

}  // namespace normcheck
