// The referee: arrays from outside are judged, compared, and refused where they do not fit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "corpus/npy.h"
#include "impl/table.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

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

/// y of exact statistics, but for a divisor of n-1, in f32.
Tensor with_divisor_n_minus_1(const Case& c) {
  Tensor y(DType::f32, c.x.shape);
  const std::int64_t n = row_length(c);
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    double mean = 0, squares = 0;
    for (std::int64_t i = 0; i < n; ++i) mean += c.x.value(row * n + i) / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) squares += std::pow(c.x.value(row * n + i) - mean, 2);
    const double rstd = 1 / std::sqrt(squares / static_cast<double>(n - 1) + c.eps);
    for (std::int64_t i = 0; i < n; ++i) y.set_value(row * n + i, (c.x.value(row * n + i) - mean) * rstd);
  }
  return y;
}

// What the README says of a PASS.
TEST(Command, AWrongDivisorPassesWhereTheMeanIsLargeAndFailsWhereItIsSmall) {
  const auto folder = fresh_folder("divisor");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  for (const auto& [mean, code] : {std::pair(1000.0, 0), std::pair(3.0, 1)}) {
    const Case c = drawn_case(DType::f32, 8, 768, mean);
    write_npy(x, c.x);
    write_npy(y, with_divisor_n_minus_1(c));
    const Told r = run(fmt::format("judge --x {} --y {} --eps 1e-5", x, y));
    EXPECT_EQ(r.code, code) << mean << "\n" << r.out << r.err;
  }
  fmt::print("a divisor of n-1 on 8 rows of 768: PASS at mean 1000, FAIL at mean 3\n");
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

// Arrays are held to what their maker claims of the kernel, and to nothing that only a kernel has.
TEST(Command, JudgesArraysUnderClaims) {
  const auto folder = fresh_folder("claims");
  const std::string x = (folder / "x.npy").string(), y = (folder / "y.npy").string();
  const Case c = drawn_case(DType::f32, 2, 64, 3);
  write_npy(x, c.x);
  Tensor out = run_case(*find_row("two_pass/f64"), c).y;  // as good as correctly rounded
  write_npy(y, out);
  const std::string line = fmt::format("judge --x {} --y {} --eps 1e-5 --contract ", x, y);
  for (const char* kept : {"stable", "rounding=faithful", "max_ulp=1", "'algorithm=two_pass;order=pairwise'",
                           "'stable;range=full;constant=exact'", "'deterministic=yes;strides=rows'"}) {
    const Told r = run(line + kept);
    EXPECT_EQ(r.code, 0) << kept << "\n" << r.out << r.err;
    EXPECT_NE(r.out.find("everywhere"), std::string::npos) << r.out;
  }
  out.set_bits(70, out.bits(70) + 2);
  write_npy(y, out);
  EXPECT_EQ(run(line + "stable").code, 0);
  const Told wrong = run(line + "max_ulp=1");
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  EXPECT_NE(wrong.out.find("y[1,6]"), std::string::npos) << wrong.out;
  EXPECT_NE(wrong.out.find("not within max_ulp=1\n"), std::string::npos) << wrong.out;
  EXPECT_EQ(run(line + "rounding=faithful").code, 1);
  // The nearest number, but not exact: the reason is the ulp, not the rounding.
  out.set_bits(70, out.bits(70) - 2);
  write_npy(y, out);
  const Told nearest = run(line + "'rounding=correct;max_ulp=0'");
  EXPECT_EQ(nearest.code, 1) << nearest.out << nearest.err;
  EXPECT_NE(nearest.out.find("allowed 0 ulp"), std::string::npos) << nearest.out;
  EXPECT_EQ(nearest.out.find("nearest number"), std::string::npos) << nearest.out;
  const std::vector<std::pair<const char*, const char*>> refused = {
      {"own", "claims that name its algorithm"},
      {"'own;range=full'", "claims that name its algorithm"},
      {"max_upl=1", "max_ulp may be meant"},
      {"rounding=up", "correct or faithful"},
      {"stabel", "expected stable, own, or claims"}};
  for (const auto& [contract, words] : refused) {
    const Told r = run(line + contract);
    EXPECT_EQ(r.code, 2) << contract << "\n" << r.out;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_NE(r.err.find(words), std::string::npos) << r.err;
  }
  fmt::print("6 contracts kept, an element 2 ulp off seen under 2, {} refused in a line each\n",
             refused.size());
}

// check and replay hold implementations to claims, and the line that shows a finding again says which.
TEST(Command, ChecksAndReplaysUnderClaims) {
  const std::string few =
      "check two_pass/f32 --dtype f32 --regime unit_normal --n 64 --budget 20 --contract ";
  const Told kept = run(few + "'own;range=full'"), wrong = run(few + "rounding=correct");
  EXPECT_EQ(kept.code, 0) << kept.out << kept.err;
  EXPECT_EQ(wrong.code, 1) << wrong.out << wrong.err;
  std::smatch m;
  ASSERT_TRUE(std::regex_search(wrong.out, m, std::regex("\\n  replay   ([^\n]+)\\n"))) << wrong.out;
  EXPECT_NE(m[1].str().find("--contract 'rounding=correct'"), std::string::npos) << m[1];
  const Told again = type(m[1]);
  EXPECT_EQ(again.code, 1) << again.out << again.err;
  EXPECT_NE(again.out.find("not the nearest number"), std::string::npos) << again.out;
  const Told bad = run(few + "roundin=correct");
  EXPECT_EQ(bad.code, 2);
  EXPECT_TRUE(is_one_line(bad.err)) << bad.err;
  EXPECT_NE(bad.err.find("rounding may be meant"), std::string::npos) << bad.err;
  fmt::print("own;range=full kept, rounding=correct broken and replayed, a misspelled key refused\n");
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
