// A process that runs a kernel from outside: it has its own group, and it does not outlive this one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace normcheck {

/// How a process ended.
struct Ending {
  int code = -1;   ///< the exit code; -1 where a signal ended it
  int signal = 0;  ///< the signal, or 0
};

/// "exit 3", "signal 11 (segmentation fault)".
std::string ending_text(const Ending& ending);

struct ChildStart {
  std::vector<std::string> words;             ///< the program, searched in PATH, and its arguments
  int arena = -1;                             ///< handed over as descriptor 4
  std::uint64_t address_space = 0;            ///< RLIMIT_AS; 0: none
  std::vector<std::string> environment = {};  ///< "NAME=value", in place of this process's
};

/// Holds the process and this side of its descriptors: all are closed, its whole group is killed, what left
/// the group too, and the process is reaped at the end. Descriptors of the child: 0 is empty, 1 and 2 are
/// pipes, 3 is the control socket, 4 the arena; no other is left open.
class Child {
 public:
  Child() = default;
  /// InputError where no process can be made; LoadError where the program cannot be run.
  explicit Child(const ChildStart& start);
  ~Child() { end(); }
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  bool is_there() const { return pid_ > 0; }
  pid_t pid() const { return pid_; }
  int control() const { return control_; }  ///< non-blocking, as are out and err
  int out() const { return out_; }
  int err() const { return err_; }

  /// Waits at most so long; nothing where it still runs. What ended is reaped by end().
  std::optional<Ending> wait(double seconds);
  /// Kills what is left of the group, reaps, closes. Harmless a second time.
  void end();
  /// Another limit for the running process.
  void limit_address_space(std::uint64_t bytes) const;

 private:
  pid_t pid_ = -1;
  std::string mark_;  ///< in the environment of all that it starts
  int control_ = -1, out_ = -1, err_ = -1;
};

/// Runs the program as a child of the same group, and ends as it ended. Where the starter of this process
/// dies, the group is killed: a parent-death signal alone would not reach what the program starts. For the
/// process that a host starts, which has no other thread.
int supervise(const std::vector<std::string>& words);

/// SIGTERM, here also sent where the starter dies, kills the whole group of this process, of which it is to
/// be the head.
void end_with_parent();

}  // namespace normcheck
