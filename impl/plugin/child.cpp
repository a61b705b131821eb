// fork and exec, with everything that a kernel from outside could leave behind accounted for.
#include "impl/plugin/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <utility>

#include "corpus/error.h"
#include "impl/plugin/protocol.h"
#include "impl/plugin/spawner.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NORMCHECK_ADDRESS_SANITIZER 1
#endif
#endif

namespace normcheck {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(NORMCHECK_ADDRESS_SANITIZER)
constexpr bool limits_memory = false;  // its shadow is terabytes of address space
#else
constexpr bool limits_memory = true;
#endif

[[noreturn]] void fail(const char* what) {
  throw InputError(fmt::format("{}: {}; expected room for a process", what, std::strerror(errno)));
}

/// Closes what it holds.
struct Descriptor {
  int at = -1;
  Descriptor() = default;
  explicit Descriptor(int descriptor) : at(descriptor) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  void close() {
    if (at >= 0) ::close(at);
    at = -1;
  }
  int release() { return std::exchange(at, -1); }
};

struct Pair {
  Descriptor ours, theirs;
};

void make_pipe(Pair& pair) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
  pair.ours.at = ends[0];
  pair.theirs.at = ends[1];
}

void make_socket(Pair& pair) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) fail("socketpair");
  pair.ours.at = ends[0];
  pair.theirs.at = ends[1];
}

void make_nonblocking(int descriptor) { fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

struct Prepared {
  char* const* words;
  char* const* environment;
  int control, arena, out, err, failure;
  std::uint64_t address_space;
  pid_t parent;
};

void limit(int resource, std::uint64_t bytes) {
  rlimit now{};
  getrlimit(static_cast<__rlimit_resource>(resource), &now);
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || now.rlim_max > bytes ? bytes : now.rlim_max;
  setrlimit(static_cast<__rlimit_resource>(resource), &now);
}

/// Between fork and exec: other threads of the parent may hold any lock, so nothing here may take one.
[[noreturn]] void become(const Prepared& p) {
  constexpr int first_free = 10, failure_place = 5;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != p.parent) _exit(127);  // it died before the signal was asked for
  // Out of the way of 0 to 5 first, where some may lie already.
  const int wanted[] = {open("/dev/null", O_RDONLY | O_CLOEXEC), p.out, p.err, p.control, p.arena, p.failure};
  std::array<int, 6> high{};
  for (std::size_t i = 0; i < high.size(); ++i) high[i] = fcntl(wanted[i], F_DUPFD_CLOEXEC, first_free);
  for (std::size_t i = 0; i < high.size(); ++i) dup2(high[i], static_cast<int>(i));
  fcntl(failure_place, F_SETFD, FD_CLOEXEC);
  if (close_range(failure_place + 1, ~0U, 0) != 0) {
    for (int i = failure_place + 1; i < 4096; ++i) close(i);
  }
  limit(RLIMIT_CORE, 0);
  if (p.address_space > 0 && limits_memory) limit(RLIMIT_AS, p.address_space);
  for (int s = 1; s < NSIG; ++s) signal(s, s == SIGPIPE ? SIG_IGN : SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execvpe(p.words[0], p.words, p.environment);
  const int error = errno;
  [[maybe_unused]] const auto written = write(failure_place, &error, sizeof error);
  _exit(127);
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

/// This process's, with these variables in it: the first of a name counts.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> out;
  const auto add = [&out](std::string_view variable) {
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool known =
        std::any_of(out.begin(), out.end(), [name](const std::string& v) { return v.starts_with(name); });
    if (!known) out.emplace_back(variable);
  };
  for (const std::string& variable : variables) add(variable);
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) add(*at);
  return out;
}

/// A variable that no other process but a child and what it starts has.
std::string next_mark() {
  static std::atomic<int> count = 0;
  return fmt::format("NORMCHECK_WORKER={}.{}", getpid(), ++count);
}

/// Kills the processes that began with this variable; false where there is none that still runs.
bool kill_marked(const std::string& mark) {
  bool found = false;
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc", error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ptr != name.data() + name.size())
      continue;
    std::ifstream file(at->path() / "environ");  // empty of one that has ended
    for (std::string variable; std::getline(file, variable, '\0');) {
      if (variable != mark) continue;
      found |= pid != getpid() && kill(pid, SIGKILL) == 0;
      break;
    }
  }
  return found;
}

}  // namespace

