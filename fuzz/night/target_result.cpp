// A target's result as JSON, and the flags of its .options file.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/night/target_night.h"

namespace normcheck {

// The names that the library looks for.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Replayed, finding, ran, failed, now, says)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TargetResult, name, faults, notes, executions, coverage, features,
                                   corpus_before, corpus_grown, corpus_after, found, fresh, replayed, records,
                                   seconds, processor_seconds, peak_kib)

std::string result_text(const TargetResult& result) {
  // A target's words may hold any bytes.
  return nlohmann::json(result).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

TargetResult read_result(const std::string& text) {
  try {
    return nlohmann::json::parse(text).get<TargetResult>();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("result of a target: {}; expected its JSON", error.what()));
  }
}

std::vector<std::string> read_flags(const std::filesystem::path& options) {
  std::vector<std::string> out;
  if (!std::filesystem::exists(options)) return out;
  const std::string text = read_file(options);
  bool in_section = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (line.starts_with('[')) in_section = line == "[libfuzzer]";
    const std::size_t equals = line.find('=');
    if (!in_section || equals == line.npos || line.starts_with('#')) continue;
    if (line.starts_with("dict="))
      line = "dict=" + (options.parent_path() / line.substr(equals + 1)).string();
    out.push_back("-" + line);
  }
  return out;
}

}  // namespace normcheck
