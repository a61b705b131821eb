// Looks members up without believing that they are there.
#include "reports/results/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "corpus/case_file.h"
#include "corpus/deflate.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

const Json nothing;
const Json no_items = Json::array();

}  // namespace

Json parse_results(std::string_view text, std::string_view name) {
  Json out;
  try {
    out = Json::parse(text);
  } catch (const Json::parse_error& e) {
    throw InputError(
        fmt::format("{}: is no JSON from byte {} of {} on; expected the results.json of a report", name,
                    e.byte, text.size()));
  } catch (const Json::exception&) {
    throw InputError(fmt::format(
        "{}: holds a number that is none of double; expected the results.json of a report", name));
  }
  const Json& schema = member(out, "schema");
  if (!schema.is_string())
    throw InputError(fmt::format("{}: has no schema; expected \"{}\", as normcheck report writes it", name,
                                 results_schema));
  if (schema.get_ref<const std::string&>() != results_schema) {
    std::string found = schema.get<std::string>().substr(0, 60);
    std::replace_if(
        found.begin(), found.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
    throw InputError(fmt::format("{}: schema \"{}\"; expected \"{}\"", name, found, results_schema));
  }
  return out;
}

Json read_results(const std::filesystem::path& file) {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  return parse_results(file.extension() == ".gz" ? read_gzip(file, most) : read_file(file), file.string());
}

const Json& member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nothing;
  const auto at = object.find(std::string(name));
  return at == object.end() ? nothing : *at;
}

const Json& list_in(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_array() ? value : no_items;
}

bool is_number(const Json& value) {
  if (value.is_number()) return true;
  if (!value.is_string()) return false;
  const auto& word = value.get_ref<const std::string&>();
  return word == "inf" || word == "-inf" || word == "nan";
}

double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string() && value.get_ref<const std::string&>() == "inf")
    return std::numeric_limits<double>::infinity();
  if (value.is_string() && value.get_ref<const std::string&>() == "-inf")
    return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_integer()) return value.dump();
  if (value.is_number()) return short_number(value.get<double>());
  return std::string(not_run_text);
}

std::string text_in(const Json& object, std::string_view name) { return text_of(member(object, name)); }

std::int64_t integer_in(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

std::string count_in(const Json& object, std::string_view name) {
  return member(object, name).is_number_integer() ? grouped(integer_in(object, name))
                                                  : std::string(not_run_text);
}

bool is_true(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_boolean() && value.get<bool>();
}

}  // namespace normcheck
