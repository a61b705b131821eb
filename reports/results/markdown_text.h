// Markdown in small: cells that hold any text, links to cases.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reports/results/reader.h"

namespace normcheck {

/// Plain text in a table: no markup, no tag, no new line comes of it.
std::string md_cell(std::string_view text);
/// The same as code.
std::string md_code(std::string_view text);
/// A number of results in its unit, "nan or inf" where it is not finite; "not run" where there is none.
std::string md_number(const Json& value, std::string_view unit);
/// A bound likewise: "no bound" where it is infinite.
std::string md_bound(const Json& value, std::string_view unit);
/// "| a | b |" and a new line.
std::string md_row(const std::vector<std::string>& cells);

// The parts of report.md, each with its heading.
std::string md_four(const Json& results);
std::string md_findings(const Json& results);
std::string md_recommendations(const Json& results);
std::string md_folklore(const Json& results);
std::string md_verdicts(const Json& results);
std::string md_curves(const Json& results);
std::string md_champions(const Json& results);
std::string md_known_wrong(const Json& results);
std::string md_semantics(const Json& results);
std::string md_cost(const Json& results);
std::string md_public_inputs(const Json& results);
std::string md_detection(const Json& results);
std::string md_peers(const Json& results);
std::string md_floor(const Json& results);
std::string md_limits(const Json& results);

}  // namespace normcheck
