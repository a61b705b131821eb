// What the command writes: results that repeat byte for byte, files that are whole or absent, a report that
// says what it found and a check that says what it could miss.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "corpus/case_file.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

/// results.json up to its last part, the `run` object.
std::string deterministic_part(const std::filesystem::path& folder) {
  const std::string text = read_file(folder / "results.json");
  const auto at = text.rfind("\n \"run\": {");
  EXPECT_NE(at, std::string::npos);
  return text.substr(0, at);
}

std::string normalised(std::string text, const std::string& folder) {
  for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder))
    text.replace(at, folder.size(), "OUT");
  return text;
}

TEST(Command, TheSameSeedAndBudgetGiveTheSameBytes) {
  const auto a = fresh_folder("a"), b = fresh_folder("b");
  const std::string options =
      "report naive/f32 two_pass/f32 two_pass/f16 --n 1..200 --budget 600 --no-timing --out ";
  const Told first = run(options + a.string()), second = run(options + b.string());
  EXPECT_EQ(first.code, second.code);
  EXPECT_EQ(normalised(first.out, a.string()), normalised(second.out, b.string()));
  const std::string results = normalised(deterministic_part(a), a.string());
  EXPECT_EQ(results, normalised(deterministic_part(b), b.string()));
  EXPECT_EQ(read_file(a / "svg/error_vs_kappa_f32.svg"), read_file(b / "svg/error_vs_kappa_f32.svg"));

  const auto other = fresh_folder("other");
  run(options + other.string() + " --seed 2");
  EXPECT_NE(results, normalised(deterministic_part(other), other.string()))
      << "another seed must give other results";

  const std::string check =
      "check naive/f32 --dtype f32 --regime large_mean,constant --budget 300 --n 1..200 --json ";
  EXPECT_EQ(run(check + (a / "check.json").string()).code, 1);
  EXPECT_EQ(run(check + (b / "check.json").string()).code, 1);
  const std::string lines = read_file(a / "check.json");
  EXPECT_EQ(lines, read_file(b / "check.json"));
  EXPECT_TRUE(lines.starts_with("{\"record\":\"check\",\"impl\":\"naive/f32\",\"dtype\":\"f32\"")) << lines;
  EXPECT_NE(lines.find("{\"record\":\"finding\""), std::string::npos);
  EXPECT_EQ(lines.find(":nan"), std::string::npos) << "a number that is none must be a string";
  EXPECT_EQ(lines.find(":null"), std::string::npos) << lines;
  fmt::print("{} bytes of results.json and {} of JSON lines, twice the same\n", results.size(), lines.size());
}

// A row that fails rarely fails on its case of the corpus, however small the budget; a variant with a coarse
// root fails for itself, not for its algorithm.
TEST(Command, AReportIsRedForWhatIsUnexpectedAlone) {
  const Told rare =
      run("report shifted/f32 shifted/f64 --budget 20 --no-timing --out " + fresh_folder("rare").string());
  EXPECT_EQ(rare.code, 0) << rare.out;

  const Told coarse =
      run("report two_pass/f32 two_pass/f32/newton0 two_pass/f32 --dtype f32 --regime unit_normal --n 4 "
          "--budget 40 "
          "--no-timing --out " +
          fresh_folder("coarse").string());
  EXPECT_EQ(coarse.code, 0) << coarse.out;
  EXPECT_TRUE(std::regex_search(coarse.out, std::regex("two_pass +holds"))) << coarse.out;
  EXPECT_TRUE(std::regex_search(coarse.out, std::regex("two_pass/f32/newton0 +[1-9]"))) << coarse.out;
}

TEST(Command, AReportMarksFirstOrderFormsAsSuch) {
  const auto folder = fresh_folder("first_order");
  run("report naive/f32 two_pass/f32 --n 4 --budget 20 --no-timing --out " + folder.string());
  const std::string report = read_file(folder / "report.md");
  const auto at = report.find("## Cost against accuracy, and the bound to first order");
  ASSERT_NE(at, std::string::npos);
  EXPECT_NE(report.find("no verdict uses these", at), std::string::npos);
  EXPECT_NE(
      report.find("`\\|mean^ - mu\\| <= (n-1) u mean\\|x\\| + u\\|mu\\|;  \\|var^ - V\\| <= (n+3) u V + E^2`",
                  at),
      std::string::npos)
      << report.substr(at);
  EXPECT_NE(report.find("\n| naive | ", at), std::string::npos);
  EXPECT_EQ(report.find("\n| welford | ", at), std::string::npos) << "it was not judged";
}

/// The share of its bound in the row "two_pass/f32", in the column of that dtype.
std::string share_in_table(const std::string& markdown, const std::string& dtype) {
  std::smatch m;
  const std::regex row(std::string("\\| two_pass/f32 \\| right \\| ") +
                       (dtype == "f32" ? "" : "[^|\n]*\\| [^|\n]*\\| ") + "[^|\n]*share ([^ |]+) \\|");
  EXPECT_TRUE(std::regex_search(markdown, m, row)) << markdown;
  return m[1].str();
}

