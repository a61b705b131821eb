// Every number of a recommendation stands where it says: each pointer resolves, and its value is in the
// sentence.
#include "reports/advice/recommendations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "corpus/case_file.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

/// What is wrong with the recommendations `said` of the results; empty: nothing.
std::string fault_of(const Json& results, const Json& said) {
  for (const Json& r : said) {
    const std::string sentence = r.at("sentence"), standing = r.at("standing");
    if (standing != "proven" && standing != "largest known") return "standing: " + standing;
    if (r.at("from").empty()) return "no source: " + sentence;
    for (const std::string pointer : r.at("from")) {
      const Json::json_pointer at(pointer);
      if (!results.contains(at)) return pointer + " is nowhere: " + sentence;
      if (sentence.find(cited_text(results.at(at))) == std::string::npos)
        return fmt::format("{} is {}, which is not in: {}", pointer, results.at(at).dump(), sentence);
    }
  }
  return "";
}

/// The results of a small report, by the command itself.
Json results_of_report() {
  const auto folder = fresh_folder("recommended");
  const Told r =
      run(fmt::format("report naive/f32 two_pass/f32 pairwise/f32 neumaier/f32 two_pass/f64 two_pass/f16 "
                      "--budget 3000 --no-timing "
                      "--out {}",
                      folder.string()));
  EXPECT_LE(r.code, 1) << r.err;
  return Json::parse(read_file(folder / "results.json"));
}

const Json& small_report() {
  static const Json results = results_of_report();
  return results;
}

TEST(Recommendations, EveryPointerResolvesToWhatTheSentenceSays) {
  const Json& results = small_report();
  const Json said = recommendations(results);
  EXPECT_EQ(fault_of(results, said), "");
  EXPECT_GE(said.size(), 5u);
  EXPECT_LE(said.size(), 14u);
  for (const Json& r : said)
    fmt::print("{}: {}\n", r["standing"].get<std::string>(), r["sentence"].get<std::string>());
  // The check itself sees a number that is another, and a pointer that leads nowhere.
  Json other = results;
  const Json::json_pointer first(said[0]["from"].back().get<std::string>());
  other[first] = 12345.678;
  EXPECT_NE(fault_of(other, said), "");
  Json lost = said;
  lost[0]["from"].push_back("/error_vs_kappa/999/impl");
  EXPECT_NE(fault_of(results, lost), "");
}

TEST(Recommendations, FollowTheResults) {
  Json results = small_report();
  const Json said = recommendations(results);
  EXPECT_NE(said.dump().find("Nothing is proven of naive/f32"), std::string::npos) << said.dump(1);
  EXPECT_NE(said.dump().find("take two_pass/f64"), std::string::npos) << said.dump(1);
  // Were the bound of two_pass/f64 void, it would not be recommended, and were naive's finite, nothing would
  // be said of it.
  for (Json& curve : results["error_vs_kappa"]) {
    for (Json& point : curve["points"]) {
      if (curve["impl"] == "two_pass/f64") point["bound_ulp"] = "inf";
      if (curve["impl"].get<std::string>().starts_with("naive/")) point["bound_ulp"] = 3.0;
    }
  }
  const Json changed = recommendations(results);
  EXPECT_EQ(fault_of(results, changed), "");
  EXPECT_EQ(changed.dump().find("take two_pass/f64"), std::string::npos) << changed.dump(1);
  EXPECT_EQ(changed.dump().find("Nothing is proven of naive"), std::string::npos) << changed.dump(1);
}

/// Every member of every object and every element lost in turn, or replaced by something else.
void damage(const Json& whole, Json& at, int depth, int& tried, const std::function<void()>& check) {
  if (depth == 0 || !at.is_structured()) return;
  for (auto it = at.begin(); it != at.end(); ++it) {
    const Json kept = *it;
    for (const Json& other : {Json(), Json("text"), Json(-1), Json::array({1}), Json::object()}) {
      *it = other;
      ++tried;
      check();
    }
    *it = kept;
    damage(whole, *it, depth - 1, tried, check);
  }
}

TEST(Recommendations, NoDocumentBreaksThem) {
  Json results = small_report();
  // One curve of two points of each member is enough to damage.
  for (const char* member : {"error_vs_kappa", "error_vs_n"}) {
    Json few = Json::array();
    for (const Json& curve : results[member]) {
      if (curve["dtype"] != "f32") continue;
      Json cut = curve;
      while (cut["points"].size() > 2) cut["points"].erase(cut["points"].begin());
      few.push_back(cut);
    }
    results[member] = few;
  }
  for (const char* member : {"heat", "public_inputs", "findings", "detection_floor", "run", "plan"})
    results.erase(member);
  int tried = 0;
  damage(results, results, 3, tried, [&] { EXPECT_EQ(fault_of(results, recommendations(results)), ""); });
  for (const char* text : {"null", "[]", "{}", "1", "\"x\"", R"({"entries":[1,null]})"})
    EXPECT_TRUE(recommendations(Json::parse(text)).is_array());
  EXPECT_GT(tried, 1000);
  fmt::print("{} documents\n", tried);
}

}  // namespace
}  // namespace normcheck
