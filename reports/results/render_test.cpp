// `render`: a report is made again from its results.json, byte for byte, and what is not there is said.
#include "reports/results/render.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <sstream>

#include "corpus/case_file.h"
#include "props/command_run.h"
#include "reports/kappa_sweep.h"
#include "reports/named_case.h"
#include "reports/results/complete.h"
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

TEST(Render, AMemberThatTheSchemaHasAndTheDocumentLacksIsOneLineAndExitTwo) {
  const Json whole = read_results(reported() / "results.json");
  EXPECT_EQ(missing_member(whole), "");
  std::size_t lacking = 0;
  std::string last;
  // Every member of the document, and of the first element of every list, and of the lists in that.
  const std::function<void(const Json&, const Json::json_pointer&)> each = [&](const Json& value,
                                                                               const Json::json_pointer& at) {
    for (const auto& [name, inner] : value.items()) {
      if (at.to_string().find("/semantics") != std::string::npos) continue;
      Json less = whole;
      less[at].erase(name);
      const std::string said = missing_member(less);
      // What came since the schema has its number, and what only some have, may be missing.
      const bool is_new = name.ends_with("_hex") || name == "accuracy" || name == "detection_floor" ||
                          name == "time_ratio_on_f32" || name.starts_with("own_") || name == "input" ||
                          name == "text" || name == "recipe" || name == "cause" || name == "stage" ||
                          name == "worst" || name == "reason" || name == "file" || name == "p99_ulp" ||
                          name == "share_not_correctly_rounded" || name == "largest_normwise_finite" ||
                          name == "out_of_range" || name == "case" ||
                          at.to_string().starts_with("/public_inputs");
      if (!is_new) {
        EXPECT_NE(said.find(name), std::string::npos) << at << " without " << name;
        ++lacking;
        last = name;
      }
      if (inner.is_array() && !inner.empty() && inner[0].is_object() && at.to_string().size() < 24)
        each(inner[0], at / name / 0);
    }
  };
  each(whole, Json::json_pointer());
  EXPECT_GT(lacking, 100U);
  const auto folder = fresh_folder("lacking");
  for (const char* name : {"heat", "cases", "run", "peers"}) {
    Json less = whole;
    less.erase(name);
    write_file_atomically(folder / "less.json", less.dump());
    const Told r = run("render " + (folder / "less.json").string() + " --out " + (folder / "out").string());
    EXPECT_EQ(r.code, 2) << name;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_NE(r.err.find(fmt::format("no member \"{}\"", name)), std::string::npos) << r.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out")) << "nothing is written";
  fmt::print("{} members, each missed where it lacks\n", lacking);
}

TEST(Render, AUsedFolderKeepsWhatAUserPutThereAndNothingOfTheOlderReport) {
  const auto folder = fresh_folder("used");
  const std::string line =
      "report two_pass/f32 --dtype f32 --n 4..8 --budget 40 --no-timing --out " + folder.string();
  ASSERT_EQ(run(line + " --seed 1").code, 0);
  const auto first = files_below(folder);
  write_file_atomically(folder / "cases" / "mine.case", "mine");
  write_file_atomically(folder / "svg" / "mine.svg", "mine");
  std::string changed;  // one of its own, which a user has since changed
  for (const auto& [name, content] : first) {
    if (name.starts_with("cases/") && name.find("-1-") != std::string::npos) changed = name;
  }
  ASSERT_FALSE(changed.empty());
  write_file_atomically(folder / changed, first.at(changed) + "# mine\n");
  const Told r = run(line + " --seed 2");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("of the report that lay in"), std::string::npos) << r.err;
  const auto second = files_below(folder);
  EXPECT_TRUE(second.contains("cases/mine.case"));
  EXPECT_TRUE(second.contains("svg/mine.svg"));
  EXPECT_TRUE(second.contains(changed));
  const auto alone = fresh_folder("alone");
  ASSERT_EQ(run("render " + (folder / "results.json").string() + " --out " + alone.string()).code, 0);
  EXPECT_EQ(files_below(alone).size() + 3, second.size()) << "beside the user's three";
  fmt::print("{} files, then {}: {}", first.size(), second.size(), r.err);
}

