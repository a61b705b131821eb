// What the terminal shows beside findings: tables by regime, what two oracles say, the six steps.
#pragma once

#include <string>
#include <string_view>

#include "impl/trace.h"
#include "reports/console.h"
#include "reports/finding_text.h"
#include "reports/sweep.h"

namespace normcheck {

/// One implementation at one dtype: a line a regime.
std::string entry_text(const SweepEntry& entry, const Style& style);

/// The head of a table of implementations, and one at one dtype as a line of it.
std::string entries_head(const Style& style);
std::string entry_line(const SweepEntry& entry, const Style& style);

/// The worst element of y as the two oracles see it, each by itself: the exact value, and the error of what
/// came out. Empty where there is no number to see (a non-finite input, var+eps 0).
std::string truth_text(const Case& c, const Judgement& judgement);

/// The six steps, each with its shape and at most a few values.
std::string trace_text(const Row& row, const Case& c);

}  // namespace normcheck
