// Child processes by fork, with parent-death signals and process groups.
#include "fuzz/night/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "corpus/error.h"

namespace normcheck {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

sigset_t set_of(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

int wait_for(const sigset_t& set, double seconds) {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  const int signal = sigtimedwait(&set, nullptr, &limit);
  return signal < 0 ? 0 : signal;
}

pid_t fork_or_throw() {
  const pid_t pid = fork();
  if (pid < 0) throw InputError(fmt::format("fork: {}; expected room for a process", std::strerror(errno)));
  return pid;
}

/// Between fork and exec, so nothing here may allocate: the memory may have been in use when it was copied.
[[noreturn]] void become(char* const* words, char* const* environment, const char* log, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // it died before the signal was asked for
  const sigset_t none = set_of({});
  sigprocmask(SIG_SETMASK, &none, nullptr);
  signal(SIGTERM, SIG_DFL);
  const int out = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int in = open("/dev/null", O_RDONLY);
  if (out < 0 || in < 0) _exit(127);
  dup2(in, 0);
  dup2(out, 1);
  dup2(out, 2);
  execve(words[0], words, environment);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& added) {
  std::vector<std::string> out;
  for (const auto& [name, value] : added) out.push_back(fmt::format("{}={}", name, value));
  const std::size_t count = out.size();
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view name = std::string_view(*line).substr(0, std::string_view(*line).find('=') + 1);
    const bool replaced = std::any_of(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count),
                                      [&](const std::string& other) { return other.starts_with(name); });
    if (!replaced) out.emplace_back(*line);
  }
  return out;
}

/// kill(0, ...) reaches the whole group, this process with it, and may be called in a handler.
void kill_own_group(int) { kill(0, SIGKILL); }

}  // namespace

std::string ending_text(const Ended& ended) {
  if (ended.out_of_time) return fmt::format("killed after {:.0f} s", ended.seconds);
  if (ended.signal != 0) return fmt::format("signal {}", ended.signal);
  return fmt::format("exit {}", ended.code);
}

Ended run_command(const Command& command) {
  std::vector<std::string> words = command.words, environment = environment_with(command.environment);
  const std::vector<char*> argv = pointers(words), envp = pointers(environment);
  const auto start = Clock::now();
  const pid_t parent = getpid(), child = fork_or_throw();
  if (child == 0) become(argv.data(), envp.data(), command.log.c_str(), parent);

  Ended out;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const double left = command.limit_seconds - seconds_since(start);
    if (left <= 0) {
      out.out_of_time = true;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    wait_for(set_of({SIGCHLD}), left);
  }
  out.seconds = seconds_since(start);
  out.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  out.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return out;
}

void block_signals() {
  const sigset_t set = set_of({SIGCHLD, SIGINT, SIGTERM});
  sigprocmask(SIG_BLOCK, &set, nullptr);
}

int wait_for_signal(double seconds) { return wait_for(set_of({SIGCHLD, SIGINT, SIGTERM}), seconds); }

pid_t start_worker(const std::function<int()>& work) {
  const pid_t starter = getpid(), worker = fork_or_throw();
  if (worker != 0) {
    setpgid(worker, worker);  // in both, so that it holds whoever runs first
    return worker;
  }
  setpgid(0, 0);
  signal(SIGTERM, kill_own_group);
  const sigset_t term = set_of({SIGTERM});
  sigprocmask(SIG_UNBLOCK, &term, nullptr);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != starter) _exit(1);
  int code = 1;
  try {
    code = work();
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
  }
  std::fflush(nullptr);
  _exit(code);
}

EndedWorker take_ended_worker() {
  EndedWorker out;
  siginfo_t ended{};  // looked at first: until it is reaped, no other group can have its number
  if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == 0) return out;
  kill(-ended.si_pid, SIGKILL);
  int status = 0;
  rusage used{};
  out.pid = wait4(ended.si_pid, &status, 0, &used);
  out.clean = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + double(t.tv_usec) * 1e-6; };
  out.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  out.peak_kib = used.ru_maxrss;
  return out;
}

void kill_worker(pid_t worker) {
  kill(-worker, SIGKILL);
  waitpid(worker, nullptr, 0);
}

}  // namespace normcheck