// The report's rule: no maximum without its input.
TEST(Render, EveryPointAndEveryLargestErrorIsShownAgainByTheNameOfItsInput) {
  const Json results = read_results(reported() / "results.json");
  int points = 0;
  for (const char* sweep : {"error_vs_kappa", "error_vs_n"}) {
    for (const Json& curve : list_in(results, sweep)) {
      const Row& row = *find_row(text_in(curve, "impl"));
      for (const Json& point : list_in(curve, "points")) {
        const auto c = case_of_name(text_in(point, "case"));
        ASSERT_TRUE(c) << text_in(point, "case");
        if (c->x.size() > 8192) continue;
        const KappaPoint again = measure_point(row, *c, {ContractKind::own, &row}, OracleChoice::automatic);
        EXPECT_EQ(json_number(again.error_ulp), member(point, "error_ulp")) << text_in(point, "case");
        ++points;
      }
    }
  }
  EXPECT_GT(points, 100);
  int inputs = 0, names = 0;
  for (const Json& one : list_in(results, "cases")) {
    const std::string input = text_in(one, "input");
    if (const auto made = case_of_name(input)) {
      EXPECT_EQ(sha256_hex(format_case(*made)), text_in(one, "sha256")) << input;
      // Planted: another seed is another case.
      std::string other = input;
      const auto seed = other.find("-1-");
      if (seed != std::string::npos) {
        const auto made_otherwise = case_of_name(other.replace(seed, 3, "-2-"));
        if (made_otherwise && made_otherwise->x.size() > 4 && text_in(one, "id").starts_with("unit_normal"))
          EXPECT_NE(format_case(*made_otherwise), format_case(*made));
      }
      ++names;
    } else {
      EXPECT_TRUE(input.starts_with("corpus/") || input.starts_with(reported().string())) << input;
    }
    ++inputs;
  }
  EXPECT_GT(names * 2, inputs);
  // As it is pasted: the same error as the page says.
  const Json& curve = list_in(results, "error_vs_kappa")[0];
  const Json& point = list_in(curve, "points")[4];
  const Told r =
      run(fmt::format("replay {} --contract own --impl {}", text_in(point, "case"), text_in(curve, "impl")));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find(text_in(point, "case")), std::string::npos) << r.out;
  for (const char* bad :
       {"kappa-0-f32-8x64-1", "kappa-1-f32-8x-1", "kappa-1-f99-8x64-1", "kappa-1-f32-9999999x64-1",
        "unit_normal-f32-64-1-3,2x", "unit_normal-f32-64-1-3,2x64,what", "no-f32-64-1-3,2x64"}) {
    const Told refused = run(fmt::format("replay {} --impl naive/f32", bad));
    EXPECT_EQ(refused.code, 2) << bad;
    EXPECT_TRUE(is_one_line(refused.err)) << refused.err;
  }
  fmt::print("{} points, and {} of {} inputs made again by their names\n", points, names, inputs);
}

TEST(Render, CommandsAreThoseOfACheckoutAndNamesAreAligned) {
  const auto folder = fresh_folder("aligned");
  const Told r =
      run("report naive/f32 naive/f32/folded naive_clamped/f32 --dtype f32 --n 4..32 --budget 200 "
          "--no-timing --out " +
          folder.string());
  const auto start = r.out.find("findings that were expected\n");
  ASSERT_NE(start, std::string::npos) << r.out;
  std::istringstream text(r.out.substr(start));
  std::string line;
  std::getline(text, line);
  std::set<std::size_t> columns;
  while (std::getline(text, line) && line.starts_with("  ")) {
    EXPECT_LE(line.size(), 100U) << line;
    if (const auto of = line.find(" of ");
        of != std::string::npos && line.find(" cases ") != std::string::npos)
      columns.insert(of);
  }
  EXPECT_EQ(columns.size(), 1U) << r.out.substr(start);
  const std::string results = read_file(folder / "results.json");
  EXPECT_EQ(results.find("\"normcheck replay"), std::string::npos);
  EXPECT_NE(results.find("\"build/release/normcheck replay"), std::string::npos);
  const auto picture = folder / "made" / "graph.svg";
  const Told told = run("explain kappa-100-f32-1x64-1 --impl two_pass/f32 --svg " + picture.string());
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.out.find("(its folder was made)"), std::string::npos) << told.out;
  const Told again = run("explain kappa-100-f32-1x64-1 --impl two_pass/f32 --svg " + picture.string());
  EXPECT_EQ(again.out.find("(its folder was made)"), std::string::npos) << again.out;
  fmt::print("{} lines in one column\n", columns.size());
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
