// The JSON of results: in the order of writing; a number that JSON lacks is a word, a measured one has a
// hexfloat twin.
#pragma once

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "reports/numbers.h"

namespace normcheck {

using Json = nlohmann::ordered_json;

/// What the first member of a results.json says of itself.
inline constexpr const char* results_schema = "normcheck-results/2";

/// The number, or "nan", "inf" or "-inf".
inline Json json_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

/// `name` and `name_hex`.
inline void put_measured(Json& object, const std::string& name, double value) {
  object[name] = json_number(value);
  object[name + "_hex"] = hexfloat(value);
}

}  // namespace normcheck
