// Promise: what new-plugin writes builds without a warning, passes as it is, and replaces nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "props/command_run.h"

namespace normcheck {
namespace {

const std::string few = " --regime unit_normal,ramp,large_mean --n 1..64 --budget 60 --no-timing --out " +
                        (run_folder() / "out").string();

Told check(const std::string& what, const std::string& more = "") {
  return type(fmt::format("{} check {}{}{}", NORMCHECK_COMMAND, what, few, more));
}

std::vector<std::string> compilers() {
  std::vector<std::string> out;
  for (const std::string name : {"g++", "clang++"}) {
    if (type("command -v " + name).code == 0) out.push_back(name);
  }
  return out;
}

/// All files of a folder as one text.
std::string contents(const std::filesystem::path& folder) {
  std::string out;
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(folder), {});
  std::sort(files.begin(), files.end());
  for (const auto& file : files) out += file.string() + read_file(file);
  return out;
}

TEST(NewPlugin, InCxxItBuildsAndPasses) {
  const auto folder = fresh_folder("new cxx");
  const Told told = run(fmt::format("new-plugin fast_norm --out '{}'", folder.string()));
  ASSERT_EQ(told.code, 0) << told.err;
  ASSERT_FALSE(compilers().empty());
  for (const std::string& compiler : compilers()) {
    for (const std::string name : {"fast_norm", "fast_norm_launcher"}) {
      const auto path = (folder / name).string();
      const Told built = type(fmt::format(
          "{0} -std=c++17 -pedantic -Wall -Wextra -Wshadow -Werror -O2 -shared -fPIC '{1}.cpp' -o '{1}.so'",
          compiler, path));
      ASSERT_EQ(built.code, 0) << compiler << ' ' << name << '\n' << built.err;
      const Told checked = check(fmt::format("'{}.so'", path));
      EXPECT_EQ(checked.code, 0) << compiler << ' ' << name << '\n' << checked.out << checked.err;
      EXPECT_NE(checked.out.find(name == "fast_norm" ? "  f64 " : "  f32 "), std::string::npos)
          << checked.out;
    }
  }
  fmt::print("two examples, {} compilers\n", compilers().size());
}

TEST(NewPlugin, InPythonItPasses) {
  std::string python;
  for (const std::string name : {"/usr/bin/python3", "python3"}) {
    if (type(name + " -c 'import numpy'").code == 0) python = name;
  }
  if (python.empty()) GTEST_SKIP() << "no python3 here that imports numpy (python3-numpy)";
  const auto folder = fresh_folder("new_python");
  ASSERT_EQ(run(fmt::format("new-plugin fast_norm --out {}", folder.string())).code, 0);
  const Told checked = check(fmt::format("'exec:{} {}/fast_norm.py'", python, folder.string()));
  EXPECT_EQ(checked.code, 0) << checked.out << checked.err;
}

TEST(NewPlugin, WhatItSaysToTypeWorks) {
  if (type("command -v g++").code != 0) GTEST_SKIP() << "no g++ here";
  const auto folder = fresh_folder("typed here");
  const Told told = type(fmt::format("cd '{}' && {} new-plugin mine", folder.string(), NORMCHECK_COMMAND));
  ASSERT_EQ(told.code, 0) << told.err;
  const auto at = told.out.find("  g++ ");
  ASSERT_NE(at, std::string::npos) << told.out;
  const std::string line = told.out.substr(at, told.out.find('\n', at) - at);
  const Told typed = type(fmt::format("cd '{}' && {}{}", folder.string(), line, few));
  EXPECT_EQ(typed.code, 0) << line << '\n' << typed.out << typed.err;
  EXPECT_NE(told.out.find("check 'exec:python3 mine.py'"), std::string::npos) << told.out;
}

TEST(NewPlugin, NothingIsReplaced) {
  const auto folder = fresh_folder("new_again");
  const auto make = [&](const std::string& name) {
    return run(fmt::format("new-plugin {} --out {}", name, folder.string()));
  };
  ASSERT_EQ(make("first").code, 0);
  const std::string before = contents(folder);
  const Told again = make("first");
  EXPECT_EQ(again.code, 2) << again.out;
  EXPECT_TRUE(is_one_line(again.err)) << again.err;
  EXPECT_EQ(contents(folder), before);
  EXPECT_EQ(make("second").code, 0) << "what both need lies there already, and is the same";
  std::ofstream(folder / "normcheck_plugin.h", std::ios::app) << "/* mine */";
  const std::string edited = contents(folder);
  EXPECT_EQ(make("third").code, 2);
  EXPECT_EQ(contents(folder), edited) << "not one file of it";
  std::filesystem::create_symlink("nowhere", folder / "fourth.py");
  EXPECT_EQ(make("fourth").code, 2) << "a link that leads nowhere is there too";
}

TEST(NewPlugin, ANameIsAnIdentifier) {
  const auto folder = fresh_folder("new_names");
  for (const std::string name : {"''", "9lives", "a-b", "a.b", "a/b", "'a b'", "../up", "'a\nb'", "numpy",
                                 "json", "normcheck_worker", "--name", "$(printf '\\377')"}) {
    const Told told = run(fmt::format("new-plugin --out {} {}", folder.string(), name));
    EXPECT_EQ(told.code, 2) << name << told.out;
    EXPECT_TRUE(is_one_line(told.err)) << name << '\n' << told.err;
  }
  EXPECT_EQ(run("new-plugin").code, 2);
  EXPECT_EQ(run("new-plugin a b").code, 2);
  EXPECT_EQ(run("new-plugin a --out /proc/nowhere").code, 2);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

}  // namespace
}  // namespace normcheck
