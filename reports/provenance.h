// Where a result comes from: compiler, flags, instruction set, machine, floating-point environment.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace normcheck {

/// "normcheck 0.1.0 (clang ..., flags ..., instruction set ...)", several lines.
std::string version_text();
std::string version_number();

/// The `run` object of a report without its clock: name and value, in a fixed order.
std::vector<std::pair<std::string, std::string>> provenance();

/// Empty if the thread rounds to nearest and keeps subnormals; else a line that says what is wrong:
/// nothing judged here would mean anything.
std::string float_environment_fault();

}  // namespace normcheck
