// The floating-point environment of this thread: rounding, flush-to-zero, masks; not the sticky flags.
#pragma once

#include <cstdint>
#include <string>

namespace normcheck {

/// The control bits as they stand: MXCSR and the x87 control word, or FPCR; elsewhere fegetround.
struct FpEnvironment {
  std::uint64_t control = 0;
  std::uint64_t x87 = 0;
  friend bool operator==(const FpEnvironment&, const FpEnvironment&) = default;
};

FpEnvironment fp_environment();
void set_fp_environment(const FpEnvironment& environment);

/// What `after` has other than `before`, in words: "flush-to-zero on, rounding upward"; empty if nothing.
std::string fp_change(const FpEnvironment& before, const FpEnvironment& after);

}  // namespace normcheck
