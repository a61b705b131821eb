// What each implementation of a report is, apart from what was measured of it.
#pragma once

#include <limits>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string_view>

#include "impl/table.h"
#include "reports/sweep.h"

namespace normcheck {

/// The times that were taken of a row.
struct RowTimes {
  double to_own = std::numeric_limits<double>::quiet_NaN();  ///< over two_pass of its own accumulate type
  double on_f32 = std::numeric_limits<double>::quiet_NaN();  ///< on f32 data, over two_pass/f32; NaN: no f32
};
using TimeRatios = std::map<std::string_view, RowTimes>;

/// `implementations` of results.json: one for each row of the jobs, in their order.
nlohmann::ordered_json implementations_json(std::span<const SweepJob> jobs, const TimeRatios& times);

}  // namespace normcheck
