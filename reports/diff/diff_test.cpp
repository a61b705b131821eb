// A diff of two reports: nothing of equal ones, and each planted change in its place with its command.
#include "reports/diff/diff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

Json sample() {
  return Json::parse(
      R"({"schema":"normcheck-results/2","budget_evaluations":100,"plan":{"seed":1,"contract":"stable"},
    "run":{"instruction_set":"avx2"},
    "entries":[{"impl":"mine|x","dtype":"f32","expect":"pass","regimes":[
      {"regime":"ramp","verdict":"PASS","largest":{"error_ulp":1.5,"case":"a"},"largest_share_of_bound":0.2},
      {"regime":"corpus/public","verdict":"PASS","largest":null}]},
     {"impl":"naive/f32","dtype":"f32","expect":"cancels","regimes":[{"regime":"ramp","verdict":"PASS","largest":{"error_ulp":"inf"}}]}],
    "findings":[{"impl":"naive/f32","dtype":"f32","regime":"ramp","verdict":"FAIL","case":"B","expected":true,"replay":"normcheck replay B.case --impl naive/f32"}],
    "champions":[{"impl":"mine|x","dtype":"f32","n":32,"objective":"share","error_ulp":2.0,"command":"normcheck attack 'mine|x'"}]})");
}

const DiffLine* line_of(const ResultsDiff& d, Change change) {
  const auto at =
      std::find_if(d.lines.begin(), d.lines.end(), [&](const DiffLine& l) { return l.change == change; });
  return at == d.lines.end() ? nullptr : &*at;
}

TEST(Diff, EqualReportsDifferInNothing) {
  const ResultsDiff d = diff_results(sample(), sample());
  EXPECT_TRUE(d.lines.empty());
  EXPECT_TRUE(d.notes.empty());
  EXPECT_EQ(d.compared, 3);
  EXPECT_EQ(diff_markdown(d),
            "**normcheck**: 0 worse, 0 new, 0 fixed or gone, 0 better, of 3 pairs of implementation, dtype "
            "and regime in both\n");
}

TEST(Diff, EachPlantedChangeStandsInItsPlaceWithTheCommandThatShowsIt) {
  Json after = sample();
  after["entries"][0]["regimes"][0]["verdict"] = "FAIL";
  ResultsDiff d = diff_results(sample(), after);
  ASSERT_NE(line_of(d, Change::worse), nullptr);
  EXPECT_TRUE(line_of(d, Change::worse)->finding);
  EXPECT_EQ(line_of(d, Change::worse)->command,
            "check 'mine|x' --dtype f32 --regime ramp --seed 1 --budget 100");
  EXPECT_NE(line_of(diff_results(after, sample()), Change::better), nullptr);

  after = sample();
  after["entries"][0]["regimes"][0]["largest"]["error_ulp"] = 1.25;
  d = diff_results(sample(), after);
  ASSERT_NE(line_of(d, Change::better), nullptr);
  EXPECT_EQ(line_of(d, Change::better)->was, "1.5 ulp");
  EXPECT_EQ(line_of(d, Change::better)->now, "1.25 ulp");

  after = sample();
  after["findings"][0]["case"] = "C";
  d = diff_results(sample(), after);
  ASSERT_NE(line_of(d, Change::appeared), nullptr);
  ASSERT_NE(line_of(d, Change::gone), nullptr);
  EXPECT_FALSE(line_of(d, Change::appeared)->finding);  // it is expected
  EXPECT_EQ(line_of(d, Change::appeared)->command, "normcheck replay B.case --impl naive/f32");

  after = sample();
  after["champions"][0]["error_ulp"] = 3.0;
  EXPECT_NE(line_of(diff_results(sample(), after), Change::worse), nullptr);

  after = sample();
  after["plan"]["seed"] = 2;
  EXPECT_EQ(diff_results(sample(), after).notes.size(), 1U);
}

TEST(Diff, WhatIsLostOrProvesLessIsWorse) {
  Json after = sample();
  after["entries"].erase(0);  // an implementation that should pass
  ResultsDiff d = diff_results(sample(), after);
  ASSERT_NE(line_of(d, Change::worse), nullptr);
  EXPECT_TRUE(line_of(d, Change::worse)->finding);
  EXPECT_EQ(d.lines.size(), 1U) << "one line for all of it";

  after = sample();
  after["entries"][0]["regimes"].erase(0);
  ASSERT_NE(line_of(diff_results(sample(), after), Change::worse), nullptr);

  after = sample();
  after["entries"][0]["regimes"][0]["verdict"] = "VOID";
  d = diff_results(sample(), after);
  ASSERT_NE(line_of(d, Change::worse), nullptr);
  EXPECT_FALSE(line_of(d, Change::worse)->finding);

  for (const Json& largest : {Json(), Json{{"error_ulp", "nan"}}}) {
    after = sample();
    after["entries"][0]["regimes"][0]["largest"] = largest;
    EXPECT_NE(line_of(diff_results(sample(), after), Change::worse), nullptr);
    EXPECT_TRUE(diff_results(after, after).lines.empty());
  }
  after = sample();
  after["entries"][0]["expect"] = "fails";
  EXPECT_EQ(diff_results(sample(), after).notes.size(), 1U);
  after = sample();
  after["champions"] = Json::array();
  EXPECT_NE(line_of(diff_results(sample(), after), Change::gone), nullptr);
}

TEST(Diff, ATableOfMarkdownKeepsItsColumnsWhateverTheNamesAre) {
  Json after = sample();
  after["entries"][0]["regimes"][0]["largest"]["error_ulp"] = 9;
  const std::string text = diff_markdown(diff_results(sample(), after));
  EXPECT_NE(text.find("mine\\|x f32"), std::string::npos) << text;
  EXPECT_NE(text.find("`normcheck check 'mine\\|x' --dtype f32"), std::string::npos) << text;
}

TEST(Diff, AMemberThatIsMissingOrOfAnotherTypeIsNotComparedAndNothingBreaks) {
  for (const char* name : {"entries", "plan", "findings", "champions", "run", "budget_evaluations"}) {
    for (const Json& in_place :
         {Json(), Json(3), Json("x"), Json::array({1, "y", Json::array()}), Json::object()}) {
      Json other = sample();
      other[name] = in_place;
      diff_text(diff_results(sample(), other), "normcheck");
      diff_markdown(diff_results(other, sample()));
    }
  }
}

}  // namespace
}  // namespace normcheck
