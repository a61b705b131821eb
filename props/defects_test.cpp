// Promise: every public report of the list is accounted for, and those that are layer norms are told from
// right ones by a case; those of impl/defects/by_probe.h, and those that need a process of their own, are
// told by reports.defects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "corpus/case_file.h"
#include "impl/defects/by_probe.h"
#include "impl/defects/defect.h"
#include "impl/plugin/plugin.h"
#include "oracles/judge.h"

namespace normcheck {
namespace {

struct Accounted {
  std::string report, outcome, address, reason;
};

std::vector<Accounted> accounted() {
  std::ifstream in(NORMCHECK_SOURCE_DIR "/impl/defects/accounted.tsv");
  std::vector<Accounted> out;
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "report\toutcome\taddress\treason");
  while (std::getline(in, line)) {
    std::istringstream fields(line);
    Accounted& a = out.emplace_back();
    std::getline(fields, a.report, '\t');
    std::getline(fields, a.outcome, '\t');
    std::getline(fields, a.address, '\t');
    std::getline(fields, a.reason, '\t');
  }
  return out;
}

TEST(Defects, EveryReportIsAccountedFor) {
  std::map<std::string, int> outcomes;
  std::set<std::string> seen;
  std::string last;
  for (const Accounted& a : accounted()) {
    ++outcomes[a.outcome];
    EXPECT_LT(last, a.report) << "in order, each once";
    last = a.report;
    seen.insert(a.report);
    EXPECT_TRUE(a.address.starts_with("https://github.com/")) << a.report;
    EXPECT_GT(a.reason.size(), 10U) << a.report;
    const bool runs = a.outcome == "caught" || a.outcome == "limit";
    EXPECT_TRUE(runs || a.outcome == "later" || a.outcome == "not-a-kernel") << a.report << a.outcome;
    const Defect* defect = find_defect(a.report);
    ASSERT_EQ(defect != nullptr, runs) << a.report;
    if (defect != nullptr) {
      EXPECT_EQ(defect->url, a.address);
    }
  }
  EXPECT_EQ(seen.size(), 152U);
  for (const Defect& d : defects()) {
    EXPECT_TRUE(seen.count(std::string(d.id)) == 1) << d.id;
    EXPECT_FALSE(d.kind.empty() || d.does.empty() || d.dtypes.empty() || d.run == nullptr) << d.id;
  }
  for (const auto& [outcome, count] : outcomes) fmt::print("{}: {}  ", outcome, count);
  fmt::print("\n{} reports, {} of them to be run\n", seen.size(), defects().size());
}

/// The cases of corpus/public, by report.
std::map<std::string, std::vector<Case>> public_cases() {
  std::map<std::string, std::vector<Case>> out;
  for (const auto& entry : std::filesystem::directory_iterator(NORMCHECK_SOURCE_DIR "/corpus/public")) {
    if (entry.path().extension() == ".case")
      out[entry.path().filename().string().substr(0, 4)].push_back(read_case(entry.path()));
  }
  return out;
}

class ByCases : public testing::Test {
 protected:
  ByCases() {
    for (Implementation& i : plugin_->implementations())
      i.ask_refusals = i.claims.find("refuses=") != std::string::npos;
  }
  /// What the plug-in of that name gives, judged by what it claims, statistics and all.
  Judgement judged(std::string_view name, const Case& c) {
    Implementation* implementation = plugin_->find(name);
    Observation observed = implementation->run(c, {.mean = true, .rstd = true});
    return judge(c, observed, parse_contract("stable", parse_claims(implementation->claims)));
  }
  std::unique_ptr<Plugin> plugin_ = Plugin::open_linked(defects_plugin, "defect:");
};

bool is_left_to_a_probe(std::string_view id) {
  return std::any_of(std::begin(shown_by_probe), std::end(shown_by_probe),
                     [&](const ShownByProbe& s) { return s.id == id; });
}

TEST_F(ByCases, PartRightFromWrong) {
  auto cases = public_cases();
  int told = 0, right = 0, by_probe = 0;
  std::string apart;
  for (const Defect& d : defects()) {
    if (d.own_process) {  // whoever runs it here ends here
      apart += fmt::format("{} ", d.id);
      continue;
    }
    const std::string id(d.id);
    int found = 0;
    for (const Case& c : cases[id]) {
      found += is_finding(judged(id, c).verdict) ? 1 : 0;
      const Judgement twin = judged(twin_name(d), c);
      EXPECT_FALSE(is_finding(twin.verdict)) << c.id << ": the right twin of " << id << ": " << twin.reason;
      ++right;
    }
    if (is_left_to_a_probe(id)) {
      EXPECT_EQ(found, 0) << id << ": a case shows it; it is none of by_probe.h";
      ++by_probe;
      continue;
    }
    EXPECT_GT(found, 0) << id << ": no case of " << cases[id].size() << " shows it";
    told += found > 0 ? 1 : 0;
  }
  fmt::print("{} of {} told from right ones by a case; {} cases passed by right twins\n", told,
             defects().size(), right);
  fmt::print("left to reports.defects: {} that no case shows, and, as they crash or count their calls, {}\n",
             by_probe, apart);
}

}  // namespace
}  // namespace normcheck
