// The entry that libFuzzer (and every engine that speaks its language) calls, and what is said at the end.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "fuzz/feedback.h"
#include "fuzz/target.h"

namespace normcheck {
namespace {

/// Says at the end of the process what was done: a run that did nothing looks like a clean one.
struct Tally {
  std::int64_t executions = 0;
  std::int64_t checks = 0;
  std::chrono::steady_clock::duration slowest{};

  ~Tally() {
    if (executions == 0) return;
    const double ms = std::chrono::duration<double, std::milli>(slowest).count();
    std::fprintf(stderr, "record %lld checks in %lld executions, the slowest %.1f ms\n%s",
                 static_cast<long long>(checks), static_cast<long long>(executions), ms,
                 records_text(5).c_str());
  }
};

}  // namespace

std::string_view target_name() { return NORMCHECK_TARGET; }

}  // namespace normcheck

// Asked by ASan, where it is built in; ASAN_OPTIONS overrides it. What an execution frees is kept from use
// for the next 16 MB: with the default of 256 each execution takes new pages.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static normcheck::Tally tally;
  const auto start = std::chrono::steady_clock::now();
  tally.checks += normcheck::run_input({data, size}, normcheck::Extent::selected);
  tally.slowest = std::max(tally.slowest, std::chrono::steady_clock::now() - start);
  ++tally.executions;
  return 0;
}
