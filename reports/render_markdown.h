// report.md: the tables of a report, readable on a code host in both themes.
#pragma once

#include <cstddef>
#include <string>

#include "reports/report_data.h"

namespace normcheck {

std::string report_markdown(const ReportData& data);

/// "2048 ones, then 2048 twos ... gives mean 1 for 1.5": what half accumulation does, as it was computed.
std::string half_sum_text(const HalfSum& half);

/// "0.31 of its allowance (f32 and f64)"; empty where no pair stores what it accumulates.
std::string share_text(const FamilyResult& result);

/// "1.4e3 of 1.6e5", "NaN or inf, no bound": the error seen and the proven bound, in ulp.
std::string point_text(const KappaPoint& point);
/// The point of a curve at 10^decade; "-" where the format holds no such row.
std::string point_text(const KappaCurve* curve, std::size_t decade);

}  // namespace normcheck
