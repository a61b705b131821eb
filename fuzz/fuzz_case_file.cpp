// Fuzz target: is any text either refused with an InputError or a case with one canonical text?
#include <cstdio>
#include <cstdlib>
#include <string>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/target.h"
#include "fuzz/written.h"

namespace normcheck {
namespace {

/// Small, so that no short text makes a slow unit; that the limits hold is part of what is tried.
constexpr CaseLimits limits = {.written = 1 << 14, .generated = 1 << 14};

void demand(bool kept, const char* promise, std::string_view text) {
  if (kept) return;
  std::fprintf(stderr, "FAIL  fuzz_case_file  %s\n%.*s\n", promise, static_cast<int>(text.size()),
               text.data());
  std::abort();
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Case first;
  try {
    first = parse_case(text, "input", limits);
  } catch (const InputError& error) {
    const std::string_view line = error.what();
    demand(!line.empty() && line.find('\n') == line.npos, "an error is one line", line);
    return 1;
  }
  const std::string canonical = written_case(first);
  try {
    const Case again = parse_case(canonical, "canonical");
    demand(same_case(first, again), "the canonical text is the same case", canonical);
    demand(written_case(again) == canonical, "the canonical text is its own canonical text", canonical);
  } catch (const InputError& error) {
    demand(false, error.what(), canonical);
  }
  return 1;
}

}  // namespace normcheck
