// Child processes that end with their parent, however that ends.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace normcheck {

/// What a child is started with.
struct Command {
  std::vector<std::string> words;                                ///< the program's path and its arguments
  std::vector<std::pair<std::string, std::string>> environment;  ///< on top of the parent's
  std::filesystem::path log;  ///< takes stdout and stderr, from its beginning
  double limit_seconds = 60;  ///< then it is killed
};

/// How a child ended.
struct Ended {
  int code = 0;    ///< the exit code; -1 where a signal ended it
  int signal = 0;  ///< the signal, or 0
  bool out_of_time = false;
  double seconds = 0;  ///< wall clock
};

/// "exit 1", "signal 11", "killed after 35 s".
std::string ending_text(const Ended& ended);

/// Starts the child, waits for it, kills it at its limit. The child has SIGKILL as its parent-death signal,
/// so it does not outlive the caller. InputError if no process can be made; a program that cannot be run
/// ends with 127. The caller has one thread, and SIGCHLD blocked (see block_signals).
Ended run_command(const Command& command);

/// Blocks SIGCHLD, SIGINT and SIGTERM, which are waited for instead (wait_for_signal).
void block_signals();

/// Waits for one of them, at most `seconds`; 0 where none came.
int wait_for_signal(double seconds);

/// A process that runs `work` and ends with what it returns, the head of its own process group. Should the
/// starter die, even by SIGKILL, the worker and everything in its group is killed: the group is what also
/// holds the grandchildren of a child (libFuzzer starts some by system()), whom a parent-death signal of
/// the child would not reach.
pid_t start_worker(const std::function<int()>& work);

/// A worker that has ended; pid 0 where none has. The figures cover its children too.
struct EndedWorker {
  pid_t pid = 0;
  bool clean = false;  ///< returned 0
  double processor_seconds = 0;
  std::int64_t peak_kib = 0;  ///< the largest resident size of one process
};
/// Takes one that has ended, without waiting; what is left of its group is killed.
EndedWorker take_ended_worker();

/// Kills the worker's whole group and waits for the worker.
void kill_worker(pid_t worker);

}  // namespace normcheck
