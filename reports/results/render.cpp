// Puts the files of a report together, and the two that are plain tables.
#include "reports/results/render.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/junit.h"
#include "reports/numbers.h"
#include "reports/page/page.h"
#include "reports/results/cases.h"
#include "reports/results/reader.h"
#include "reports/select.h"

namespace normcheck {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

/// Of a number all digits; empty where it was not run.
std::string field(const Json& value) {
  if (value.is_string()) return quoted(value.get<std::string>());
  if (value.is_boolean() || value.is_number()) return value.dump();
  return {};
}

std::string csv_line(const Json& entry, const Json& tally) {
  std::vector<std::string> fields;
  const auto put = [&](const Json& value) { fields.push_back(field(value)); };
  for (const char* name : {"impl", "dtype", "contract", "expect"}) put(member(entry, name));
  for (const char* name : {"regime", "verdict", "cases", "evaluations"}) put(member(tally, name));
  const Json& elements = member(tally, "elements");
  for (const char* name :
       {"all", "proved", "wrong", "void", "vacuous", "skipped", "judged_by_number", "not_correctly_rounded"})
    put(member(elements, name));
  const Json& any = member(tally, "largest");
  put(member(any, "error_ulp"));
  const Json& finite = member(tally, "largest_finite");
  for (const char* name : {"error_ulp", "allowed_ulp", "kappa", "n", "regime", "case"})
    put(member(finite, name));
  const Json& normwise = member(tally, "largest_normwise_finite");
  for (const char* name : {"error_u", "n", "case"}) put(member(normwise, name));
  for (const char* name : {"p99_ulp", "share_not_correctly_rounded", "largest_share_of_bound"})
    put(member(tally, name));
  return fmt::format("{}\r\n", fmt::join(fields, ","));
}

bool is_a_finding(const std::string& verdict) {
  return verdict == "FAIL" || verdict == "SUSPECT" || verdict == "CRASH" || verdict == "TIMEOUT";
}

JUnitTest junit_test(const Json& results, const Json& entry, const Json& tally) {
  JUnitTest test;
  test.name = text_in(tally, "regime");
  const std::string verdict = text_in(tally, "verdict"), expect = text_in(entry, "expect");
  std::vector<std::string> verdicts;
  for (const auto& [name, cases] : member(tally, "verdicts").items())
    verdicts.push_back(fmt::format("{} {}", text_of(cases), name));
  if (!is_a_finding(verdict)) {
    if (integer_in(member(tally, "verdicts"), "PASS") + integer_in(member(tally, "verdicts"), "REFUSED") == 0)
      test.skipped = verdicts.empty() ? std::string(not_run_text)
                                      : fmt::format("nothing was judged: {}", fmt::join(verdicts, ", "));
  } else if (expect != "pass") {
    test.skipped = fmt::format("a finding, as expected of this implementation: {}", expect);
  } else {
    test.failure = verdict;
    test.message = fmt::format("{} of {} cases", fmt::join(verdicts, ", "), count_in(tally, "cases"));
    for (const Json& finding : list_in(results, "findings")) {
      if (member(finding, "impl") != member(entry, "impl") ||
          member(finding, "dtype") != member(entry, "dtype") ||
          member(finding, "regime") != member(tally, "regime"))
        continue;
      test.text = text_in(finding, "replay");
    }
  }
  return test;
}

}  // namespace

std::string results_csv(const Json& results) {
  std::string out =
      "impl,dtype,contract,expect,regime,verdict,cases,evaluations,elements,proved,wrong,void,vacuous,"
      "skipped,"
      "judged_by_number,not_correctly_rounded,largest_known_ulp,largest_known_finite_ulp,allowed_there_ulp,"
      "kappa_"
      "there,n_there,regime_there,case_there,largest_known_normwise_u,normwise_n,normwise_case,p99_ulp,share_"
      "not_"
      "correctly_rounded,largest_share_of_bound\r\n";
  for (const Json& entry : list_in(results, "entries")) {
    out += csv_line(entry, member(entry, "total"));
    for (const Json& tally : list_in(entry, "regimes")) out += csv_line(entry, tally);
  }
  return out;
}

std::string results_junit(const Json& results) {
  std::vector<JUnitSuite> suites;
  for (const Json& entry : list_in(results, "entries")) {
    JUnitSuite& suite = suites.emplace_back();
    suite.name = text_in(entry, "impl") + " " + text_in(entry, "dtype");
    for (const Json& tally : list_in(entry, "regimes"))
      suite.tests.push_back(junit_test(results, entry, tally));
  }
  JUnitSuite& unexpected = suites.emplace_back();
  unexpected.name = "unexpected";
  for (const Json& u : list_in(results, "unexpected")) {
    unexpected.tests.push_back(
        {text_in(u, "what"), "unexpected", text_in(u, "what"), text_in(u, "replay"), std::string()});
  }
  return junit_xml("normcheck report", suites);
}

std::vector<RenderedFile> rendered_files(const Json& results, std::vector<std::string>& notes) {
  std::vector<RenderedFile> out = {{"report.md", report_markdown(results)},
                                   {"index.html", index_html(results)},
                                   {"results.csv", results_csv(results)},
                                   {"junit.xml", results_junit(results)}};
  for (RenderedFile& file : results_pictures(results)) out.push_back(std::move(file));
  for (RenderedFile& file : results_cases(results, notes)) out.push_back(std::move(file));
  return out;
}

void write_rendered(const std::filesystem::path& folder, const std::vector<RenderedFile>& files) {
  for (const RenderedFile& file : files) {
    const std::filesystem::path path = folder / file.path;
    make_folder(path.parent_path(), "--out");
    write_file_atomically(path, file.content);
  }
}

std::vector<std::string> files_of_report(const std::filesystem::path& folder) {
  std::vector<std::string> out;
  std::error_code error;
  if (!std::filesystem::exists(folder / "results.json", error)) return out;
  Json old;
  try {
    old = read_results(folder / "results.json");
  } catch (const InputError&) {  // of another version: what it made is not known
    return out;
  }
  for (const Json& one : list_in(old, "cases")) {
    const std::string file = text_in(one, "file");
    const bool is_ours = is_case_path(file) && std::filesystem::is_regular_file(folder / file, error) &&
                         sha256_hex(read_file(folder / file)) == text_in(one, "sha256");
    if (is_ours) out.push_back(file);
  }
  for (const char* kind : {"error_vs_kappa", "error_vs_n", "heat", "cost_vs_accuracy"}) {
    for (const char* dtype : {"f32", "f64", "f16", "bf16"}) {
      const std::string file = fmt::format("svg/{}_{}.svg", kind, dtype);
      if (std::filesystem::is_regular_file(folder / file, error)) out.push_back(file);
    }
  }
  return out;
}

void clear_older(const std::filesystem::path& folder, const std::vector<std::string>& before,
                 const std::vector<RenderedFile>& files, std::vector<std::string>& notes) {
  std::int64_t removed = 0;
  for (const std::string& file : before) {
    const bool is_new =
        std::any_of(files.begin(), files.end(), [&](const RenderedFile& f) { return f.path == file; });
    std::error_code error;
    if (!is_new && std::filesystem::remove(folder / file, error)) ++removed;
  }
  if (removed > 0)
    notes.push_back(fmt::format("{} of the report that lay in {} before {} removed", counted(removed, "file"),
                                folder.string(), removed == 1 ? "was" : "were"));
}

}  // namespace normcheck
