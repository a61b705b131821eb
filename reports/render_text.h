// What the terminal shows: findings, tables by regime, one-line verdicts.
#pragma once

#include <string>
#include <string_view>

#include "impl/trace.h"
#include "reports/console.h"
#include "reports/finding.h"
#include "reports/sweep.h"

namespace normcheck {

/// The block of a finding, always in this order: head, worst element, rows, stage, replay (a line that runs
/// `program`).
std::string finding_text(const Finding& finding, std::string_view program, const Style& style);

/// "f32 [2,4] over [4]": dtype, shape, and what is normalized.
std::string problem_text(const Case& c);

/// One implementation at one dtype: a line a regime.
std::string entry_text(const SweepEntry& entry, const Style& style);

/// The head of a table of implementations, and one at one dtype as a line of it.
std::string entries_head(const Style& style);
std::string entry_line(const SweepEntry& entry, const Style& style);

/// "93.1% proved, 4.0% void, 2.9% vacuous, 0.0% skipped, 0.0% wrong".
std::string shares_text(const ElementCounts& counts);

/// "0.53 ulp of 4.1e3 allowed at y[0,17], mean 0.2 ulp, p99 0.49 ulp, 12.3% not correctly rounded, ...".
std::string errors_text(const Case& c, const Judgement& judgement);

/// The verdict's word, in its colour.
std::string verdict_text(Verdict verdict, const Style& style);

/// The worst element of y as the two oracles see it, each by itself: the exact value, and the error of what
/// came out. Empty where there is no number to see (a non-finite input, var+eps 0).
std::string truth_text(const Case& c, const Judgement& judgement);

/// The six steps, each with its shape and at most a few values.
std::string trace_text(const Row& row, const Case& c);

}  // namespace normcheck
