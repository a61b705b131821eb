// The night keeps what it announces and says what is wrong. Targets are stand-ins (nightly_stub.cpp), so that
// every way in which a target can go wrong is tried in seconds.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"
#include "fuzz/night/findings.h"
#include "fuzz/night/night.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

struct Told {
  int code = -1;
  std::string out;
};

/// A folder with a state, and a folder of targets that do as they are told.
class Nightly : public ::testing::Test {
 protected:
  void SetUp() override {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const char* base = std::getenv("NORMCHECK_OUT");
    home_ = fs::absolute(base != nullptr ? base : ".") / "nightly" /
            (std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
             std::to_string(getpid()));
    fs::remove_all(home_);
    fs::create_directories(home_ / "targets");
    state_ = home_ / "state";
  }
  void TearDown() override {
    if (!HasFailure()) fs::remove_all(home_);
  }

  fs::path program(const std::string& name) const { return home_ / "targets" / name; }

  void target(const std::string& name, const std::string& does) {
    if (!fs::exists(program(name))) {
      fs::create_symlink(NIGHTLY_STUB, program(name));
      std::ofstream(home_ / "targets" / "targets.txt", std::ios::app) << name << '\n';
    }
    std::ofstream(program(name).string() + ".does") << does << '\n';
    fs::remove(program(name).string() + ".passes");
  }

  std::vector<std::string> words(const std::string& more = "") const {
    std::vector<std::string> out = {
        NIGHTLY_COMMAND, "nightly",       "--minutes", "0.05",
        "--state",       state_.string(), "--targets", (home_ / "targets").string(),
        "--today",       "2026-03-01"};
    std::istringstream in(more);
    for (std::string word; in >> word;) out.push_back(word);
    return out;
  }

