// check --baseline: which findings are accepted for a while, which are new, and which entries hold no more.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/night/baseline.h"
#include "reports/sweep.h"

namespace normcheck {

/// What a list (its grammar: fuzz/night/baseline.h) gives the finding for a name:
/// "check-two_pass-f32.f32.REGIME"; of a corpus case with ".CASE" behind it. One entry stands for all
/// findings of an implementation, a dtype and a regime, one with * for the regime for all of the dtype; of a
/// kernel from outside the last part of the path is the name, wherever it lies.
std::string baseline_name(const Finding& finding);
/// The line below the head of its block: what came out and what was wanted, or the reason.
std::string baseline_says(const Finding& finding);

struct BaselineResult {
  std::int64_t accepted = 0;  ///< findings that an entry accepts
  std::int64_t expected = 0;  ///< findings that the table or a case expects
  std::vector<std::string>
      red;  ///< a line each: new, changed, stopped running, unexpectedly passing, expired
  std::vector<std::string> blocks;  ///< the entry that would accept what is new, for a person to complete
};

/// Compares the entries of a check with the list. Each entry's input is run again; what is new is kept under
/// `found` and run once more, since an entry must say what its input shows; the
/// entry names it as seen from the folder `beside`, the list's. `today` is YYYY-MM-DD.
BaselineResult compare_with_baseline(const std::vector<BaselineEntry>& list, std::vector<SweepEntry>& entries,
                                     const SweepPlan& plan, const std::filesystem::path& found,
                                     const std::filesystem::path& beside, std::string_view today);

}  // namespace normcheck
