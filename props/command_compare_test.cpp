// `compare` finds an input that parts two implementations, keeps it, and says the same of it every time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "corpus/case_file.h"
#include "impl/table.h"
#include "oracles/ulp.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

/// Runs `compare` with what it writes in a folder of the test.
Told compare(const std::string& arguments, const std::filesystem::path& folder) {
  return run(fmt::format("compare {} --out {}", arguments, folder.string()));
}

double share_of(const std::string& text, const std::string& label) {
  std::smatch m;
  EXPECT_TRUE(std::regex_search(text, m, std::regex("\n  " + label + " +[<>]?([0-9.]+)%\n"))) << text;
  return m.empty() ? -1 : std::stod(m[1]);
}

/// What stands after "    replay A" or "    replay B".
std::string replay_of(const std::string& text, const std::string& letter) {
  std::smatch m;
  EXPECT_TRUE(std::regex_search(text, m, std::regex("\n    replay " + letter + " +([^\n]+)"))) << text;
  return m.empty() ? "" : m[1].str();
}

Case kept_case(const std::string& text) {
  std::smatch m;
  const std::string line = replay_of(text, "A");
  EXPECT_TRUE(std::regex_search(line, m, std::regex("replay ([^ ]+\\.case) "))) << line;
  return read_case(m[1].str());
}

/// How far two rows part on a case of one row without gamma and beta, by the definition: in ulp of 1, or of
/// the smaller |y| where that is larger.
double apart(const Case& c, const std::string& a, const std::string& b) {
  const Tensor ya = run_case(*find_row(a), c).y, yb = run_case(*find_row(b), c).y;
  double most = 0;
  for (std::int64_t i = 0; i < ya.size(); ++i) {
    const double va = ya.value(i), vb = yb.value(i);
    if (std::isfinite(va) != std::isfinite(vb)) return INFINITY;
    const double size = std::max(1.0, std::min(std::fabs(va), std::fabs(vb)));
    if (std::isfinite(va)) most = std::max(most, std::fabs(va - vb) / ulp(c.x.dtype, size));
  }
  return most;
}

TEST(CommandCompare, SaysAndWritesTheSameBytesTwice) {
  const auto a = fresh_folder("a"), b = fresh_folder("b");
  const std::string line = "two_pass/f32 welford/f32 --dtype f32,bf16 --budget 600 --n 2..80";
  const Told first = compare(line, a), second = compare(line, b), other = compare(line + " --seed 2", b);
  EXPECT_EQ(first.code, 0) << first.err;
  const auto normalised = [](const Told& told, const std::filesystem::path& folder) {
    return std::regex_replace(told.out, std::regex(folder.string()), "OUT");
  };
  EXPECT_EQ(normalised(first, a), normalised(second, b));
  EXPECT_NE(normalised(first, a), normalised(other, b)) << "another seed must draw other inputs";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(a / "compare")) {
    EXPECT_EQ(read_file(entry.path()), read_file(b / "compare" / entry.path().filename()));
    ++files;
  }
  EXPECT_GE(files, 1);
  fmt::print("{} bytes and {} files, twice the same\n", first.out.size(), files);
}

TEST(CommandCompare, ARowPartsNowhereFromItself) {
  for (const std::string name : {"two_pass/f32", "naive/f32", "two_pass/f16"}) {
    const Told r = compare(name + " " + name + " --budget 300 --n 1..100", run_folder() / "itself");
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(r.out.find("\n  they part nowhere\n"), std::string::npos) << r.out;
    EXPECT_EQ(r.out.find("they part most"), std::string::npos) << r.out;
    EXPECT_EQ(share_of(r.out, "the same bits"), 100);
  }
  EXPECT_FALSE(std::filesystem::exists(run_folder() / "itself" / "compare"));
  fmt::print("3 rows, each against itself: nothing parts them, no file is written\n");
}

