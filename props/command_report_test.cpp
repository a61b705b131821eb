// What the command writes and judges: results that repeat byte for byte, files that are whole or absent, and
// arrays judged from outside.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "corpus/npy.h"
#include "impl/table.h"
#include "props/command_run.h"
#include "props/promise.h"

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
  const std::string options = "report naive/f32 two_pass/f32 two_pass/f16 --n 1..200 --budget 600 --out ";
  const Told first = run(options + a.string()), second = run(options + b.string());
  EXPECT_EQ(first.code, second.code);
  EXPECT_EQ(normalised(first.out, a.string()), normalised(second.out, b.string()));
  const std::string results = normalised(deterministic_part(a), a.string());
  EXPECT_EQ(results, normalised(deterministic_part(b), b.string()));
  EXPECT_EQ(read_file(a / "svg/error_vs_kappa.svg"), read_file(b / "svg/error_vs_kappa.svg"));

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

/// The share of its bound in the row "two_pass/f32" of that dtype.
std::string share_in_table(const std::string& markdown, const std::string& dtype) {
  std::smatch m;
  const std::regex row("\\| two_pass/f32 \\| " + dtype + " \\|(?:[^|\n]*\\|){7} ([^ |]+) \\|");
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
  EXPECT_NE(markdown.find("svg/error_vs_kappa.svg"), std::string::npos);
  EXPECT_TRUE(read_file(folder / "svg/error_vs_kappa.svg").ends_with("</svg>\n"));

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

Case large_case() {
  Case c;
  c.id = "large";
  c.x = Tensor(DType::f32, {2, 4});
  for (int i = 0; i < 8; ++i) c.x.set_value(i, i < 4 ? 40000 + i : i);
  return c;
}

TEST(Command, JudgesArraysFromOutside) {
  const Case c = large_case();
  const auto folder = fresh_folder("judge");
  const auto file = [&](const char* name) { return (folder / name).string(); };
  write_npy(file("x.npy"), c.x);
  write_npy(file("naive.npy"), run_case(*find_row("naive/f32"), c).y);
  write_npy(file("right.npy"), run_case(*find_row("welford/f32"), c).y);
  const std::string x = fmt::format("judge --x {} --eps 1e-5 --y ", file("x.npy"));

  const Told right = run(x + file("right.npy"));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  EXPECT_NE(right.out.find("within stable everywhere"), std::string::npos) << right.out;
  const Told wrong = run(x + file("naive.npy") + " --y2 " + file("right.npy"));
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("FAIL"), std::string::npos);
  EXPECT_NE(wrong.out.find("second is closer       50.0%"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("they part most at y[0,"), std::string::npos) << wrong.out;

  // gamma and beta matter: an output made without them is wrong with them.
  Tensor two(DType::f32, {4});
  for (int i = 0; i < 4; ++i) two.set_value(i, 2);
  write_npy(file("two.npy"), two);
  EXPECT_EQ(run(x + file("right.npy") + " --gamma " + file("two.npy")).code, 1);
  EXPECT_EQ(run(x + file("right.npy") + " --beta " + file("two.npy")).code, 1);
  // Another eps, far above the variance, is another function.
  EXPECT_EQ(run(fmt::format("judge --x {} --eps 1 --y {}", file("x.npy"), file("right.npy"))).code, 1);
  EXPECT_EQ(
      run(fmt::format("judge --x {} --eps 1e-5 --norm-ndim 2 --y {}", file("x.npy"), file("right.npy"))).code,
      1);
  fmt::print("a right y, a wrong one, two compared, and 4 calls that were not the one that made y\n");
}

/// Rows of mean `mean` and spread 1.
Case drawn_case(DType dtype, std::int64_t rows, std::int64_t n, double mean) {
  Case c;
  c.id = "drawn";
  c.x = Tensor(dtype, {rows, n});
  CounterRng rng(promise_seed(), 7);
  for (std::int64_t i = 0; i < rows * n; ++i)
    c.x.set_value(i, mean + (rng.coin() ? 1 : -1) * (0.75 + rng.uniform() / 2));
  return c;
}

// What the line says is seen is seen, and what it says is not is not: at a quarter and at four times of it.
TEST(Command, JudgeSaysHowSmallAFaultItWouldSee) {
  const auto folder = fresh_folder("sharp");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  std::string said;
  for (const double mean : {0.0, 30.0, 1000.0}) {
    const Case c = drawn_case(DType::f32, 5, 256, mean);
    write_npy(x, c.x);
    const Tensor right = run_case(*find_row("welford/f64"), c).y;
    double sharp = 0;
    for (const double times : {0.0, 0.25, 4.0}) {
      Tensor scaled = right;
      for (std::int64_t i = 0; i < scaled.size(); ++i)
        scaled.set_value(i, right.value(i) * (1 + times * sharp));
      write_npy(y, scaled);
      const Told r = run(fmt::format("judge --x {} --y {} --eps 1e-5", x, y));
      EXPECT_EQ(r.code, times > 1 ? 1 : 0) << mean << " " << times << "\n" << r.out << r.err;
      std::smatch m;
      ASSERT_TRUE(std::regex_search(
          r.out, m,
          std::regex(
              "\n  sharp enough to see: a relative error of ([^ ]+) in rstd \\(median of 5 rows\\)\n")))
          << r.out;
      sharp = std::stod(m[1].str());
    }
    said += fmt::format("{}{:g} at mean {:g}", said.empty() ? "" : ", ", sharp, mean);
  }
  fmt::print("a relative error of rstd that shows: {}\n", said);
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

/// From "compared" on.
std::string comparison_in(const Told& told) {
  const auto at = told.out.find("compared");
  EXPECT_NE(at, std::string::npos) << told.out;
  return at == std::string::npos ? "" : told.out.substr(at);
}

TEST(Command, TwoOutputsCompareAlikeByEstimateAndByIntegers) {
  const auto folder = fresh_folder("compare");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string(),
                    y2 = (folder / "y2.npy").string();
  int compared = 0;
  for (const auto& [dtype, name] : {std::pair(DType::f32, "f32"), std::pair(DType::f64, "f64"),
                                    std::pair(DType::f16, "f16"), std::pair(DType::bf16, "bf16")}) {
    const Case c = drawn_case(dtype, 3, 200, 5);
    const std::string wide = dtype == DType::f64 ? "f64" : "f32";
    Tensor first = run_case(*find_row("two_pass/" + wide), c).y;
    const Tensor right = run_case(*find_row("welford/f64"), c).y;
    first.set_value(0, NAN);
    first.set_value(1, INFINITY);
    first.set_value(2, -right.value(2));
    for (std::int64_t i = 3; i < 400; ++i)
      first.set_bits(i, right.bits(i) + static_cast<std::uint64_t>(i % 3));
    write_npy(x, c.x);
    write_npy(y, first);
    write_npy(y2, right);
    const std::string line = fmt::format("judge --x {} --y {} --y2 {} --eps 1e-5 --dtype {}", x, y, y2, name);
    const std::string fast = comparison_in(run(line)), sure = comparison_in(run(line + " --oracle exact"));
    EXPECT_EQ(fast, sure);
    EXPECT_NE(fast.find("they part most at y[0,0]: first nan"), std::string::npos) << fast;
    ++compared;
  }
  fmt::print("{} dtypes, 600 elements each, the same counts and the same widest gap\n", compared);
}

TEST(Command, ReadsBfloat16OnlyWhereItIsSaid) {
  Case c;
  c.id = "bf16";
  c.x = Tensor(DType::bf16, {1, 8});
  for (int i = 0; i < 8; ++i) c.x.set_value(i, i);
  const auto folder = fresh_folder("bf16");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  write_npy(x, c.x);
  write_npy(y, run_case(*find_row("two_pass/f32"), c).y);
  const Told said = run(fmt::format("judge --x {} --y {} --eps 1e-5 --dtype bf16", x, y));
  EXPECT_EQ(said.code, 0) << said.out << said.err;
  EXPECT_EQ(run(fmt::format("judge --x {} --y {} --eps 1e-5", x, y)).code, 2);
  fmt::print("one array, read with --dtype bf16 and refused without\n");
}

TEST(Command, ShapesOrDtypesThatDisagreeAreNamedBoth) {
  const Case c = large_case();
  const auto folder = fresh_folder("disagree");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  write_npy(x, c.x);
  const std::vector<std::pair<Tensor, std::string>> bad = {{Tensor(DType::f32, {4, 2}), "f32 [4,2]"},
                                                           {Tensor(DType::f64, {2, 4}), "f64 [2,4]"},
                                                           {Tensor(DType::f32, {2, 3}), "f32 [2,3]"}};
  for (const auto& [tensor, words] : bad) {
    write_npy(y, tensor);
    const Told r = run(fmt::format("judge --x {} --y {} --eps 1e-5", x, y));
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_NE(r.err.find("f32 [2,4]"), std::string::npos) << r.err;
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  }
  write_npy(y, Tensor(DType::f32, {3}));
  const Told gamma = run(fmt::format("judge --x {0} --y {0} --gamma {1} --eps 1e-5", x, y));
  EXPECT_EQ(gamma.code, 2) << gamma.out;
  EXPECT_TRUE(is_one_line(gamma.err)) << gamma.err;
  fmt::print("{} outputs and a gamma that do not fit x, one line each\n", bad.size());
}

}  // namespace
}  // namespace normcheck
