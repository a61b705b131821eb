// `normcheck minimise`: what fails is made small, fails in the same way, and replays.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "corpus/case_file.h"
#include "impl/table.h"
#include "oracles/judge.h"
#include "props/command_run.h"
#include "props/shrink.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

bool fails(const Case& c, const std::string& impl, ContractKind kind) {
  const Row* row = find_row(impl);
  return is_finding(judge(c, run_case(*row, c, {true, true}), {kind, row}).verdict);
}

/// Six rows of 40 with gamma and beta, of which the fourth is far from 0.
Case large_case() {
  Case c = drawn_case(DType::f32, 6, 40, 0);
  for (std::int64_t i = 3 * 40; i < 4 * 40; ++i) c.x.set_value(i, c.x.value(i) + 3e4);
  c.gamma = c.beta = Tensor(DType::f32, {40});
  for (std::int64_t i = 0; i < 40; ++i) c.gamma->set_value(i, 1.5);
  c.violates = {"naive/f32/folded"};
  c.notes = {"a note that stays"};
  return c;
}

TEST(Minimise, LeavesOneShortRowThatFailsInTheSameWayAndReplays) {
  const fs::path folder = fresh_folder("minimise");
  const fs::path large = folder / "large.case", small = folder / "small.case";
  const Case given = large_case();
  ASSERT_TRUE(fails(given, "naive/f32", ContractKind::stable));
  write_case(large, given);
  const Told r = run(fmt::format("minimise {} --impl naive/f32 -o {}", large.string(), small.string()));
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const Case made = read_case(small);
  EXPECT_TRUE(fails(made, "naive/f32", ContractKind::stable));
  EXPECT_EQ(row_count(made), 1);
  EXPECT_LE(row_length(made), 3) << format_case(made);
  EXPECT_FALSE(made.gamma || made.beta);
  EXPECT_LT(weight(made), weight(given));
  EXPECT_EQ(made.violates, std::vector<std::string>{"naive/f32"});
  EXPECT_EQ(made.notes, given.notes);
  EXPECT_TRUE(same_case(read_case(large), given)) << "the given file is left as it is";

  std::smatch m;
  ASSERT_TRUE(std::regex_search(r.out, m, std::regex("\\n  replay   ([^\\n]+)\\n"))) << r.out;
  EXPECT_EQ(type(m[1].str()).code, 1) << m[1].str();
  fmt::print("6x40 with gamma and beta became {}\n", shape_text(made.x.shape));
}

// The case fails on y and, as it gets smaller, would go on failing on rstd where y is right.
TEST(Minimise, WhatFailsOnYStillDoes) {
  const fs::path small = fresh_folder("minimise_y") / "small.case";
  const std::string known = NORMCHECK_SOURCE_DIR "/corpus/public/B001-pytorch-one-pass-2000.case";
  const Told r = run(fmt::format("minimise {} --impl naive/f32 -o {}", known, small.string()));
  ASSERT_EQ(r.code, 0) << r.out << r.err;
  const Judgement j = judge(read_case(small), run_case(*find_row("naive/f32"), read_case(small)), Contract{});
  EXPECT_EQ(j.verdict, Verdict::fail) << r.out;
  EXPECT_EQ(j.worst->output, Output::y);
}

TEST(Minimise, WritesBesideTheFileWhereNoNameIsGivenAndTheSameBytesTwice) {
  const fs::path folder = fresh_folder("minimise_beside");
  write_case(folder / "large.case", large_case());
  const std::string line = fmt::format("minimise {} --impl naive/f32", (folder / "large.case").string());
  ASSERT_EQ(run(line).code, 0);
  const std::string first = read_file(folder / "large.min.case");
  ASSERT_EQ(run(line).code, 0);
  EXPECT_EQ(read_file(folder / "large.min.case"), first);
}

// A promise of its own: a contract that is kept is not exchanged for one that is not.
TEST(Minimise, RefusesWhatDoesNotFailInOneLineAndWritesNothing) {
  const fs::path folder = fresh_folder("minimise_right");
  const fs::path file = folder / "large.case", out = folder / "out.case";
  write_case(file, large_case());
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"--impl two_pass/f32", "nothing to minimise"},
      {"--impl naive/f32 --contract own", "naive/f32 keeps own"},
      {"--impl naive/f32 --contract stabel", "stabel"},
      {"--impl nosuch/f32", "nosuch/f32"},
      {"", "--impl"}};
  for (const auto& [arguments, word] : bad) {
    const Told r = run(fmt::format("minimise {} {} -o {}", file.string(), arguments, out.string()));
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_NE(r.err.find(word), std::string::npos) << r.err;
    EXPECT_FALSE(fs::exists(out)) << arguments;
  }
  EXPECT_EQ(run(fmt::format("minimise /nosuch.case --impl naive/f32 -o {}", out.string())).code, 2);
  EXPECT_EQ(run(fmt::format("minimise {} --impl naive/f32 -o /dev/null/out", file.string())).code, 2);
  fmt::print("{} calls refused\n", bad.size() + 2);
}

}  // namespace
}  // namespace normcheck
