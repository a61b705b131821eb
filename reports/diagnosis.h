// What all findings of an implementation have in common: one mistake shows itself in many of them.
#pragma once

#include <string>

#include "reports/sweep.h"

namespace normcheck {

/// The explanation that fits most of the findings that were kept, and at least half (of several, the one that
/// comes first in most). A finding with a fault beside its numbers (an element unwritten, a changed rounding
/// mode) is none.
struct CommonCause {
  std::string name;  ///< empty: nothing explains half of them
  bool convention = false;
  int explained = 0;  ///< findings
  int findings = 0;   ///< that show a wrong number
};

/// Explains each finding of a number; those of probes are none.
CommonCause common_cause(SweepEntry& entry);

/// "eps outside the root: sqrt(var) + eps (explains 31 of the 34 wrong outputs that were kept)"; empty where
/// nothing explains any.
std::string cause_text(const CommonCause& cause);

}  // namespace normcheck