TEST(Command, TheReportSaysWhatHalfAccumulationDoesAndShowsThePlot) {
  const auto folder = fresh_folder("report");
  const Told r =
      run("report two_pass/f16 two_pass/f32 --dtype f16,f32 --n 1..64 --budget 300 --out " + folder.string());
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  const std::string sentence =
      "Half accumulation of 2048 ones, then 2048 twos, in f16 gives mean 1.0 for 1.5 (two_pass/f16: FAIL)";
  EXPECT_NE(r.out.find(sentence), std::string::npos) << r.out;
  const std::string markdown = read_file(folder / "report.md");
  EXPECT_NE(markdown.find(sentence), std::string::npos);
  EXPECT_NE(markdown.find("svg/error_vs_kappa_f32.svg"), std::string::npos);
  EXPECT_TRUE(read_file(folder / "svg/error_vs_kappa_f32.svg").ends_with("</svg>\n"));

  // The headline is of f32 alone: in f16 the last rounding is nearly all that is allowed.
  const std::string f32 = share_in_table(markdown, "f32"), f16 = share_in_table(markdown, "f16");
  EXPECT_LT(std::stod(f32), std::stod(f16));
  const std::string headline = fmt::format("no error above {} of its allowance (f32)\n", f32);
  EXPECT_NE(r.out.find(headline), std::string::npos) << headline << r.out;
  const Told half = run("report two_pass/f32 --dtype f16 --n 1..64 --budget 40");
  EXPECT_EQ(half.out.find("no error above"), std::string::npos) << half.out;
  fmt::print("the sentence, the plot, and the largest share: {} in f32, {} in f16\n", f32, f16);
}

TEST(Command, ARowThatIsExpectedToFailAndNeverDoesTurnsTheReportRed) {
  const Told r = run("report naive/f32 --regime single_element --dtype f32 --budget 20");
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_NE(r.out.find("naive/f32 is expected to fail"), std::string::npos) << r.out;
  fmt::print("naive/f32 on single elements, where it is right: exit {}\n", r.code);
}

TEST(Command, WhatItWritesIsWholeOrAbsent) {
  const auto folder = fresh_folder("whole");
  write_file_atomically(folder / "file", "x");
  const Told r = run("check naive/f32 --dtype f32 --regime large_mean --budget 50 --n 8 --out " +
                     (folder / "file").string());
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(is_one_line(r.err)) << r.err;
  EXPECT_EQ(r.out, "");
  EXPECT_EQ(read_file(folder / "file"), "x");
  run("check naive/f32 --dtype f32 --regime large_mean --budget 50 --n 8 --out " + (folder / "out").string());
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "out")) {
    if (!entry.is_regular_file()) continue;
    ++files;
    EXPECT_EQ(entry.path().extension(), ".case") << entry.path();
    EXPECT_NO_THROW(read_case(entry.path()));
  }
  EXPECT_GT(files, 0);
  fmt::print("an unwritable --out left nothing behind; {} files of findings are whole\n", files);
}

TEST(Command, CheckPrintsWhereNaivesErrorIsAllowed) {
  const Told r = run("check two_pass/f32 --dtype f32 --regime large_mean --budget 20 --n 8");
  std::smatch m;
  ASSERT_TRUE(std::regex_search(
      r.out, m,
      std::regex(
          "\n  blind zone: naive's error is allowed at  n 64: kappa 1 to (100?|1e3), [^\n]* up   n 1024: "
          "[^\n]+   n 4096: [^\n]+   n 65536: [^\n]+\n")))
      << r.out;
  // A decade inside the zone of n = 64 and one outside it, on other rows.
  const auto folder = fresh_folder("blind");
  for (const auto& [mean, seen] : {std::pair(10.0, 0), std::pair(1e4, 1)}) {
    write_case(folder / "rows.case", drawn_case(DType::f32, 8, 64, mean));
    EXPECT_EQ(run("replay --impl naive/f32 " + (folder / "rows.case").string()).code, seen) << mean;
  }
  EXPECT_EQ(r.out, run("check two_pass/f32 --dtype f32 --regime large_mean --budget 20 --n 8").out);
  fmt::print("n = 64: allowed up to kappa {}; naive passes at 10 and fails at 1e4\n", m[1].str());
}

TEST(Command, AReportOnAllHasTheDetectionFloorThatListPrints) {
  const auto folder = fresh_folder("floor");
  const std::string options = " --dtype bf16 --regime constant --budget 10 --n 1..4 --no-timing --out ";
  run("report" + options + (folder / "all").string());
  const std::string list = run("list --floor --dtype bf16").out;
  ASSERT_NE(list.find("\nbf16, balanced "), std::string::npos) << list;
  EXPECT_NE(read_file(folder / "all/report.md").find(list), std::string::npos);
  const std::string results = read_file(folder / "all/results.json");
  const std::regex point(
      "\\{\"dtype\":\"bf16\",\"data\":\"(balanced|normal)\",\"n\":[0-9]+,\"contract\":\"[^\"]+\",\"root\":");
  const auto points =
      std::distance(std::sregex_iterator(results.begin(), results.end(), point), std::sregex_iterator());
  EXPECT_EQ(points, 2 * 7 * 6) << "kinds of data, lengths, contracts";
  fmt::print("{} points of bf16, in report.md as list prints them\n", points);
}

}  // namespace
}  // namespace normcheck
