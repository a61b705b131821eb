// Reads and writes the control registers; the standard functions say nothing of flush-to-zero.
#include "impl/plugin/fp_environment.h"

#include <cfenv>
#include <string_view>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace normcheck {
namespace {

void say(std::string& text, std::string_view what) {
  if (!text.empty()) text += ", ";
  text += what;
}

[[maybe_unused]] void say_switch(std::string& text, std::uint64_t changed, std::uint64_t after,
                                 std::uint64_t bit, std::string_view name) {
  if ((changed & bit) != 0) say(text, std::string(name) + ((after & bit) != 0 ? " on" : " off"));
}

}  // namespace

#if defined(__x86_64__)

namespace {
constexpr std::uint64_t flags = 0x3f, denormals_are_zero = 0x40, masks = 0x1f80, rounding = 0x6000,
                        flush_to_zero = 0x8000;
constexpr std::uint64_t x87_masks = 0x3f, x87_precision = 0x300, x87_rounding = 0xc00;
constexpr std::string_view modes[] = {"to nearest", "downward", "upward", "toward zero"};
}  // namespace

FpEnvironment fp_environment() {
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  return {_mm_getcsr() & ~flags, x87 & (x87_masks | x87_precision | x87_rounding)};
}

void set_fp_environment(const FpEnvironment& environment) {
  std::uint16_t x87 = 0;
  __asm__ volatile("fnstcw %0" : "=m"(x87));
  const auto wanted = static_cast<std::uint16_t>((x87 & ~(x87_masks | x87_precision | x87_rounding)) |
                                                 static_cast<std::uint16_t>(environment.x87));
  // Raised flags whose masks come off would trap at the next operation, so they are cleared with them.
  if (x87 != wanted) __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(wanted));
  _mm_setcsr(static_cast<unsigned>(environment.control));
}

std::string fp_change(const FpEnvironment& before, const FpEnvironment& after) {
  std::string out;
  const std::uint64_t changed = before.control ^ after.control, x87 = before.x87 ^ after.x87;
  say_switch(out, changed, after.control, flush_to_zero, "flush-to-zero");
  say_switch(out, changed, after.control, denormals_are_zero, "denormals-are-zero");
  if ((changed & rounding) != 0) say(out, "rounding " + std::string(modes[(after.control & rounding) >> 13]));
  if ((changed & masks) != 0) say(out, "other exceptions trap");
  if ((x87 & x87_rounding) != 0 && (changed & rounding) == 0)
    say(out, "x87 rounding " + std::string(modes[(after.x87 & x87_rounding) >> 10]));
  if ((x87 & x87_precision) != 0) say(out, "x87 precision changed");
  if ((x87 & x87_masks) != 0) say(out, "other x87 exceptions trap");
  return out;
}

#elif defined(__aarch64__)

namespace {
constexpr std::uint64_t flush_halves = 1U << 19, flush_to_zero = 1U << 24, default_nan = 1U << 25,
                        traps = 0x9f00, rounding = 3U << 22;
constexpr std::string_view modes[] = {"to nearest", "upward", "downward", "toward zero"};
}  // namespace

FpEnvironment fp_environment() {
  std::uint64_t fpcr = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  return {fpcr, 0};
}

void set_fp_environment(const FpEnvironment& environment) {
  __asm__ volatile("msr fpcr, %0" : : "r"(environment.control));
}

std::string fp_change(const FpEnvironment& before, const FpEnvironment& after) {
  std::string out;
  const std::uint64_t changed = before.control ^ after.control;
  say_switch(out, changed, after.control, flush_to_zero, "flush-to-zero");
  say_switch(out, changed, after.control, flush_halves, "flush-to-zero of halves");
  say_switch(out, changed, after.control, default_nan, "default NaN");
  if ((changed & rounding) != 0) say(out, "rounding " + std::string(modes[(after.control & rounding) >> 22]));
  if ((changed & traps) != 0) say(out, "other exceptions trap");
  return out.empty() && changed != 0 ? "other bits of FPCR" : out;
}

#else

FpEnvironment fp_environment() { return {static_cast<std::uint64_t>(std::fegetround()), 0}; }
void set_fp_environment(const FpEnvironment& e) { std::fesetround(static_cast<int>(e.control)); }
std::string fp_change(const FpEnvironment& before, const FpEnvironment& after) {
  std::string out;
  if (before != after) say(out, "another rounding mode");
  return out;
}

#endif

}  // namespace normcheck