  /// A run of the program; its output comes through a pipe.
  struct Started {
    pid_t pid;
    FILE* out;
  };
  Started start(const std::vector<std::string>& command) const {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      dup2(ends[1], 1);
      dup2(ends[1], 2);
      std::vector<char*> argv;
      for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    return {pid, fdopen(ends[0], "r")};
  }
  static std::string line_of(FILE* out) {
    char buffer[4096];
    return std::fgets(buffer, sizeof buffer, out) != nullptr ? buffer : "";
  }
  static int end(const Started& started) {
    int status = 0;
    std::fclose(started.out);
    waitpid(started.pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  Told run(const std::string& more = "") const {
    const Started started = start(words(more));
    Told told;
    for (std::string line = line_of(started.out); !line.empty(); line = line_of(started.out))
      told.out += line;
    told.code = end(started);
    return told;
  }

  fs::path finding(const std::string& target, const std::string& ending = ".case") const {
    return state_ / "findings" / (target + "-row-f32.own.f32.row" + ending);
  }
  std::string summary() const { return read_file(state_ / "summary.md"); }

  fs::path home_, state_;
};

bool holds(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

TEST_F(Nightly, IsGreenWhereEveryTargetRanAndThePlantedDefectWasFound) {
  target("fuzz_a", "clean");
  target("fuzz_a_planted", "finds");
  const Told told = run();
  EXPECT_EQ(told.code, 0) << told.out;
  EXPECT_TRUE(holds(told.out, "fuzz_a                          100 executions")) << told.out;
  EXPECT_TRUE(holds(told.out, "corpus 0 -> 2")) << "of three inputs two reach something: " << told.out;
  EXPECT_TRUE(holds(told.out, "planted and found")) << told.out;
  EXPECT_TRUE(fs::exists(finding("fuzz_a_planted")));
  EXPECT_TRUE(holds(summary(), "green") && holds(summary(), "planted: expected")) << summary();
  EXPECT_TRUE(holds(summary(), "fuzz_a: largest share of the bound 0.5")) << summary();
  for (const char* word : {"minutes", "processor minutes", "MiB on disk"})
    EXPECT_TRUE(holds(summary(), word));
}

TEST_F(Nightly, IsRedWhereThePlantedDefectIsNotFound) {
  target("fuzz_a", "clean");
  target("fuzz_a_planted", "clean");
  const Told told = run();
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_a_planted: the planted defect was not found")) << told.out;
}

TEST_F(Nightly, ThreeFindingsOfOneProblemAreOneFileThatReplays) {
  target("fuzz_a", "finds");
  const Told told = run();
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(holds(told.out, "RED finding fuzz_a-row-f32.own.f32.row")) << told.out;
  EXPECT_EQ(kept_findings(state_ / "findings", [](const std::string&) { return true; }).size(), 1u)
      << told.out;
  EXPECT_EQ(read_file(program("fuzz_a").string() + ".passes"), "4")
      << "three findings, then the rest of the time";
  EXPECT_TRUE(
      holds(summary(), "replay: `normcheck replay " + finding("fuzz_a").string() + " --impl row/f32`"))
      << summary();
  EXPECT_TRUE(holds(summary(), "finding  fuzz_a-row-f32.own.f32.row\ninput"))
      << "the block for a baseline: " << summary();
  EXPECT_TRUE(files_in(state_ / "fuzz_a" / "artifacts").empty());
}

TEST_F(Nightly, AFindingStaysRedUntilItPasses) {
  target("fuzz_a", "finds");
  EXPECT_EQ(run().code, 1);
  target("fuzz_a", "clean");
  const Told open = run();
  EXPECT_EQ(open.code, 1) << open.out;
  EXPECT_TRUE(holds(summary(), "still open, since 2026-03-01")) << summary();
  std::ofstream(finding("fuzz_a")) << "normcheck-case mended";
  const Told mended = run();
  EXPECT_EQ(mended.code, 0) << mended.out;
  EXPECT_TRUE(holds(mended.out, "does not fail any more"));
  EXPECT_FALSE(fs::exists(finding("fuzz_a")));
  EXPECT_TRUE(fs::exists(state_ / "findings" / "fixed" / finding("fuzz_a").filename()));
}

TEST_F(Nightly, IsRedWhereATargetRunsNothingOrDiesOrIsNotThere) {
  target("fuzz_dead", "dead");
  target("fuzz_silent", "silent");
  target("fuzz_well", "clean");
  std::ofstream(home_ / "targets" / "targets.txt", std::ios::app) << "fuzz_gone\n";
  const Told told = run();
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_dead: died (exit 3)")) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_dead: ran nothing")) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_silent: ran nothing")) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_gone: there is no program")) << told.out;
  EXPECT_FALSE(holds(told.out, "RED fuzz_well")) << told.out;
}

TEST_F(Nightly, IsRedWhereACorpusVanishedOrATargetDid) {
  target("fuzz_a", "clean");
  target("fuzz_b", "clean");
  ASSERT_EQ(run().code, 0);
  EXPECT_EQ(files_in(state_ / "fuzz_a" / "corpus").size(), 2u);
  fs::remove_all(state_ / "fuzz_a" / "corpus");
  const Told told = run();
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(holds(told.out, "RED fuzz_a: the corpus vanished: 0 inputs of 2")) << told.out;
  EXPECT_FALSE(holds(told.out, "RED fuzz_b")) << told.out;
  EXPECT_EQ(run().code, 0) << "what is there now is the corpus";

  std::ofstream(home_ / "targets" / "targets.txt") << "fuzz_a\n";
  const Told gone = run();
  EXPECT_EQ(gone.code, 1) << gone.out;
  EXPECT_TRUE(holds(gone.out, "RED fuzz_b stopped running")) << gone.out;
}

TEST_F(Nightly, AnInputThatEndsTheTargetIsFoundAndDoesNotKeepItFromFuzzing) {
  target("fuzz_a", "clean");
  fs::create_directories(home_ / "seeds" / "a");
  std::ofstream(home_ / "seeds" / "a" / "seed") << "normcheck-case BAD row/f32 own f32 [1,4] [4]";
  const Told told = run("--seeds " + (home_ / "seeds").string());
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(fs::exists(finding("fuzz_a")));
  EXPECT_TRUE(holds(told.out, "100 executions")) << "it went on without that input: " << told.out;
}

