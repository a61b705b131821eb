// Reads a results.json, which may be of another version or cut short: what is not there reads as not run.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/results/json.h"

namespace normcheck {

/// The document, of a .gz too. InputError, one line: a file that cannot be read, no JSON, another schema.
Json read_results(const std::filesystem::path& file);
/// The same of its text; `name` is what the line calls it.
Json parse_results(std::string_view text, std::string_view name);

/// How a reader shows what is not there.
inline constexpr std::string_view not_run_text = "not run";

/// The member; null where there is none, or `object` is no object.
const Json& member(const Json& object, std::string_view name);
/// Of a list likewise: an empty one where there is none.
const Json& list_in(const Json& object, std::string_view name);
/// A number, or what "inf", "-inf" and "nan" stand for; NaN for anything else (ask is_number).
double number_of(const Json& value);
bool is_number(const Json& value);
/// A string as it is, a number short, true and false as yes and no; "not run" for anything else.
std::string text_of(const Json& value);
std::string text_in(const Json& object, std::string_view name);
/// A count with its commas, or "not run".
std::string count_in(const Json& object, std::string_view name);
/// An integer that is there, else 0.
std::int64_t integer_in(const Json& object, std::string_view name);
bool is_true(const Json& object, std::string_view name);

}  // namespace normcheck
