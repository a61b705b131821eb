// `render`: a report is made again from its results.json, byte for byte, and what is not there is said.
#include "reports/results/render.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "corpus/case_file.h"
#include "props/command_run.h"
#include "reports/results/reader.h"

namespace normcheck {
namespace {

/// Every file below the folder but results.json, by its path there.
std::map<std::string, std::string> files_below(const std::filesystem::path& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (entry.is_regular_file() && name != "results.json") out[name] = read_file(entry.path());
  }
  return out;
}

/// One report for all tests here.
const std::filesystem::path& reported() {
  static const std::filesystem::path folder = [] {
    const auto out = fresh_folder("rendered");
    run("report naive/f32 two_pass/f32 --dtype f32,bf16 --budget 400 --no-timing --out " + out.string());
    return out;
  }();
  return folder;
}

TEST(Render, GivesTheSameBytesAsTheReport) {
  const auto again = fresh_folder("again");
  const Told r = run("render " + (reported() / "results.json").string() + " --out " + again.string());
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  const auto first = files_below(reported()), second = files_below(again);
  for (const char* name : {"index.html", "report.md", "results.csv", "junit.xml",
                           "svg/error_vs_kappa_f32.svg", "svg/error_vs_n_bf16.svg", "svg/heat_f32.svg"})
    EXPECT_TRUE(first.contains(name)) << name;
  ASSERT_EQ(first.size(), second.size());
  std::size_t bytes = 0;
  for (const auto& [name, content] : first) {
    ASSERT_TRUE(second.contains(name)) << name;
    EXPECT_TRUE(second.at(name) == content) << name << " differs";
    bytes += content.size();
  }
  fmt::print("{} files, {} bytes, twice the same\n", first.size(), bytes);
}

TEST(Render, EveryCaseThatIsNamedIsThereAndIsThatCase) {
  const Json results = read_results(reported() / "results.json");
  std::map<std::string, std::string> files;
  for (const Json& one : list_in(results, "cases")) files[text_in(one, "id")] = text_in(one, "file");
  int named = 0;
  for (const Json& entry : list_in(results, "entries")) {
    for (const Json& tally : list_in(entry, "regimes")) {
      for (const char* what : {"largest", "largest_finite", "largest_normwise_finite"}) {
        const Json& largest = member(tally, what);
        if (!largest.is_object()) continue;
        const std::string id = text_in(largest, "case");
        ASSERT_TRUE(files.contains(id)) << id;
        EXPECT_EQ(read_case(reported() / files[id]).id, id);
        ++named;
      }
    }
  }
  EXPECT_GT(named, 50);
  fmt::print("{} errors of {} cases, each with its input\n", named, files.size());
}

TEST(Render, ACompressedOneGivesTheSameAndOneCutShortIsRefused) {
  const auto folder = fresh_folder("gz");
  const auto packed = folder / "results.json.gz";
  const std::string line =
      fmt::format("gzip -c '{}' > '{}'", (reported() / "results.json").string(), packed.string());
  ASSERT_EQ(std::system(line.c_str()), 0);
  EXPECT_TRUE(read_results(packed) == read_results(reported() / "results.json"));
  const std::string bytes = read_file(packed);
  write_file_atomically(folder / "cut.json.gz", bytes.substr(0, bytes.size() / 2));
  const Told r = run("render " + (folder / "cut.json.gz").string() + " --out " + (folder / "out").string());
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(is_one_line(r.err)) << r.err;
  fmt::print("{} bytes packed, read like those that are not\n", bytes.size());
}

TEST(Render, WhatIsNotResultsIsOneLineAndExitTwo) {
  const auto folder = fresh_folder("bad");
  const std::string text = read_file(reported() / "results.json");
  const std::map<std::string, std::string> bad = {
      {"truncated", text.substr(0, text.size() / 2)},
      {"empty", ""},
      {"list", "[]"},
      {"number", "{\"schema\": \"normcheck-results/2\", \"seed\": 1e999999}"},
      {"no_schema", "{}"},
      {"number_schema", "{\"schema\": 2}"},
      {"old", "{\"schema\": \"normcheck-results 1\"}"},
      {"newer", "{\"schema\": \"normcheck-results/3\\n\\u0007\"}"},
      {"bytes", std::string("\x00\xff\xfe{", 4)}};
  for (const auto& [name, content] : bad) {
    write_file_atomically(folder / name, content);
    const Told r = run("render " + (folder / name).string() + " --out " + (folder / "out").string());
    EXPECT_EQ(r.code, 2) << name;
    EXPECT_TRUE(is_one_line(r.err)) << name << ": " << r.err;
    EXPECT_NE(r.err.find(name), std::string::npos) << r.err;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing is written";
  const Told absent = run("render " + (folder / "none").string());
  EXPECT_EQ(absent.code, 2);
  EXPECT_TRUE(is_one_line(absent.err)) << absent.err;
  fmt::print("{} files that are no results, each refused in a line\n", bad.size() + 1);
}

/// What any reader of results must bear: a member that is not there, null, or of another type.
TEST(Render, WhatIsNotThereIsNotRunAndNeverBlank) {
  Json results = read_results(reported() / "results.json");
  for (auto& [name, part] : results.items()) {  // three of each will do
    while (part.is_array() && part.size() > 3) part.erase(part.size() - 1);
  }
  int tried = 0;
  const auto try_it = [&](const Json& changed) {
    std::vector<std::string> notes;
    std::vector<RenderedFile> files;
    ASSERT_NO_THROW(files = rendered_files(changed, notes));
    for (const RenderedFile& file : files) {
      if (file.path != "report.md") continue;
      EXPECT_EQ(file.content.find("|  |"), std::string::npos) << "a blank cell";
      EXPECT_EQ(file.content.find("null"), std::string::npos);
    }
    ++tried;
  };
  for (const auto& [name, value] : results.items()) {
    if (name == "schema") continue;
    for (const Json& instead : {Json(), Json("x"), Json(7), Json::array(), Json::object(),
                                Json::array({1, nullptr, "x", Json::object()})}) {
      Json changed = results;
      changed[name] = instead;
      try_it(changed);
    }
    Json changed = results;
    changed.erase(name);
    try_it(changed);
  }
  Json bare;
  bare["schema"] = results_schema;
  try_it(bare);
  EXPECT_NE(report_markdown(bare).find("Not run"), std::string::npos);
  fmt::print("{} documents with something missing or wrong, none with a blank cell\n", tried);
}

TEST(Render, ACaseThatThisBuildMakesOtherwiseIsLeftOutAndSaid) {
  Json results = read_results(reported() / "results.json");
  int recipes = 0;
  for (Json& one : results["cases"]) {
    if (!one.contains("recipe")) continue;
    one["recipe"]["seed"] = one["recipe"]["seed"].get<int>() + 1;
    ++recipes;
  }
  results["cases"].push_back({{"id", "x"}, {"file", "cases/../../escaped.case"}, {"text", "x"}});
  ASSERT_GT(recipes, 0);
  std::vector<std::string> notes;
  const auto files = results_cases(results, notes);
  EXPECT_EQ(notes.size(), static_cast<std::size_t>(recipes) + 1);
  EXPECT_EQ(files.size() + notes.size(), results["cases"].size());
  fmt::print("{} recipes changed, and a path that leaves the folder: all left out\n", recipes);
}

TEST(Render, HostileNamesAreNoMarkup) {
  Json results = read_results(reported() / "results.json");
  const std::string hostile = "<script>alert(1)</script>|`x`\n# y";
  for (Json& entry : results["entries"]) entry["impl"] = hostile;
  for (Json& one : results["implementations"]) one["name"] = hostile;
  for (Json& curve : results["error_vs_kappa"]) curve["impl"] = hostile;
  std::vector<std::string> notes;
  for (const RenderedFile& file : rendered_files(results, notes)) {
    if (file.path == "results.csv") continue;
    EXPECT_EQ(file.content.find("<script>alert"), std::string::npos) << file.path;
    if (file.path == "report.md") EXPECT_EQ(file.content.find("\n# y"), std::string::npos);
  }
}

// However short the time, what a row is known to violate is run: nothing is unexpected for want of it.
TEST(Render, AReportOfAFewSecondsSaysWhatItLeftOut) {
  const auto folder = fresh_folder("short");
  const Told r = run("report --budget 2s --dtype f16 --no-timing --out " + folder.string());
  EXPECT_EQ(r.code, 0) << r.out;
  const Json results = read_results(folder / "results.json");
  const Json& plan = member(results, "plan");
  EXPECT_EQ(number_of(member(plan, "budget_seconds")), 2);
  EXPECT_TRUE(member(plan, "budget_evaluations").is_null());
  ASSERT_FALSE(list_in(plan, "not_run").empty());
  const std::string markdown = read_file(folder / "report.md");
  for (const Json& sentence : list_in(plan, "not_run")) {
    const std::string start = text_of(sentence).substr(0, 20);
    EXPECT_NE(markdown.find("- Not run: " + start), std::string::npos) << start;
    fmt::print("left out: {}\n", text_of(sentence));
  }
  EXPECT_LT(markdown.size(), 60000U);
}

TEST(Render, AKernelFromOutsideIsReportedBesideRows) {
  const auto folder = fresh_folder("outside");
  const std::string plugin = std::string(NORMCHECK_PLUGINS) + "/plugin_divisor.so";
  const Told r = run("report two_pass/f32 " + plugin +
                     " --dtype f32 --n 1..64 --budget 200 --no-timing --out " + folder.string());
  EXPECT_EQ(r.code, 1) << r.out << r.err;
  const Json results = read_results(folder / "results.json");
  const Json& all = list_in(results, "implementations");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(text_in(all[0], "kind"), "row");
  EXPECT_EQ(text_in(all[1], "kind"), "plugin");
  EXPECT_TRUE(member(all[1], "algorithm").is_null());
  EXPECT_EQ(text_in(member(all[1], "semantics"), "variance"), "unbiased: divides by n-1");
  EXPECT_EQ(text_in(member(all[0], "semantics"), "variance"), "biased: divides by n");
  const std::string markdown = read_file(folder / "report.md");
  EXPECT_NE(markdown.find("## Findings"), std::string::npos);
  EXPECT_NE(markdown.find("unbiased: divides by n-1"), std::string::npos);
  fmt::print("{} is {}\n", text_in(all[1], "name"), text_in(member(all[1], "semantics"), "variance"));
}

TEST(Render, TheMarkdownStaysUnder60KB) {
  const std::size_t size = read_file(reported() / "report.md").size();
  EXPECT_LT(size, 60000U);
  fmt::print("report.md of two rows: {} bytes\n", size);
}

}  // namespace
}  // namespace normcheck
