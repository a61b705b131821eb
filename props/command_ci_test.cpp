// What CI reads of a check: JUnit XML, and a list of findings that are accepted for a while.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <filesystem>
#include <regex>
#include <sstream>

#include "props/command_run.h"

namespace normcheck {
namespace {

using boost::property_tree::ptree;

const std::string divisor = std::string(NORMCHECK_PLUGINS) + "/plugin_divisor.so";
const std::string right = std::string(NORMCHECK_PLUGINS) + "/plugin_right.so";
const std::string small = " --dtype f32 --regime unit_normal,large_mean --n 2..64 --budget 60";

ptree read_junit(const std::filesystem::path& file) {
  std::istringstream in(read_file(file));
  ptree out;
  boost::property_tree::read_xml(in, out);
  return out.get_child("testsuites");
}

int number(const ptree& element, const std::string& name) { return element.get<int>("<xmlattr>." + name); }

/// The text with every `from` made `to`.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(JUnit, HasASuiteForEachPairATestForEachRegimeAndTheBlockOfAFailure) {
  const auto file = fresh_folder("junit") / "results.xml";
  const Told r = run("check two_pass/f32 naive/f32 --dtype f32 --budget 300 --junit " + file.string());
  EXPECT_EQ(r.code, 1) << r.err;
  const ptree all = read_junit(file);
  int suites = 0, tests = 0, failures = 0, skipped = 0;
  for (const auto& [tag, suite] : all) {
    if (tag != "testsuite") continue;
    ++suites;
    const auto name = suite.get<std::string>("<xmlattr>.name");
    for (const auto& [kind, test] : suite) {
      if (kind != "testcase") continue;
      ++tests;
      EXPECT_EQ(test.get<std::string>("<xmlattr>.classname"), name);
      skipped += static_cast<int>(test.count("skipped"));
      if (test.count("failure") == 0) continue;
      ++failures;
      EXPECT_EQ(name, "naive/f32 f32") << "two_pass fails nothing";
      const auto text = test.get<std::string>("failure");
      EXPECT_NE(text.find("FAIL  naive/f32"), std::string::npos) << text;
      EXPECT_NE(text.find("  replay   "), std::string::npos) << text;
    }
  }
  EXPECT_EQ(suites, 2);
  EXPECT_GT(failures, 3);
  EXPECT_EQ(number(all, "tests"), tests);
  EXPECT_EQ(number(all, "failures"), failures);
  EXPECT_EQ(number(all, "skipped"), skipped);
  fmt::print("{} suites, {} tests, {} failures, {} skipped\n", suites, tests, failures, skipped);
}

// What every bound hides, in each form that a finding has; its replay line weighs the evidence again.
TEST(Suspect, IsAFindingInTextJsonJUnitAndTheListOfWhatIsAccepted) {
  const auto folder = fresh_folder("suspect");
  const std::string check = "check two_pass/f32/newton0 --dtype f32 --regime evidence --n 8191,8195,12001";
  const std::string files =
      fmt::format(" --out {0}/out --json {0}/a.jsonl --junit {0}/a.xml", folder.string());
  const Told r = run(check + files);
  EXPECT_EQ(r.code, 1) << r.err;
  EXPECT_NE(r.out.find("SUSPECT  two_pass/f32/newton0"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("  evidence a reciprocal root of 14 bits explains all "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("check two_pass/f32/newton0 --dtype f32 --regime evidence"), std::string::npos)
      << r.out;
  const std::string json = read_file(folder / "a.jsonl");
  EXPECT_NE(json.find("\"evidence\":{\"hypothesis\":\"a reciprocal root of 14 bits\""), std::string::npos);
  EXPECT_NE(json.find("\"verdict\":\"SUSPECT\""), std::string::npos);
  const std::string xml = read_file(folder / "a.xml");
  EXPECT_NE(xml.find("type=\"SUSPECT\""), std::string::npos) << xml;
  const Told right_row = run("check two_pass/f32 --dtype f32 --regime evidence --n 8191,8195,12001" + files);
  EXPECT_EQ(right_row.code, 0) << right_row.out;
}

TEST(JUnit, TheSameCheckGivesTheSameBytes) {
  const auto folder = fresh_folder("junit_twice");
  for (const char* name : {"a.xml", "b.xml"})
    run("check naive/f32 --dtype f32 --budget 200 --out " + (folder / "out").string() + " --junit " +
        (folder / name).string());
  EXPECT_EQ(read_file(folder / "a.xml"), read_file(folder / "b.xml"));
  EXPECT_GT(read_file(folder / "a.xml").size(), 1000U);
  const Told r = run("check naive/f32 --junit " + folder.string());
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(is_one_line(r.err)) << r.err;
  fmt::print("twice the same; a folder for a file: {}", r.err);
}

/// A list that accepts what the check finds, made of the blocks that a first run prints.
class Baseline : public testing::Test {
 protected:
  Baseline() : folder_(fresh_folder("baseline")), list_(folder_ / "accepted.txt") {
    write("# nothing yet\n");
    first_ = check(divisor);
    const auto at = first_.out.find("finding  ");
    blocks_ = at == std::string::npos ? "" : first_.out.substr(at, first_.out.find("\npair", at) - at);
    blocks_ = std::regex_replace(blocks_, std::regex("reason   \n"), "reason   the divisor is n-1 for now\n");
    blocks_ = std::regex_replace(blocks_, std::regex("owner    \n"), "owner    norms team\n");
    blocks_ = blocks_.substr(0, blocks_.rfind("expires") + 9) + "\n";
    blocks_ = std::regex_replace(blocks_, std::regex("expires *\n"), "expires  2999-12-31\n");
  }
  void write(const std::string& text) { write_file_atomically(list_, text); }
  Told check(const std::string& impl, const std::string& more = "") {
    return run("check " + impl + small + " --baseline " + list_.string() + " --out " + folder_.string() +
               more);
  }
  void expect_red(const Told& told, const std::string& what) {
    EXPECT_EQ(told.code, 1) << told.out << told.err;
    EXPECT_TRUE(std::regex_search(told.out, std::regex("RED  [^\n]*" + what))) << what << "\n" << told.out;
  }
  std::filesystem::path folder_, list_;
  Told first_;
  std::string blocks_;
};

TEST_F(Baseline, AcceptsWhatItListsAndNothingElse) {
  expect_red(first_, "new: check-plugin_divisor.so.f32.");
  ASSERT_NE(blocks_, "");
  write(blocks_);
  const auto junit = folder_ / "results.xml";
  const Told accepted = check(divisor, " --junit " + junit.string());
  EXPECT_EQ(accepted.code, 0) << accepted.out << accepted.err << blocks_;
  EXPECT_EQ(number(read_junit(junit), "failures"), 0);
  EXPECT_NE(read_file(junit).find("accepted until 2999-12-31: the divisor is n-1 for now"),
            std::string::npos);

  expect_red(check(divisor, " --regime ramp"), "new: check-plugin_divisor.so.f32.ramp");
  fmt::print("{}", accepted.out.substr(accepted.out.find("baseline ")));
}

TEST_F(Baseline, OneEntryAcceptsWhatAMistakeDoesEverywhere) {
  const std::string all = " --regime unit_normal,large_mean,ramp,sorted,two_blocks,tiny_variance";
  write("# nothing yet\n");
  const Told first = check(divisor, all);
  EXPECT_EQ(first.code, 1);
  const auto at = first.out.find("finding  check-plugin_divisor.so.f32.*\n");
  ASSERT_NE(at, std::string::npos) << first.out;
  EXPECT_EQ(first.out.find("finding  ", at + 1), std::string::npos) << "one block\n" << first.out;
  std::string block = first.out.substr(at, first.out.find("expires", at) - at);
  block = std::regex_replace(block, std::regex("reason   \n"), "reason   the divisor is n-1 for now\n");
  block = std::regex_replace(block, std::regex("owner    \n"), "owner    norms team\n");
  write(block + "expires  2999-12-31\n");
  const Told accepted = check(divisor, all);
  EXPECT_EQ(accepted.code, 0) << accepted.out << accepted.err;
  fmt::print("{}", accepted.out.substr(accepted.out.find("baseline ")));
}

TEST_F(Baseline, IsRedWhereAnEntryHoldsNoMore) {
  ASSERT_NE(blocks_, "");
  write(replaced(blocks_, "2999-12-31", "2020-02-29"));
  expect_red(check(divisor), "expired on 2020-02-29");
  write(replaced(blocks_, "says     ", "says     nothing like "));
  expect_red(check(divisor), "changed: it now says");
  write(replaced(blocks_, "check-plugin_divisor", "check-plugin_right"));
  expect_red(check(right), "unexpectedly passing");
  write(replaced(blocks_, "check-plugin_divisor", "check-plugin_gone"));
  expect_red(check(right), "stopped running");
  write(replaced(blocks_, ".case\n", ".lost\n"));
  expect_red(check(divisor), "stopped running");
  fmt::print("expired, changed, unexpectedly passing, stopped running, its input lost\n");
}

TEST_F(Baseline, HoldsWhatTheTableExpectsForNoNews) {
  write("# nothing\n");
  const Told naive = check("naive/f32");
  EXPECT_EQ(naive.code, 0) << naive.out;
  EXPECT_EQ(run("check naive/f32" + small).code, 1) << "without a list every finding is one";
  fmt::print("naive/f32: exit 1 without a list, 0 with one\n");
}

TEST_F(Baseline, AListThatCannotBeReadIsOneLine) {
  for (const std::string text : {"finding only\n", "nonsense\n", "expires 2026-02-30\n"}) {
    write(text);
    const Told r = check(divisor);
    EXPECT_EQ(r.code, 2) << text;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    fmt::print("{}", r.err);
  }
  EXPECT_EQ(run("check naive/f32 --baseline /nowhere/list").code, 2);
}

}  // namespace
}  // namespace normcheck
