// What each implementation of a report is, apart from what was measured of it.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "impl/table.h"
#include "reports/sweep.h"

namespace normcheck {

/// The times that were taken: of a row, over those of two_pass in the same accumulate type.
using TimeRatios = std::map<std::string_view, double>;

/// `implementations` of results.json: one for each row of the jobs, in their order.
nlohmann::ordered_json implementations_json(std::span<const SweepJob> jobs, const TimeRatios& times);

}  // namespace normcheck
