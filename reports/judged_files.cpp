// A line and a test for each output.
#include "reports/judged_files.h"

#include <fmt/format.h>

#include <filesystem>

#include "corpus/error.h"
#include "reports/render_json.h"
#include "reports/select.h"

namespace normcheck {

JudgedFiles::JudgedFiles(const Options& options) : json_(options.json), junit_(options.junit) {
  require_file(json_, "--json");
  require_file(junit_, "--junit");
  std::vector<std::string> inputs = options.names;
  for (const std::string* of :
       {&options.x, &options.y, &options.y2, &options.gamma, &options.beta, &options.mean, &options.rstd})
    inputs.push_back(of->substr(0, of->rfind(':')));
  const auto refuse = [](const std::string& file, const char* option, const std::string& other) {
    std::error_code error;
    if (!file.empty() && !other.empty() && (file == other || std::filesystem::equivalent(file, other, error)))
      throw InputError(fmt::format(
          "{}: {}: is read, or written, by another option; expected a file of its own", option, file));
  };
  for (const std::string& input : inputs) {
    refuse(json_, "--json", input);
    refuse(junit_, "--junit", input);
  }
  refuse(junit_, "--junit", json_);
}

void JudgedFiles::add(std::string_view layer, std::string_view output, const Case& c, const Judgement& j,
                      const Contract& contract, const std::string& text) {
  lines_ += judged_line(layer, output, c, j, contract);
  JUnitTest& test = tests_.emplace_back();
  test.name = layer.empty() ? std::string(output) : fmt::format("{}: {}", layer, output);
  const std::string verdict(verdict_name(j.verdict));
  if (is_finding(j.verdict)) {
    test.failure = verdict;
    test.message = j.reason;
    test.text = text;
  } else if (j.counts.proved == 0) {
    test.skipped = fmt::format("{}: nothing was proved{}{}", verdict, j.reason.empty() ? "" : ": ", j.reason);
  }
}

void JudgedFiles::add_error(std::string_view layer, std::string_view why) {
  lines_ += unjudged_line(layer, why);
  JUnitTest& test = tests_.emplace_back();
  test.name = layer;
  test.failure = "NOT RUN";
  test.message = test.text = why;
}

void JudgedFiles::write() const {
  write_asked_file(json_, "--json", lines_);
  if (!junit_.empty()) write_asked_file(junit_, "--junit", junit_xml("normcheck judge", tests_));
}

}  // namespace normcheck
