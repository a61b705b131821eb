// Chooses the instruction set at run time, and looks at the floating-point environment before anything else.
#include "oracles/filter/filter.h"

#include <cfenv>
#include <cmath>
#include <limits>

#ifdef NORMCHECK_FILTER_X86
#include <cpuid.h>
#endif

namespace normcheck::filter {

#define NORMCHECK_FILTER_SET(name)                                            \
  namespace name {                                                            \
  void run(const Rows& rows, const Elements& out, RowStatistics* statistics); \
  }
NORMCHECK_FILTER_SET(baseline)
#ifdef NORMCHECK_FILTER_X86
NORMCHECK_FILTER_SET(avx2)
NORMCHECK_FILTER_SET(avx512)
#endif
#undef NORMCHECK_FILTER_SET

namespace {

bool detect(InstructionSet set) {
#ifdef NORMCHECK_FILTER_X86
  unsigned a = 0, b = 0, c = 0, d = 0;  // f16c has no name for the builtin in clang 14
  const bool f16c = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
  const bool avx2 = f16c && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (set == InstructionSet::avx2) return avx2;
  if (set == InstructionSet::avx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
  }
#endif
  return set == InstructionSet::baseline;
}

/// Rounding to nearest, and subnormal numbers neither read as 0 nor flushed to it.
bool environment_is_ieee() {
#ifdef NORMCHECK_FILTER_X86
  return (__builtin_ia32_stmxcsr() & 0xe040U) == 0;  // flush to zero, rounding, denormals are zeros
#else
  // Seen by what they do, and kept from the compiler, which knows what they would do by default.
  volatile double smallest = std::numeric_limits<double>::min(), half = 0.5;
  volatile double subnormal = smallest * half;
  return std::fegetround() == FE_TONEAREST && subnormal != 0 && subnormal * 2 == smallest;
#endif
}

void leave_all(const Rows& rows, const Elements& out, RowStatistics* statistics) {
  for (std::int64_t r = 0; statistics != nullptr && r < rows.rows; ++r) {
    statistics[r] = RowStatistics{};
    statistics[r].path = Path::environment;
  }
  for (std::int64_t i = 0; rows.got != nullptr && i < rows.rows * rows.n; ++i) {
    if (out.reference != nullptr) out.reference[i] = std::numeric_limits<double>::quiet_NaN();
    out.error_ulp[i] = std::numeric_limits<double>::quiet_NaN();
    out.uncertainty[i] = std::numeric_limits<double>::infinity();
  }
}

}  // namespace

const char* instruction_set_name(InstructionSet set) {
  constexpr const char* names[] = {"baseline", "avx2", "avx512"};
  return names[static_cast<int>(set)];
}

bool has(InstructionSet set) {
  static const bool found[] = {detect(kInstructionSets[0]), detect(kInstructionSets[1]),
                               detect(kInstructionSets[2])};
  return found[static_cast<int>(set)];
}

InstructionSet widest() {
  static const InstructionSet chosen = has(InstructionSet::avx512) ? InstructionSet::avx512
                                       : has(InstructionSet::avx2) ? InstructionSet::avx2
                                                                   : InstructionSet::baseline;
  return chosen;
}

void columns(const double* in, std::int64_t n, double* out) {
  for (std::int64_t i = 0; i < n; ++i) {
    const double size = std::fabs(in[i]);
    const bool fits = size == 0 || (size >= 0x1p-300 && size <= 0x1p+300);
    out[i] = fits ? in[i] : std::numeric_limits<double>::quiet_NaN();
  }
}

void run(const Rows& rows, const Elements& out, RowStatistics* statistics, InstructionSet set) {
  if (rows.rows <= 0 || rows.n <= 0) return;
  if (!environment_is_ieee()) return leave_all(rows, out, statistics);
  switch (set) {
#ifdef NORMCHECK_FILTER_X86
    case InstructionSet::avx512:
      return avx512::run(rows, out, statistics);
    case InstructionSet::avx2:
      return avx2::run(rows, out, statistics);
#endif
    default:
      return baseline::run(rows, out, statistics);
  }
}

}  // namespace normcheck::filter
