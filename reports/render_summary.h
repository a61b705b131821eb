// What `report` tells the terminal: the first thing that a newcomer reads.
#pragma once

#include <string>

#include "reports/console.h"
#include "reports/report_data.h"

namespace normcheck {

std::string summary_text(const ReportData& data, const Style& style);

}  // namespace normcheck
