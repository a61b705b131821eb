// The recommendations of a report: sentences that are computed from its results, each with where its numbers
// stand.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace normcheck {

/// The array `recommendations` of results.json (reports/SCHEMA.md), from its other members: for each dtype
/// what to take where the mean is small and where it is large, from where nothing is proven, long rows, when
/// double sums are needed, that halves cancel too, that half sums stall. What the results lack is left out;
/// nothing is thrown at any document.
nlohmann::ordered_json recommendations(const nlohmann::ordered_json& results);

/// How a value of results.json is spelled in a sentence: a number by short_number, a count in digits, a text
/// as it is.
std::string cited_text(const nlohmann::ordered_json& value);

}  // namespace normcheck
