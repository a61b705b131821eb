// Results as JSON: lines for `check --json`, their parts for a report (reports/results).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "fuzz/attack/attack.h"
#include "reports/sweep.h"

namespace normcheck {

/// One line a regime, each ending in a newline: record "check".
std::string check_lines(const SweepEntry& entry, const SweepPlan& plan);
/// One line: record "finding".
std::string finding_line(const Finding& finding);
/// One line: record "judged", an output of a user's.
std::string judged_line(std::string_view layer, std::string_view output, const Case& c, const Judgement& j,
                        const Contract& contract);
/// One line: record "attack".
std::string attack_line(std::string_view impl, const AttackRecord& record);
/// One line: record "judged" with the verdict NOT RUN, of a layer that could not be read.
std::string unjudged_line(std::string_view layer, std::string_view why);
/// An implementation at one dtype: totals and regimes, as in `entries` of results.json.
nlohmann::ordered_json entry_json(const SweepEntry& entry);
/// A finding, as in `findings` of results.json.
nlohmann::ordered_json finding_json(const Finding& finding);

}  // namespace normcheck
