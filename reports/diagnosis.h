// What all findings of an implementation have in common: one mistake shows itself in many of them.
#pragma once

#include <string>

#include "reports/sweep.h"

namespace normcheck {

/// The explanation that fits most of the findings that were kept (of several, the one that comes first in
/// most).
struct CommonCause {
  std::string name;  ///< empty: nothing explains any
  bool convention = false;
  int explained = 0;  ///< findings
  int findings = 0;   ///< that show a wrong number
};

/// Explains each finding of a number; those of probes are none.
CommonCause common_cause(SweepEntry& entry);

/// "eps outside the root: sqrt(var) + eps (31 of 34 findings)"; empty where nothing explains any.
std::string cause_text(const CommonCause& cause);

}  // namespace normcheck
