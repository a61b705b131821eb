// The probes of an implementation as a block of the check's output.
#pragma once

#include <string>

#include "reports/console.h"
#include "reports/sweep.h"

namespace normcheck {

/// By what they came to, worst first: a line each with the probes' names; empty where none were run.
std::string probes_text(const SweepEntry& entry, const Style& style);

/// Why a probe without a finding says nothing; empty where it passed.
std::string not_judged(const ProbeTally& tally);

/// NOTE lines of an entry: what was not run; of its probes each one's first, with how many more.
std::string entry_notes(const SweepEntry& entry);

}  // namespace normcheck
