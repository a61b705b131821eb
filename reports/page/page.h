// index.html: one self-contained page made from results.json alone.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcheck {

/// The whole page, style and script within it; it asks for nothing from a network. `results` is parsed
/// results.json (schema normcheck-results/2). What is missing, null or of another type than the schema says
/// stands there as "not run". The same results give the same bytes; throws nothing of its own.
std::string index_html(const nlohmann::ordered_json& results);

}  // namespace normcheck
