// What happens to a finding: it is kept as a small `.case`, printed, and the program ends.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "corpus/case.h"
#include "fuzz/minimal.h"

namespace normcheck {

/// Something that went wrong on a case, and can be asked of another case again.
struct Finding {
  std::string who;      ///< a row's name, or what the target tries
  std::string promise;  ///< one word: what is broken
  std::function<bool(const Case&)> again;
  /// What a person reads: a head line (`finding_head`), then lines that begin with two spaces.
  std::function<std::string(const Case&)> words;
  std::function<std::string(const std::string& file)> replay;  ///< the line that shows it again
};

/// $NORMCHECK_FINDINGS, else `found` in the current directory.
std::filesystem::path findings_folder();

/// "FAIL  two_pass/f32  f32 [1,4] over [4]  eps 1e-05  contract own": the head of a finding's words.
std::string finding_head(std::string_view verdict, std::string_view who, const Case& c,
                         std::string_view promise);

/// Writes the case at once, then the smallest that `again` finds in its place, as "<name>.case"
/// (finding_name) in the folder above, and prints its words. Where that file is there already and holds a
/// case that is no larger, it stays. `work` as in `minimal`.
void keep_finding(const Case& c, const Finding& finding, std::int64_t work = default_work);

/// Keeps it and aborts: that is what a fuzzing engine takes for a crash.
[[noreturn]] void report_finding(const Case& c, const Finding& finding);

}  // namespace normcheck
