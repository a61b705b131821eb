// A layer norm as somebody's shared object, with one fault where the build plants it.
#include <unistd.h>

#include <cfenv>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "impl/plugin/normcheck_plugin.hpp"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#ifndef PLANTED
#define PLANTED right
#endif
#define NAME_OF(x) #x
#define NAME(x) NAME_OF(x)

namespace {

enum class Fault {
  right,
  divisor,
  over,
  input,
  unwritten,
  segv,
  ends,
  raises,
  rounding,
  later,
  floods,
  hangs,
  before,
  crashes,
  thrown_int,
  closes,
  mutes,
  flushes,
  flushes_at_load,
  sends_segv,
  few_rows  ///< those past 2^23 are left
};

/// As an object that was linked with -ffast-math does.
[[maybe_unused]] const bool flushed_at_load = [] {
#if defined(__x86_64__)
  constexpr Fault fault = Fault::PLANTED;
  if (fault == Fault::flushes_at_load) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  return true;
}();

void norm(float* y, const float* x, const float* gamma, const float* beta, float eps, std::int64_t rows,
          std::int64_t n) {
  constexpr Fault fault = Fault::PLANTED;
  static int calls = 0;
  ++calls;
  const std::int64_t most = fault == Fault::few_rows ? std::int64_t{1} << 23 : rows;
  for (std::int64_t r = 0; r < rows && r < most; ++r) {
    const float* in = x + r * n;
    float* out = y + r * n;
    float sum = 0, squares = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += in[i];
    const auto count = static_cast<float>(n);
    const float mean = sum / count;
    for (std::int64_t i = 0; i < n; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const float rstd = 1 / std::sqrt(squares / (fault == Fault::divisor ? count - 1 : count) + eps);
    for (std::int64_t i = 0; i < n; ++i) {
      if (fault != Fault::unwritten || i + 1 < n) out[i] = (in[i] - mean) * rstd * gamma[i] + beta[i];
    }
  }
  if (fault == Fault::over) y[rows * n] = 1;
  if (fault == Fault::input) const_cast<float*>(x)[0] = 7;
  if (fault == Fault::before) y[-3] = 1;
  if (fault == Fault::crashes && calls % 4 == 3) *reinterpret_cast<volatile int*>(16) = 1;
  if (fault == Fault::thrown_int && calls == 3) throw 7;
  if (fault == Fault::closes) close(1);
  if (fault == Fault::mutes && calls == 3) close_range(3, ~0U, 0);
#if defined(__x86_64__)
  if (fault == Fault::flushes) _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
  if (fault == Fault::segv && calls == 3) std::abort();
  if (fault == Fault::sends_segv && calls == 3) std::raise(SIGSEGV);
  if (fault == Fault::ends && calls == 3) std::exit(3);
  if (fault == Fault::raises) throw std::runtime_error("no such kernel");
  if (fault == Fault::rounding) std::fesetround(FE_UPWARD);
  if (fault == Fault::later && calls > 10) y[0] += 1;
  for (int i = 0; fault == Fault::floods && i < 3000; ++i) std::printf("%0100d\n", i);
  for (volatile bool more = fault == Fault::hangs; more;) {
  }
}

}  // namespace

NORMCHECK_PLUGIN(normcheck::plugin<norm>(NAME(PLANTED)))
