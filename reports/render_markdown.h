// report.md: the tables of a report, readable on a code host in both themes.
#pragma once

#include <string>

#include "reports/report_data.h"

namespace normcheck {

std::string report_markdown(const ReportData& data);

/// "2048 ones, then 2048 twos ... gives mean 1 for 1.5": what half accumulation does, as it was computed.
std::string half_sum_text(const HalfSum& half);

/// "NaN or inf", "1.2e4 ulp", "none judged".
std::string largest_text(const LargestError& largest);

}  // namespace normcheck
