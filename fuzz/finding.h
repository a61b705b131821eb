// What happens to a finding: it is printed, kept as a `.case`, and the program ends.
#pragma once

#include <filesystem>
#include <string>

#include "corpus/case.h"
#include "fuzz/subjects.h"
#include "oracles/judge.h"

namespace normcheck {

/// $NORMCHECK_FINDINGS, else `found` in the current directory.
std::filesystem::path findings_folder();

/// The failure in a few lines (verdict, worst element, rows, first wrong stage) and, last, the line that
/// replays `file`.
std::string finding_text(const Case& c, const Subject& subject, const Judgement& judgement,
                         const std::string& file);

/// Writes "<row>-<digest>.case" (the digest is of the problem alone, so one problem is one file, replayed or
/// not), prints the text on stderr, and aborts: that is what a fuzzing engine takes for a crash.
[[noreturn]] void report_finding(const Case& c, const Subject& subject, const Judgement& judgement);

}  // namespace normcheck
