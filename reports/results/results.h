// results.json: all that a report measured, as one document (reports/SCHEMA.md). Every rendering is made of
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "reports/report_data.h"

namespace normcheck {

/// The document. Everything but `run` depends on the build, the corpus, what is published and the options
/// alone.
nlohmann::ordered_json results_json(const ReportData& data);

/// As a file: what stands in a list is one line or, where it has lists of its own, a line each.
std::string results_text(const nlohmann::ordered_json& results);

}  // namespace normcheck