TEST(CommandCompare, CancellationPartsNaiveFromTwoPass) {
  const Told r = compare("naive/f32 two_pass/f32 --dtype f32 --regime large_mean --budget 400 --n 4..64",
                         fresh_folder("cancels"));
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("\n  they part most  a number against none\n"), std::string::npos) << r.out;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("\n      A +-?(nan|inf) +error inf, no bound holds\n")))
      << r.out;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("\n      B +-?0x[^\n]+ error [^\n]+ of its own bound\n")))
      << r.out;
  const Case c = kept_case(r.out);
  EXPECT_TRUE(std::isinf(apart(c, "naive/f32", "two_pass/f32")));
  const std::string own = " --contract own", a = replay_of(r.out, "A");
  EXPECT_EQ(type(replay_of(r.out, "B")).code, 0);
  ASSERT_NE(a.find(own), std::string::npos) << a;
  EXPECT_EQ(type(a.substr(0, a.find(own)) + a.substr(a.find(own) + own.size())).code, 1)
      << "under stable the row is one that naive fails";
  fmt::print("n {}: {} against a number\n", row_length(c), "none");
}

// The kept case parts the two as far as is said, and the steps lead further than the sweep.
TEST(CommandCompare, StepsPartThemMoreThanTheSweepDid) {
  int climbed = 0;
  for (const std::string pair : {"two_pass/f32 welford/f32", "pairwise/f32 lanes8/f32"}) {
    const Told r = compare(pair + " --dtype f32 --regime unit_normal,ramp --budget 1500 --n 30..60",
                           fresh_folder("steps"));
    std::smatch far, from;
    ASSERT_TRUE(std::regex_search(r.out, far, std::regex("\n  they part most  ([^ ]+) ulp apart"))) << r.out;
    const Case c = kept_case(r.out);
    if (!c.gamma && !c.beta) {
      const auto gap = pair.find(' ');
      const double said = std::stod(far[1]);
      EXPECT_NEAR(apart(c, pair.substr(0, gap), pair.substr(gap + 1)), said, said / 10) << r.out;
    }
    if (!std::regex_search(r.out, from, std::regex("; ([0-9]+) steps? from ([^ ]+) ulp apart\n"))) continue;
    EXPECT_GT(std::stod(far[1]), std::stod(from[2])) << r.out;
    ++climbed;
  }
  EXPECT_GT(climbed, 0);
  fmt::print("{} of 2 pairs parted further by steps\n", climbed);
}

TEST(CommandCompare, SaysWhoIsCloserWhicheverStandsFirst) {
  const std::string rest = " --dtype f32 --regime large_mean --budget 200 --n 100..200";
  const Told one = compare("two_pass/f32 compensated_mean/f32" + rest, run_folder() / "one");
  const Told two = compare("compensated_mean/f32 two_pass/f32" + rest, run_folder() / "two");
  EXPECT_GT(share_of(one.out, "B is closer"), 80) << one.out;
  EXPECT_EQ(share_of(one.out, "B is closer"), share_of(two.out, "A is closer"));
  EXPECT_EQ(share_of(one.out, "A is closer"), share_of(two.out, "B is closer"));
  fmt::print("compensated_mean is closer than two_pass in {}% of the elements\n",
             share_of(one.out, "B is closer"));
}

TEST(CommandCompare, BadUsageIsOneLine) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "IMPL"},
      {"two_pass/f32", "IMPL"},
      {"two_pass/f32 welford/f32 chan/f32", "IMPL"},
      {"two_pass/f32 welfrod/f32", "nearest: welford/f32"},
      {"two_pass/f32 two_pass/f16 --dtype f32", "in common"},
      {"two_pass/f32 welford/f32 --budget 2s", "--budget"},
      {"two_pass/f32 welford/f32 --contract=own", "--contract"},
      {"two_pass/f32 welford/f32 --n 0", "--n"}};
  for (const auto& [arguments, word] : bad) {
    const Told r = run("compare " + arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_NE(r.err.find(word), std::string::npos) << r.err;
    EXPECT_EQ(r.out, "") << arguments;
  }
  EXPECT_EQ(run("compare two_pass/f32 ./libmine.so").code, 3);
  fmt::print("{} bad command lines, and one that cannot be loaded\n", bad.size());
}

}  // namespace
}  // namespace normcheck