TEST_F(Nightly, TheBaselineAcceptsWhatItListsAndComplainsOfWhatItDoesNotFit) {
  target("fuzz_a", "finds");
  ASSERT_EQ(run().code, 1);
  const auto kept = home_ / "kept.case";
  fs::copy_file(finding("fuzz_a"), kept);
  const auto list = home_ / "baseline";
  const auto write_list = [&](const char* says, const char* expires) {
    std::ofstream(list) << "finding fuzz_a-row-f32.own.f32.row\ninput kept.case\nsays " << says
                        << "\nreason r\nowner o\nexpires " << expires << '\n';
  };
  struct Step {
    const char *what, *says, *expires, *red;
  };
  int covered = 0;
  const auto expect = [&](const Step& step) {
    write_list(step.says, step.expires);
    const Told told = run("--baseline " + list.string());
    EXPECT_EQ(told.code, *step.red == '\0' ? 0 : 1) << step.what << '\n' << told.out;
    EXPECT_TRUE(*step.red == '\0' ||
                holds(told.out, std::string("RED baseline: fuzz_a-row-f32.own.f32.row: ") + step.red))
        << step.what << '\n'
        << told.out;
    ++covered;
  };
  expect({"accepted", "y[0,0] is wrong", "2026-03-01", ""});
  expect({"expired", "y[0,0] is wrong", "2026-02-28", "expired"});
  expect({"changed", "y[0,0] is right", "2026-03-01", "changed"});
  std::ofstream(kept) << "mended";
  expect({"passing", "y[0,0] is wrong", "2026-03-01", "unexpectedly passing"});
  fs::remove(kept);
  expect({"not run", "y[0,0] is wrong", "2026-03-01", "stopped running"});
  fmt::print("{} states of an entry\n", covered);
}

/// True if a process of the group runs (what waits to be reaped runs nothing).
bool group_runs(pid_t group) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    if (entry.path().filename().string().find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    std::string text((std::istreambuf_iterator<char>(in)), {});
    const std::size_t behind_name = text.rfind(')');
    char state = 0;
    int parent = 0, pgrp = 0;
    if (behind_name == text.npos) continue;
    if (std::sscanf(text.c_str() + behind_name + 1, " %c %d %d", &state, &parent, &pgrp) != 3) continue;
    if (pgrp == group && state != 'Z' && state != 'X') return true;
  }
  return false;
}

