// The command as a person meets it: exit codes, one line for bad input, findings that replay, the same bytes
// twice. Driven as a process.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "corpus/case_file.h"
#include "corpus/npy.h"
#include "impl/table.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

TEST(Command, ExitsZeroWhereNothingIsFound) {
  const Told r = run("check two_pass/f32 welford/f32 --dtype f32 --n 1..300 --budget 400");
  EXPECT_EQ(r.code, 0) << r.out << r.err;
  EXPECT_NE(r.out.find("no finding"), std::string::npos) << r.out;
  EXPECT_EQ(run("list").code, 0);
  EXPECT_EQ(run("--help").code, 0);
  for (const std::string word : {"compiler", "flags", "instruction set"}) {
    EXPECT_NE(run("--version").out.find(word), std::string::npos);
  }
  fmt::print("check of two right rows, list, --help, --version\n");
}

TEST(Command, ExitsFiveWhereNothingWasProved) {
  EXPECT_EQ(run("check two_pass/f32 --dtype f32 --regime no_rows --budget 5").code, 5);
  fmt::print("5 cases without a row\n");
}

TEST(Command, ExitsThreeForWhatCannotBeLoadedAndTwoForWhatDoesNotExist) {
  EXPECT_EQ(run("check ./libmine.so").code, 3);
  EXPECT_EQ(run("check ./libmine.so nosuch/f32").code, 2);
  fmt::print("a shared object: 3; beside a name that does not exist: 2\n");
}

// The block of a finding, line by line, as design and README show it.
TEST(Command, AFindingHasOneFormAndItsReplayLineShowsTheSameError) {
  const Told r = run("check naive/f32 --dtype f32 --regime large_mean --budget 300 --n 4..64");
  ASSERT_EQ(r.code, 1) << r.out << r.err;
  const std::regex block(
      "FAIL  naive/f32  f32 \\[[0-9,]+\\] over \\[[0-9,]+\\]  regime large_mean  eps [^\\n]+\\n"
      "(  (?:y|mean|rstd)\\[[0-9,]+\\] +got  [^\\n]+   want [^\\n]+   error [^\\n]+; allowed [^\\n]+ ulp = "
      "[^\\n]+ "
      "\\(bound of stable: n [0-9]+, kappa [^)]+\\)[^\\n]*\\n)"
      "(  rows     [0-9]+ of [0-9]+ wrong, elements [0-9]+ of [0-9]+\\n)"
      "(  stage    [a-z_]+ \\[[0-9,]+\\]: got [^\\n]+, exact [^\\n]+ +\\(the first stage out of its own "
      "bound\\)\\n)"
      "(?:  cause    [^\\n]+\\n)?"
      "  replay   ([^\\n]+ replay [^\\n]+\\.case --impl naive/f32)\\n");
  std::smatch m;
  int blocks = 0;
  for (std::string rest = r.out; std::regex_search(rest, m, block); rest = m.suffix()) {
    ++blocks;
    const Told again = type(m[4].str());
    EXPECT_EQ(again.code, 1) << again.out << again.err;
    for (std::size_t line = 1; line <= 3; ++line) {
      EXPECT_NE(again.out.find(m[line].str()), std::string::npos) << m[line].str() << "not in\n" << again.out;
    }
  }
  EXPECT_GT(blocks, 0) << r.out;
  fmt::print("{} findings replayed, their lines pasted as they are, with the same element, rows and stage\n",
             blocks);
}

/// What stands after "  replay   " in the first finding of a text.
std::string replay_line_of(const std::string& text) {
  std::smatch m;
  return std::regex_search(text, m, std::regex("\n  replay   ([^\n]+)\n")) ? m[1].str() : std::string();
}

// A line that says a bare name, or leaves a space or a quote as it is, does not run.
TEST(Command, AReplayLineCanBePastedHoweverTheCommandWasInvoked) {
  const auto folder = fresh_folder("it's pasted");
  std::filesystem::create_symlink(std::filesystem::absolute(NORMCHECK_COMMAND), folder / "norm check");
  const std::string sweep = "check naive/f32 --dtype f32 --regime large_mean --budget 60 --n 4..64 --out ";
  const std::vector<std::pair<std::string, std::string>> invoked = {
      {NORMCHECK_COMMAND, "\"" + (folder / "out").string() + "\""},
      {"\"" + (folder / "norm check").string() + "\"", "\"" + (folder / "out").string() + "\""},
      {"cd \"" + folder.string() + "\" && './norm check'", "-out"}};
  for (const auto& [command, out] : invoked) {
    const Told told = type(command + " " + sweep + out);
    ASSERT_EQ(told.code, 1) << command << told.out << told.err;
    const std::string line = replay_line_of(told.out);
    const std::string there = command.starts_with("cd") ? "cd \"" + folder.string() + "\" && " : "";
    const Told again = type(there + line);
    EXPECT_EQ(again.code, 1) << line << "\n" << again.out << again.err;
    EXPECT_EQ(replay_line_of(again.out), line);
    if (!there.empty()) {
      EXPECT_NE(type(line).code, 1) << "from another folder it must not run: " << line;
    }
  }
  fmt::print("{} ways to invoke the command, each line pasted and run\n", invoked.size());
}

