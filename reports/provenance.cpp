// Names the build and the machine that a result comes from.
#include "reports/provenance.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cfenv>
#include <fstream>
#include <limits>
#include <thread>

namespace normcheck {
namespace {

std::string compiler() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("g++ {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown compiler";
#endif
}

std::string instruction_set() {
#if defined(__x86_64__)
  std::string set = "x86-64";
#if defined(__AVX512F__)
  set += " avx512f";
#endif
#if defined(__AVX2__)
  set += " avx2";
#endif
#if defined(__FMA__)
  set += " fma";
#endif
#if !defined(__AVX__)
  set += " (baseline: sse2, no fma)";
#endif
  return set;
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const auto colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos && colon + 2 <= line.size()) {
      return line.substr(colon + 2);
    }
  }
  return "unknown";
}

std::string kernel() {
  utsname name{};
  if (uname(&name) != 0) return "unknown";
  return fmt::format("{} {} {}", name.sysname, name.release, name.machine);
}

}  // namespace

std::string version_number() { return NORMCHECK_VERSION; }

std::string version_text() {
  return fmt::format("normcheck {}\ncompiler         {}\nflags            {}\ninstruction set  {}",
                     version_number(), compiler(), NORMCHECK_BUILD_FLAGS, instruction_set());
}

std::vector<std::pair<std::string, std::string>> provenance() {
  const std::string fault = float_environment_fault();
  return {{"version", version_number()},
          {"compiler", compiler()},
          {"flags", NORMCHECK_BUILD_FLAGS},
          {"instruction_set", instruction_set()},
          {"processor", processor()},
          {"cores", std::to_string(std::thread::hardware_concurrency())},
          {"system", kernel()},
          {"floating_point", fault.empty() ? "to nearest, subnormals kept" : fault}};
}

std::string float_environment_fault() {
  if (std::fegetround() != FE_TONEAREST) return "the rounding mode is not to-nearest";
  const volatile float tiny = std::numeric_limits<float>::min();
  const volatile float half = tiny * 0.5F;
  if (!(half > 0)) return "subnormal numbers are flushed to zero";
  return {};
}

}  // namespace normcheck
