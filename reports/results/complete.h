// Whether a results.json has all that reports/SCHEMA.md says it has.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcheck {

/// The first that lacks something, as "/entries/3/regimes/0: no member \"verdict\""; "" where all is there.
/// A member may be null: not run.
std::string missing_member(const nlohmann::ordered_json& results);

}  // namespace normcheck
