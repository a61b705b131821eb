// Builds the tree of suites and tests; Boost.PropertyTree writes it.
#include "reports/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "reports/numbers.h"
#include "reports/probes_text.h"
#include "reports/render_text.h"

namespace normcheck {
namespace {

using boost::property_tree::ptree;

/// Without what XML 1.0 cannot hold even escaped: a kernel's message may have any bytes.
std::string xml_text(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x7F || (byte < 0x20 && c != '\n' && c != '\t')) c = '?';
  }
  return out;
}

void put(ptree& element, const char* name, std::string_view value) {
  element.put(std::string("<xmlattr>.") + name, xml_text(value));
}

struct Suite {
  std::string name;
  ptree tests;
  int count = 0, failures = 0, skipped = 0;

  void add(std::string_view test) {
    ptree& element = tests.add("testcase", "");
    put(element, "classname", name);
    put(element, "name", test);
    ++count;
  }
  void fail(std::string_view type, std::string_view message, std::string_view text) {
    ptree& element = tests.back().second.add("failure", xml_text(text));
    put(element, "type", type);
    put(element, "message", message);
    ++failures;
  }
  void skip(std::string_view why) {
    put(tests.back().second.add("skipped", ""), "message", why);
    ++skipped;
  }
};

/// Why a finding is none to a baseline; empty where it is.
std::string excuse(const Finding& finding, const std::vector<BaselineEntry>& list) {
  if (finding.expected) return "a finding, as expected of this implementation";
  const std::string name = baseline_name(finding);
  for (const BaselineEntry& entry : list) {
    if (stands_for(entry, name))
      return fmt::format("accepted until {}: {} (owner {})", entry.expires, entry.reason, entry.owner);
  }
  return {};
}

void add_regime(Suite& suite, const SweepEntry& entry, const Tally& tally, const BaselineResult* baseline,
                const std::vector<BaselineEntry>& list) {
  suite.add(tally.regime);
  const Finding* worst = nullptr;
  std::string excused;
  for (const Finding& finding : entry.findings) {
    if (finding.regime != tally.regime) continue;
    const std::string why = baseline != nullptr ? excuse(finding, list) : std::string();
    if (why.empty() && worst == nullptr) worst = &finding;
    if (!why.empty()) excused = why;
  }
  if (worst != nullptr) {
    const std::string text =
        fmt::format("{}{} of {} in this regime\n", finding_text(*worst, "normcheck", Style{}),
                    counted(tally.findings(), "finding"), counted(tally.cases, "case"));
    suite.fail(verdict_name(worst->judgement.verdict), baseline_says(*worst), text);
  } else if (!excused.empty()) {
    suite.skip(excused);
  } else if (tally.of(Verdict::pass) + tally.of(Verdict::refused) == 0) {
    std::string why = "nothing was judged:";
    for (std::size_t v = 0; v < tally.verdicts.size(); ++v) {
      if (tally.verdicts[v] > 0)
        why += fmt::format(" {} {}", tally.verdicts[v], verdict_name(static_cast<Verdict>(v)));
    }
    suite.skip(why);
  }
}

void add_probe(Suite& suite, const SweepEntry& entry, const ProbeTally& tally, const BaselineResult* baseline,
               const std::vector<BaselineEntry>& list) {
  const std::string name = fmt::format("{}{}", probe_regime, tally.probe->name);
  suite.add(name);
  const auto finding = std::find_if(entry.findings.begin(), entry.findings.end(),
                                    [&](const Finding& f) { return f.regime == name; });
  if (finding != entry.findings.end()) {
    const std::string why = baseline != nullptr ? excuse(*finding, list) : std::string();
    if (!why.empty()) return suite.skip(why);
    suite.fail(verdict_name(finding->judgement.verdict), baseline_says(*finding),
               finding_text(*finding, "normcheck", Style{}));
  } else if (const std::string why = not_judged(tally); !why.empty()) {
    suite.skip(why);
  }
}

/// The document; the suites are used up.
std::string written(std::string_view name, std::vector<Suite>& suites) {
  ptree root;
  int count = 0, failures = 0, skipped = 0;
  ptree& all = root.add("testsuites", "");
  for (Suite& suite : suites) {
    count += suite.count, failures += suite.failures, skipped += suite.skipped;
  }
  put(all, "name", name);
  put(all, "tests", std::to_string(count));
  put(all, "failures", std::to_string(failures));
  put(all, "skipped", std::to_string(skipped));
  for (Suite& suite : suites) {
    ptree& element = all.add("testsuite", "");
    put(element, "name", suite.name);
    put(element, "tests", std::to_string(suite.count));
    put(element, "failures", std::to_string(suite.failures));
    put(element, "skipped", std::to_string(suite.skipped));
    for (auto& test : suite.tests) element.push_back(std::move(test));
  }
  std::ostringstream out;
  boost::property_tree::write_xml(out, root, boost::property_tree::xml_writer_settings<std::string>(' ', 1));
  return out.str();
}

}  // namespace

std::string junit_xml(const std::vector<SweepEntry>& entries, const BaselineResult* baseline,
                      const std::vector<BaselineEntry>& list) {
  std::vector<Suite> suites;
  for (const SweepEntry& entry : entries) {
    Suite& suite = suites.emplace_back();
    suite.name = fmt::format("{} {}", entry.row->name, dtype_name(entry.dtype));
    for (const Tally& tally : entry.regimes) add_regime(suite, entry, tally, baseline, list);
    for (const ProbeTally& tally : entry.probes) add_probe(suite, entry, tally, baseline, list);
  }
  if (baseline != nullptr) {
    Suite& suite = suites.emplace_back();
    suite.name = "baseline";
    for (const std::string& line : baseline->red) {
      if (line.starts_with("new: ")) continue;  // it is the failure of its own test
      suite.add(line.substr(0, line.find(':')));
      suite.fail("baseline", line, line);
    }
  }
  return written("normcheck check", suites);
}

std::string junit_xml(const std::string& name, const std::vector<JUnitSuite>& given) {
  std::vector<Suite> suites;
  for (const JUnitSuite& of : given) {
    Suite& suite = suites.emplace_back();
    suite.name = of.name;
    for (const JUnitTest& test : of.tests) {
      suite.add(test.name);
      if (!test.failure.empty()) {
        suite.fail(test.failure, test.message, test.text);
      } else if (!test.skipped.empty()) {
        suite.skip(test.skipped);
      }
    }
  }
  return written(name, suites);
}

std::string junit_xml(const std::string& suite, const std::vector<JUnitTest>& tests) {
  return junit_xml(suite, std::vector<JUnitSuite>{{suite, tests}});
}

}  // namespace normcheck
