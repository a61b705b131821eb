// Promise: a kernel from outside is judged like a row of the table, and what it does wrong beside its numbers
// is a finding too; whatever it does, the run goes on and ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "props/command_run.h"

namespace normcheck {
namespace {

std::string object(const std::string& name) {
  return fmt::format("{}/plugin_{}.so", NORMCHECK_PLUGINS, name);
}

Told check(const std::string& name, const std::string& more = "") {
  return run("check " + object(name) + " --regime unit_normal,ramp --n 2..64 --budget 60 --no-timing " +
             more);
}

TEST(Plugin, ARightOnePasses) {
  for (const std::string how : {"", "--in-process"}) {
    const Told told = check("right", how);
    EXPECT_EQ(told.code, 0) << told.out << told.err;
    EXPECT_FALSE(std::regex_search(told.out, std::regex("UNSUPPORTED [0-9]")))
        << "y is judged where mean and rstd are not offered: " << told.out;
    EXPECT_NE(told.out.find("held to stable"), std::string::npos) << told.out;
  }
  const Told loud = check("floods", "--skip-probes numbers,memory,semantics");
  EXPECT_EQ(loud.code, 0) << loud.out << loud.err;
  fmt::print("right in a worker, in this process, and with 300 KB a call on stdout\n");
}

TEST(Plugin, EachFaultIsAFindingThatSaysWhat) {
  const std::vector<std::pair<std::string, std::string>> faults = {
      {"divisor", "FAIL"},          {"over", "wrote"},        {"input", "input"},
      {"unwritten", "FAIL"},        {"segv", "CRASH"},        {"ends", "exit"},
      {"raises", "no such kernel"}, {"rounding", "rounding"}, {"later", "FAIL"}};
  for (const auto& [name, words] : faults) {
    const Told told = check(name);
    EXPECT_EQ(told.code, 1) << name << '\n' << told.out << told.err;
    EXPECT_NE(told.out.find(words), std::string::npos) << name << ": " << words << '\n' << told.out;
    EXPECT_NE(told.out.find("exit 1"), std::string::npos) << name << ": it went on to its end";
  }
  fmt::print("{} planted faults, each seen\n", faults.size());
}

TEST(Plugin, OneThatHangsIsDoneWith) {
  const Told told = check("hangs", "--deadline 1");
  EXPECT_EQ(told.code, 1) << told.out << told.err;
  EXPECT_NE(told.out.find("TIMEOUT"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("NOT RUN"), std::string::npos) << told.out;
}

TEST(Plugin, WhatCannotBeLoadedIsOneLineAndExit3) {
  const auto folder = fresh_folder("plugins");
  const auto text = (folder / "text.so").string();
  std::ofstream(text) << "no ELF file";
  for (const std::string& what : {std::string("./no_such.so"), text}) {
    const Told told = run("check " + what);
    EXPECT_EQ(told.code, 3) << what << '\n' << told.out << told.err;
    EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
  }
  EXPECT_EQ(run("check " + object("right") + ":other").code, 2);
  EXPECT_EQ(run("check " + object("right") + " --contract own").code, 2) << "it claims no algorithm";
  EXPECT_EQ(run("check " + object("right") + " --deadline 0").code, 2);
}

TEST(Plugin, AFindingReplays) {
  const Told told = check("divisor");
  const auto at = told.out.find("replay ", told.out.find("  replay") + 8);
  ASSERT_NE(at, std::string::npos) << told.out;
  const std::string line = told.out.substr(at, told.out.find('\n', at) - at);
  const Told again = run(line);
  EXPECT_EQ(again.code, 1) << line << '\n' << again.out << again.err;
}

TEST(Plugin, AProgramIsNamedByItsCommandLine) {
  const std::string flags = " --regime unit_normal,ramp --n 2..64 --budget 60 --no-timing";
  const Told right = run(fmt::format("check --program '{} right'{}", NORMCHECK_PROGRAM, flags));
  EXPECT_EQ(right.code, 0) << right.out << right.err;
  const Told told = run(fmt::format("check 'exec:{} garbage'{}", NORMCHECK_PROGRAM, flags));
  EXPECT_EQ(told.code, 1) << told.out << told.err;
  EXPECT_NE(told.out.find("answered garbage"), std::string::npos) << told.out;
  const auto at = told.out.find("replay ", told.out.find("  replay") + 8);
  ASSERT_NE(at, std::string::npos) << told.out;
  const std::string line = told.out.substr(at, told.out.find('\n', at) - at);
  EXPECT_NE(line.find("--impl 'exec:"), std::string::npos) << line;
  EXPECT_NE(line.find("--probe state"), std::string::npos) << "it fails its third call alone: " << line;
  EXPECT_EQ(run(line).code, 1) << line;
}

}  // namespace
}  // namespace normcheck
