// A line and a test for each output.
#include "reports/judged_files.h"

#include <fmt/format.h>

#include "reports/render_json.h"
#include "reports/select.h"

namespace normcheck {

JudgedFiles::JudgedFiles(const Options& options) : json_(options.json), junit_(options.junit) {
  require_file(json_, "--json");
  require_file(junit_, "--junit");
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
