// The parts of the page, in the order in which they stand. Each is a section, and says so where its part of
// the results was not run.
#pragma once

#include <string>

#include "reports/page/html.h"

namespace normcheck::page {

std::string opening(const Json& results, Trace& trace);   ///< where it comes from, and the unit
std::string findings(const Json& results, Trace& trace);  ///< "" where there are none
std::string recommendations(const Json& results, Trace& trace);
/// Where it would pass `most_bytes`, the rows beside the best known show only their worst regimes, and say
/// so.
std::string verdicts(const Json& results, std::size_t most_bytes, Trace& trace);
std::string panels(const Json& results, Trace& trace);  ///< against kappa and against n
std::string heat_maps(const Json& results, Trace& trace);
std::string champions(const Json& results, Trace& trace);
std::string semantics(const Json& results, Trace& trace);
std::string cost(const Json& results, Trace& trace);
std::string detection(const Json& results, Trace& trace);
std::string peers(const Json& results, Trace& trace);
std::string folklore(const Json& results, Trace& trace);
std::string method(const Json& results, Trace& trace);

}  // namespace normcheck::page
