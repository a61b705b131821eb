// Promise: the real libraries are judged by name, as they are shipped, and what is found is what is known of
// them; one that is not installed is a line with the command that installs it.
#include "impl/peers/peers.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>

#include "props/command_run.h"

namespace normcheck {

/// For GoogleTest, which would print its bytes.
inline void PrintTo(const Peer& peer, std::ostream* out) { *out << peer.name; }

namespace {

/// Runs the command with a folder of peers of the test's own.
Told list_with(const std::filesystem::path& folder) {
  return type(fmt::format("NORMCHECK_PEERS={} NORMCHECK_VENVS={} {} list --peers", folder.string(),
                          folder.string(), NORMCHECK_COMMAND));
}
Told run_with(const std::filesystem::path& folder, const std::string& arguments) {
  return type(fmt::format("NORMCHECK_PEERS={} NORMCHECK_VENVS={} {} {} --out {}", folder.string(),
                          folder.string(), NORMCHECK_COMMAND, arguments, (run_folder() / "out").string()));
}

void plant(const std::filesystem::path& folder, const std::string& object, const std::string& peer) {
  std::filesystem::copy_file(fmt::format("{}/plugin_{}.so", NORMCHECK_PLUGINS, object),
                             folder / (peer + ".so"));
}

class EachPeer : public testing::TestWithParam<Peer> {};

TEST_P(EachPeer, ScoresWhatIsKnownOfIt) {
  const std::string name(GetParam().name);
  if (name.starts_with("flax") && std::getenv("NORMCHECK_EXHAUSTIVE") == nullptr)
    GTEST_SKIP() << "it compiles each shape, for minutes (NORMCHECK_EXHAUSTIVE=1 judges it)";
  const Told loaded = run("check " + name + " --regime unit_normal --n 8 --budget 1");
  if (loaded.code == 3) GTEST_SKIP() << loaded.err;
  const auto out = fresh_folder("peers-" + name);
  const Told told = run(fmt::format("peers {} --budget 300 --no-timing --out {}", name, out.string()));
  EXPECT_EQ(told.code, 0) << told.out << told.err;
  EXPECT_NE(loaded.out.find("peer     " + name + " " + std::string(GetParam().version)), std::string::npos)
      << "of another version than its row speaks of: " << loaded.out;
  const std::string json = read_file(out / "peers.json");
  EXPECT_NE(json.find("\"peer\": \"" + name), std::string::npos) << json;
  EXPECT_NE(read_file(out / "peers.md").find("| " + name), std::string::npos);
  fmt::print("{}", told.out);
}
INSTANTIATE_TEST_SUITE_P(Peers, EachPeer, testing::ValuesIn(peers().begin(), peers().end()),
                         [](const auto& p) {
                           std::string name(p.param.name);
                           for (char& c : name) c = c == '-' || c == '.' ? '_' : c;
                           return name;
                         });

TEST(Peers, AreListedWithWhatInstallsThem) {
  const Told told = list_with(fresh_folder("none"));
  for (const Peer& peer : peers()) {
    const auto at = told.out.find(fmt::format("{}\n  is ", peer.name));
    ASSERT_NE(at, std::string::npos) << peer.name << "\n" << told.out;
    const std::string block = told.out.substr(at, told.out.find("\n\n", at) - at);
    EXPECT_NE(block.find(peer.packages), std::string::npos) << block;
    EXPECT_NE(block.find(" install"), std::string::npos) << "nothing is installed there: " << block;
  }
  std::istringstream lines(run("list --peers").out);
  for (std::string line; std::getline(lines, line);)
    EXPECT_TRUE(line.size() <= 100 || line.find("install ") != std::string::npos ||
                line.find(" ", 16) == std::string::npos)
        << line;
}

TEST(Peers, OneThatIsMissingIsExit3AndTheCommandThatInstallsIt) {
  const auto folder = fresh_folder("empty");
  for (const Peer& peer : peers()) {
    for (const std::string command : {"check", "peers"}) {
      const Told told = run_with(folder, fmt::format("{} {}", command, peer.name));
      EXPECT_EQ(told.code, 3) << told.out << told.err;
      EXPECT_TRUE(is_one_line(told.err)) << told.err;
      EXPECT_NE(told.err.find(fmt::format("{}", install_command(peer).substr(0, 12))), std::string::npos)
          << told.err;
    }
  }
  EXPECT_EQ(run_with(folder, "peers").code, 3) << "none at all";
  const Told unknown = run_with(folder, "peers onednm");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("nearest: onednn"), std::string::npos) << unknown.err;
  fmt::print("{} peers that are not there\n", peers().size());
}

TEST(Peers, AWrongOneIsCaughtUnderItsName) {
  const auto folder = fresh_folder("planted");
  plant(folder, "divisor", "onednn");
  plant(folder, "right", "dlib");
  plant(folder, "crashes", "opencv");
  const std::string few = " --regime unit_normal,large_mean --n 8..64 --budget 100 --no-timing";
  const Told check = run_with(folder, "check onednn" + few);
  EXPECT_EQ(check.code, 1) << check.out << check.err;
  EXPECT_NE(check.out.find("FAIL  onednn  f32"), std::string::npos) << check.out;
  EXPECT_NE(check.out.find("--impl onednn\n"), std::string::npos) << "it replays by its name: " << check.out;
  const Told fails = run_with(folder, "peers onednn" + few);
  EXPECT_EQ(fails.code, 1) << fails.out << fails.err;
  EXPECT_NE(fails.out.find("unexpected: FAIL in regime unit_normal"), std::string::npos) << fails.out;
  const Told passes = run_with(folder, "peers dlib" + few);
  EXPECT_EQ(passes.code, 1) << "known to fail, and it did not\n" << passes.out << passes.err;
  EXPECT_NE(passes.out.find("it did not fail"), std::string::npos) << passes.out;
  const Told crashes = run_with(folder, "peers opencv" + few);
  EXPECT_EQ(crashes.code, 1) << "a crash is never known\n" << crashes.out << crashes.err;
  EXPECT_NE(crashes.out.find("CRASH in regime"), std::string::npos) << crashes.out;
  fmt::print("a divisor of n-1, a right one in the place of a wrong one, and a crash\n");
}

// What a library chooses by its environment: the same object under two names.
TEST(Peers, TheInstructionSetIsPinnedAndPrinted) {
  const std::string few = " --regime unit_normal --n 8 --budget 4 --no-timing";
  const Told pinned = run("check onednn-sse41" + few);
  if (pinned.code == 3) GTEST_SKIP() << pinned.err;
  EXPECT_NE(pinned.out.find(" SSE41 (DNNL_MAX_CPU_ISA=SSE41"), std::string::npos) << pinned.out;
  const Told given = type(fmt::format("DNNL_MAX_CPU_ISA=AVX {} check onednn-sse41{} --out {}",
                                      NORMCHECK_COMMAND, few, (run_folder() / "out").string()));
  EXPECT_NE(given.out.find(" AVX (DNNL_MAX_CPU_ISA=AVX "), std::string::npos)
      << "what is set already stays: " << given.out;
}

}  // namespace
}  // namespace normcheck
