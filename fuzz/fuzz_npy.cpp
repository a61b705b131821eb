// Fuzz target: are any bytes either refused with an InputError or an array that is written and read alike?
#include <cstdio>
#include <cstdlib>
#include <string>

#include "corpus/error.h"
#include "corpus/npy.h"
#include "fuzz/target.h"
#include "fuzz/written.h"

namespace normcheck {
namespace {

void demand(bool kept, const char* promise) {
  if (kept) return;
  std::fprintf(stderr, "FAIL  fuzz_npy  %s\n", promise);
  std::abort();
}

void round_trip(std::string_view bytes, std::optional<DType> as) {
  Tensor first;
  try {
    first = parse_npy(bytes, "input", as);
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(!line.empty() && line.find('\n') == line.npos, "an error is one line");
    return;
  }
  const std::string written = written_npy(first);
  try {
    const Tensor again = parse_npy(written, "written", first.dtype);
    demand(again == first, "what was written is the same array");
    demand(written_npy(again) == written, "an array has one form");
  } catch (const InputError& error) {
    demand(false, error.what());
  }
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  round_trip(text, std::nullopt);
  round_trip(text, DType::bf16);  // the two spellings of bf16 are read only where it is asked for
  return 2;
}

}  // namespace normcheck