TEST(Command, BadUsageIsOneLineAndNothingElse) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "subcommand"},
      {"nosuch", "unknown command 'nosuch'"},
      {"check welfrod/f32", "nearest: welford/f32"},
      {"check welford/f32 --dtype f65", "unknown dtype 'f65'"},
      {"check naive/f16 --dtype f64", "naive/f16 offers none"},
      {"check welford/f32 --regime large_maen", "nearest: large_mean"},
      {"check welford/f32 --contract stabel", "stabel"},
      {"check welford/f32 --budget 10x", "--budget"},
      {"check welford/f32 --budget -1s", "--budget"},
      {"check welford/f32 --n 0", "--n"},
      {"check welford/f32 --n 9..3", "--n"},
      {"check welford/f32 --n 99999999999999999999", "--n"},
      {"check welford/f32 --shapes 8by9", "--shapes"},
      {"check welford/f32 --shapes 0x8", "--shapes: 0"},
      {"check welford/f32 --shapes 8x9x3", "--shapes: '9x3'"},
      {"check welford/f32 --eps nan", "--eps"},
      {"check welford/f32 --eps 1e-5x", "--eps"},
      {"check welford/f32 --oracle magic", "--oracle"},
      {"check welford/f32 --corpus /nosuch", "--corpus"},
      {"check welford/f32 --out /dev/null/out", "--out"},
      {"check welford/f32 --json /dev/null/out.json", "--json"},
      {"check welford/f32 --nosuch", "--nosuch"},
      {"report nosuch/f32", "unknown implementation 'nosuch/f32'"},
      {"report --out /dev/null/out", "--out"},
      {"replay /nosuch.case", "/nosuch.case"},
      {"replay /nosuch.case --impl nosuch/f32", "nosuch/f32"},
      {"judge --x a.npy", "required"},
      {"judge --x /nosuch.npy --y /nosuch.npy --eps 1e-5", "/nosuch.npy"},
  };
  for (const auto& [arguments, word] : bad) {
    const Told r = run(arguments);
    EXPECT_EQ(r.code, 2) << arguments << "\n" << r.err;
    EXPECT_TRUE(is_one_line(r.err)) << arguments << "\n" << r.err;
    EXPECT_NE(r.err.find(word), std::string::npos) << arguments << "\n" << r.err;
    EXPECT_EQ(r.out, "") << arguments;
  }
  fmt::print("{} bad command lines, one line each\n", bad.size());
}

TEST(Command, AnUnreadableFileIsOneLineThatNamesFileAndLine) {
  Case c;
  c.id = "good";
  c.x = Tensor(DType::f32, {1, 4});
  const std::string good = format_case(c);
  const auto folder = fresh_folder("unreadable");
  const std::vector<std::string> bad = {
      "", good.substr(0, good.size() / 2), "\x93NUMPY rubbish\x01\xff\n",
      "normcheck-case 1\nid a\nop layernorm_fwd\nnorm_ndim 1\neps nan\n",
      "normcheck-case 1\nid a\nop layernorm_fwd\nnorm_ndim 1\neps 0x1p-17\nx f32 "
      "9223372036854775807 9223372036854775807\n"};
  for (const std::string& text : bad) {
    write_file_atomically(folder / "bad.case", text);
    const Told r = run(fmt::format("replay {}", (folder / "bad.case").string()));
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_TRUE(is_one_line(r.err)) << r.err;
    EXPECT_TRUE(std::regex_search(r.err, std::regex("bad\\.case:[0-9]+: "))) << r.err;
    EXPECT_EQ(r.out, "");
  }
  fmt::print("{} texts that are no case, one line each, with file and line\n", bad.size());
}

TEST(Command, ReplayRunsWhatTheCaseViolatesAndElseAllRightRows) {
  Case c;
  c.id = "large";
  c.x = Tensor(DType::f32, {1, 4});
  for (int i = 0; i < 4; ++i) c.x.set_value(i, 40000 + i);
  const auto folder = fresh_folder("replay");
  write_case(folder / "right.case", c);
  const Told right = run(fmt::format("replay {}", (folder / "right.case").string()));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  for (const Row& row : table()) {
    const bool expected = is_right(row) && offers(row, DType::f32);
    EXPECT_EQ(right.out.find(fmt::format("  {}  f32", row.name)) != std::string::npos, expected) << row.name;
  }
  c.violates = {"naive/f32"};
  write_case(folder / "violates.case", c);
  const Told wrong = run(fmt::format("replay {} --verbose", (folder / "violates.case").string()));
  EXPECT_EQ(wrong.code, 1) << wrong.out;
  EXPECT_NE(wrong.out.find("got -128, exact 1.25"), std::string::npos) << wrong.out;
  for (const std::string step : {"mean", "centre", "variance", "rstd", "normalize", "scale_shift"}) {
    EXPECT_NE(wrong.out.find("\n  " + step + " "), std::string::npos) << step;
  }
  EXPECT_EQ(wrong.out.find("welford"), std::string::npos) << wrong.out;
  fmt::print("all right rows of f32 on a case that violates none, naive/f32 alone on one that names it\n");
}

TEST(Command, WritesNoColourIntoAPipe) {
  const Told r = run("check naive/f32 --dtype f32 --regime large_mean --budget 100 --n 4..64");
  EXPECT_EQ(r.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(r.err.find('\x1b'), std::string::npos);
  fmt::print("{} bytes of output, no escape among them\n", r.out.size());
}

}  // namespace
}  // namespace normcheck