std::string ending_text(const Ending& ending) {
  if (ending.signal == 0) return fmt::format("exit {}", ending.code);
  constexpr std::pair<int, std::string_view> names[] = {{SIGSEGV, "segmentation fault"},
                                                        {SIGABRT, "aborted"},
                                                        {SIGFPE, "arithmetic exception"},
                                                        {SIGILL, "illegal instruction"},
                                                        {SIGBUS, "bus error"},
                                                        {SIGKILL, "killed"},
                                                        {SIGTERM, "terminated"},
                                                        {SIGTRAP, "trap"},
                                                        {SIGSYS, "bad system call"},
                                                        {SIGXCPU, "processor time used up"},
                                                        {SIGALRM, "alarm"},
                                                        {SIGINT, "interrupted"}};
  for (const auto& [signal, name] : names) {
    if (signal == ending.signal) return fmt::format("signal {} ({})", signal, name);
  }
  return fmt::format("signal {}", ending.signal);
}

Child::Child(const ChildStart& start) {
  std::vector<std::string> words = start.words;
  const std::vector<char*> argv = pointers(words);
  std::vector<std::string> given = start.environment;
  given.push_back(mark_ = next_mark());
  std::vector<std::string> variables = environment_with(given);
  const std::vector<char*> environment = pointers(variables);
  Pair control, out, err, failure;
  make_socket(control);
  make_pipe(out);
  make_pipe(err);
  make_pipe(failure);
  const Prepared prepared{argv.data(),   environment.data(), control.theirs.at,   start.arena, out.theirs.at,
                          err.theirs.at, failure.theirs.at,  start.address_space, getpid()};
  pid_ = spawn([&prepared] {
    const pid_t pid = fork();
    if (pid == 0) become(prepared);
    return pid;
  });
  if (pid_ < 0) fail("fork");
  setpgid(pid_, pid_);  // in both, so that it holds whoever runs first
  control_ = control.ours.release();
  out_ = out.ours.release();
  err_ = err.ours.release();
  for (const int descriptor : {control_, out_, err_}) make_nonblocking(descriptor);
  failure.theirs.close();
  int error = 0;
  if (read(failure.ours.at, &error, sizeof error) == static_cast<ssize_t>(sizeof error)) {
    end();
    throw LoadError(fmt::format("{}: cannot be run: {}", words.front(), std::strerror(error)));
  }
}

Child::Child(Child&& other) noexcept { *this = std::move(other); }

Child& Child::operator=(Child&& other) noexcept {
  if (this == &other) return *this;
  end();
  pid_ = std::exchange(other.pid_, -1);
  mark_ = std::move(other.mark_);
  control_ = std::exchange(other.control_, -1);
  out_ = std::exchange(other.out_, -1);
  err_ = std::exchange(other.err_, -1);
  return *this;
}

std::optional<Ending> Child::wait(double seconds) {
  constexpr timespec pause{0, 1'000'000};
  for (double waited = 0;; waited += 1e-3) {
    siginfo_t info{};
    if (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0) return Ending{};
    if (info.si_pid != 0) {
      if (info.si_code == CLD_EXITED) return Ending{info.si_status, 0};
      return Ending{-1, info.si_status};
    }
    if (waited >= seconds) return std::nullopt;
    nanosleep(&pause, nullptr);
  }
}

void Child::end() {
  if (pid_ > 0) {
    // Until it is reaped no other group can have its number. The kernel kills the group at once.
    kill(-pid_, SIGKILL);
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
    // What left the group may start more before it is met.
    constexpr int most_rounds = 16;
    for (int round = 0; round < most_rounds && kill_marked(mark_); ++round) {
    }
  }
  for (int* descriptor : {&control_, &out_, &err_}) {
    if (*descriptor >= 0) close(*descriptor);
    *descriptor = -1;
  }
  pid_ = -1;
}

void Child::limit_address_space(std::uint64_t bytes) const {
  if (pid_ <= 0 || !limits_memory) return;
  rlimit now{};
  if (prlimit(pid_, RLIMIT_AS, nullptr, &now) != 0) return;
  now.rlim_cur = now.rlim_max == RLIM_INFINITY || now.rlim_max > bytes ? bytes : now.rlim_max;
  prlimit(pid_, RLIMIT_AS, &now, nullptr);
}

void end_with_parent() {
  if (getpgrp() != getpid()) return;  // started by hand: the group is somebody else's
  signal(SIGTERM, [](int) { kill(0, SIGKILL); });
  prctl(PR_SET_PDEATHSIG, SIGTERM);
}

int supervise(const std::vector<std::string>& words) {
  end_with_parent();
  std::vector<std::string> copies = words;
  const std::vector<char*> argv = pointers(copies);
  const pid_t pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) {
    signal(SIGTERM, SIG_DFL);
    execvp(argv[0], argv.data());
    fmt::print(stderr, "{}: cannot be run: {}\n", words.front(), std::strerror(errno));
    _exit(127);
  }
  // The host is to see the end of the program on the socket, so it is held by the program alone.
  close(control_descriptor);
  close(arena_descriptor);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace normcheck