/// Waits for the lock, which is free when everything that the run started has ended. What is left of the
/// group after twenty seconds is killed, so that a failing test leaves nothing behind.
bool all_ended(const fs::path& state, pid_t group) {
  const int lock = open((state / "lock").c_str(), O_RDWR | O_CLOEXEC);
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  bool free = false;
  while (!free && std::chrono::steady_clock::now() < patience) {
    free = flock(lock, LOCK_EX | LOCK_NB) == 0;
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;  // what the killed run left comes to this process
    if (!free) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  close(lock);
  const bool out = free && !group_runs(group);
  if (!out) kill(-group, SIGKILL);
  return out;
}

TEST_F(Nightly, KilledItLosesNothingThatItAnnouncedAndLeavesNoProcess) {
  target("fuzz_a", "hangs");
  const fs::path fifo = program("fuzz_a").string() + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Started started = start(words());
  std::string announced;
  for (std::string line = line_of(started.out); !line.empty(); line = line_of(started.out)) {
    if (line.starts_with("finding ")) {
      announced = line;
      break;
    }
  }
  ASSERT_TRUE(holds(announced, "fuzz_a-row-f32.own.f32.row"));
  pid_t group = 0, grandchild = 0;
  std::ifstream(fifo) >> group >> grandchild;  // the target hangs now, and its child too
  ASSERT_GT(grandchild, 0);
  ASSERT_TRUE(group_runs(group)) << "else the test below would see nothing";
  kill(started.pid, SIGKILL);
  EXPECT_EQ(end(started), 128 + SIGKILL);

  EXPECT_TRUE(all_ended(state_, group));
  EXPECT_TRUE(fs::exists(finding("fuzz_a")) && fs::exists(finding("fuzz_a", ".txt")));

  target("fuzz_a", "clean");
  const Told next = run();
  EXPECT_EQ(next.code, 1) << next.out;
  EXPECT_TRUE(holds(next.out, "taken over: the run before (pid " + std::to_string(started.pid))) << next.out;
  EXPECT_TRUE(holds(next.out, "RED finding fuzz_a-row-f32.own.f32.row")) << next.out;
  EXPECT_TRUE(holds(next.out, "run 2 in")) << next.out;
}

TEST_F(Nightly, StoppedBySignalItEndsItsChildrenAndSaysSo) {
  target("fuzz_a", "hangs");
  const fs::path fifo = program("fuzz_a").string() + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Started started = start(words());
  pid_t group = 0;
  std::ifstream(fifo) >> group;
  kill(started.pid, SIGTERM);
  std::string out;
  for (std::string line = line_of(started.out); !line.empty(); line = line_of(started.out)) out += line;
  EXPECT_EQ(end(started), 1) << out;
  EXPECT_TRUE(holds(out, "RED stopped by signal 15")) << out;
  EXPECT_TRUE(holds(summary(), "0 of 1 targets are done")) << summary();
  EXPECT_TRUE(all_ended(state_, group));
}

TEST_F(Nightly, TakesUpWhatWasFoundButNotYetAnnounced) {
  target("fuzz_a", "clean");
  fs::create_directories(state_ / "fuzz_a" / "artifacts");
  std::ofstream(state_ / "fuzz_a" / "artifacts" / "crash-1")
      << "normcheck-case BAD row/f32 own f32 [1,9] [9]";
  fs::create_directories(state_ / "fuzz_a" / "corpus.old");  // a merge stopped between its renames
  std::ofstream(state_ / "fuzz_a" / "corpus.old" / "kept") << "q";
  const Told told = run();
  EXPECT_EQ(told.code, 1) << told.out;
  EXPECT_TRUE(holds(told.out, "finding fuzz_a-row-f32.own.f32.row: y[0,0] is wrong")) << told.out;
  EXPECT_TRUE(fs::exists(finding("fuzz_a")));
  EXPECT_TRUE(holds(told.out, "a run that was stopped were taken up")) << told.out;
  EXPECT_TRUE(fs::exists(state_ / "fuzz_a" / "corpus" / "kept"));
}

TEST_F(Nightly, AStateFolderInUseIsRefusedInOneLine) {
  target("fuzz_a", "clean");
  fs::create_directories(state_);
  const Lock held(state_);
  const Told told = run();
  EXPECT_EQ(told.code, 2);
  EXPECT_TRUE(holds(told.out, "held by pid " + std::to_string(getpid()))) << told.out;
  EXPECT_EQ(std::count(told.out.begin(), told.out.end(), '\n'), 1) << told.out;
}

TEST_F(Nightly, ABadCallOrAStateThatIsNoneIsOneLineAndExitTwo) {
  target("fuzz_a", "clean");
  fs::create_directories(state_);
  std::ofstream(state_ / "state.json") << "{";
  EXPECT_EQ(run().code, 2);
  std::ofstream(state_ / "state.json") << R"({"format": "something 9"})";
  EXPECT_EQ(run().code, 2);
  fs::remove(state_ / "state.json");
  for (const char* wrong :
       {"--minutes -1", "--jobs 0", "--baseline /nowhere", "--colour", "--targets /nowhere"}) {
    const Told told = run(wrong);
    EXPECT_EQ(told.code, 2) << wrong << '\n' << told.out;
    EXPECT_EQ(std::count(told.out.begin(), told.out.end(), '\n'), 1) << wrong << '\n' << told.out;
  }
}

TEST(NightlyParts, EveryTargetGetsAFewSecondsHoweverShortTheNight) {
  for (const double seconds : {-5.0, 1.0, 60.0, 3600.0}) {
    for (const int targets : {1, 4, 40}) EXPECT_GE(share_time(seconds, targets, 2).fuzz_seconds, 3);
  }
  const Shares hour = share_time(3600, 5, 2);
  EXPECT_LE(3 * (hour.fuzz_seconds + hour.merge_seconds), 3600);
  EXPECT_GE(3 * (hour.fuzz_seconds + hour.merge_seconds), 3300);
}

}  // namespace
}  // namespace normcheck
