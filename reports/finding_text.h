// One judgement in words: the block of a finding, one-line verdicts, where an element stands.
#pragma once

#include <string>
#include <string_view>

#include "reports/console.h"
#include "reports/finding.h"

namespace normcheck {

/// The block of a finding, always in this order: head, worst element, rows, stage, cause, replay (a line that
/// runs `program`).
std::string finding_text(const Finding& finding, std::string_view program, const Style& style);

/// "f32 [2,4] over [4]": dtype, shape, and what is normalized.
std::string problem_text(const Case& c);

/// "[0,3]": where an element of y stands in x's shape, or of mean and rstd in theirs.
std::string element_index(const Case& c, const ElementReport& element);

/// The verdict's word, in its colour.
std::string verdict_text(Verdict verdict, const Style& style);

/// "93.1% proved, 4.0% void, 2.9% vacuous, 0.0% skipped, 0.0% wrong".
std::string shares_text(const ElementCounts& counts);

/// "0.53 ulp of 4.1e3 allowed at y[0,17], mean 0.2 ulp, p99 0.49 ulp, 12.3% not correctly rounded, ...".
std::string errors_text(const Case& c, const Judgement& judgement);

}  // namespace normcheck
