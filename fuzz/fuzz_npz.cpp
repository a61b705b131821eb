// Fuzz target: are any bytes either refused with an InputError or an archive that is written and read alike?
#include "corpus/npz.h"
#include "fuzz/dump_claims.h"
#include "fuzz/target.h"
#include "fuzz/written.h"

namespace normcheck {
namespace {

/// Small, so that no short archive makes a slow unit; that the limit holds is part of what is tried.
constexpr std::uint64_t most = 1 << 18;

NamedTensors read_archive(const std::string& bytes, bool check_crc) {
  const auto source = bytes_of(bytes, "input.npz");
  const auto dump = read_or_refused([&] { return open_npz(source, {.size = most, .check_crc = check_crc}); });
  return dump ? readable(**dump) : NamedTensors();
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // No fuzzer guesses a checksum, so that what lies behind it is reached by leaving it out.
  const NamedTensors unchecked = read_archive(text, false);
  for (const auto& tensor : read_archive(text, true))
    demand(std::find(unchecked.begin(), unchecked.end(), tensor) != unchecked.end(),
           "the checksum decides whether a tensor is read, not what it is");
  if (unchecked.empty()) return 2;
  for (const bool deflate : {false, true}) {
    const std::string written = written_npz(unchecked, deflate);
    demand_holds(*open_npz(bytes_of(written, "written.npz")), unchecked);
    demand(written_npz(unchecked, deflate) == written, "tensors have one archive");
  }
  return 4;
}

}  // namespace normcheck
