// Takes notice of crashes, and minimises them in child processes.
#include "fuzz/in_flight.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <string>

#include "fuzz/finding.h"
#include "fuzz/target.h"

// Names that the runtimes of the sanitizers have; null without them.
extern "C" {
__attribute__((weak)) const char* __asan_get_report_description();
__attribute__((weak)) void __ubsan_get_current_report_data(const char** kind, const char** message,
                                                           const char** file, unsigned* line,
                                                           unsigned* column, char** address);
}

namespace normcheck {
namespace {

constexpr std::array faults = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
constexpr int survived = 42;          // the exit status of a child whose case did not crash
constexpr unsigned most_seconds = 5;  // for one case of a child: a hang is another fault
// Forking a process under ASan takes milliseconds, so tries are dearer than elements.
constexpr std::int64_t crash_work = 64 * 600;

// A handler has no arguments of ours, so what runs is known to the program.
const InFlight* current = nullptr;
std::array<struct sigaction, faults.size()> handlers_before{};

std::string sanitizer_word() {
  // Through a pointer that the compiler cannot see through: whoever counts the calls to ASan in a build
  // without it is to find none.
  const char* (*volatile describe)() = __asan_get_report_description;
  if (describe != nullptr) {
    const char* word = describe();
    if (word != nullptr && *word != '\0') return word;
  }
  return "crash";
}

std::string undefined_word() {
  const char *kind = nullptr, *message = nullptr, *file = nullptr;
  unsigned line = 0, column = 0;
  char* address = nullptr;
  if (__ubsan_get_current_report_data != nullptr)
    __ubsan_get_current_report_data(&kind, &message, &file, &line, &column, &address);
  return kind != nullptr && *kind != '\0' ? kind : "crash";
}

/// Whether `run` ends a child process before it is done. The child comes from clone itself: fork() takes
/// locks of the sanitizer that the error which is being reported holds. In it a second error ends the process
/// at once.
bool crashes(const std::function<void()>& run) {
  const long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child < 0) return false;
  if (child == 0) {
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    for (const int signal : faults) std::signal(signal, SIG_DFL);
    std::signal(SIGALRM, SIG_DFL);
    alarm(most_seconds);
    run();
    _exit(survived);
  }
  int status = 0;
  while (waitpid(static_cast<pid_t>(child), &status, __WALL) < 0 && errno == EINTR) {
  }
  return !(WIFEXITED(status) && WEXITSTATUS(status) == survived) &&
         !(WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM);
}

void on_signal(int signal, siginfo_t* info, void* context);

/// Room for a handler that does as much as this one, also where a stack overflow was the fault.
void widen_signal_stack() {
  constexpr std::size_t size = std::size_t{1} << 20;
  stack_t stack{};
  stack.ss_sp = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = size;
  if (stack.ss_sp != MAP_FAILED) sigaltstack(&stack, nullptr);
}

void watch_signals() {
  widen_signal_stack();
  for (std::size_t i = 0; i < faults.size(); ++i) {
    struct sigaction action {};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(faults[i], &action, &handlers_before[i]);
  }
}

}  // namespace

/// Keeps the case that is running, if one is, as the finding of a crash.
void report_crash(const std::string& word) {
  static bool reported = false;  // a signal comes here, and then the sanitizer's report of it
  const InFlight* flight = current;
  if (flight == nullptr || flight->problem() == nullptr || reported) return;
  reported = true;
  const InFlight nothing;  // what goes wrong from here on is not the case's fault
  Finding finding;
  finding.who = flight->who();
  finding.promise = word;
  finding.again = [flight](const Case& c) { return crashes([&] { flight->rerun(c); }); };
  finding.words = [&](const Case& c) {
    return finding_head("CRASH", finding.who, c, word) + fmt::format("  {} while this case ran\n", word);
  };
  finding.replay = [](const std::string& file) { return fmt::format("{} {}", target_name(), file); };
  keep_finding(*flight->problem(), finding, crash_work);
}

namespace {

void on_signal(int signal, siginfo_t* info, void* context) {
  report_crash("crash");
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i] != signal) continue;
    const struct sigaction& before = handlers_before[i];
    sigaction(signal, &before, nullptr);
    if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
    if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  }
  // The default action, when this returns: the instruction faults again, and an abort goes on.
  if (signal == SIGABRT) raise(signal);
}

}  // namespace

InFlight::InFlight() : outer_(current) { current = this; }

InFlight::InFlight(const Case& c, std::string_view who, void (*again)(const Case&, const void*),
                   const void* context)
    : problem_(&c), who_(who), rerun_(again), context_(context), outer_(current) {
  // After the engine's own handlers, which would leave alone what is there before them.
  static const bool watched = (watch_signals(), true);
  (void)watched;
  current = this;
}

InFlight::~InFlight() { current = outer_; }

}  // namespace normcheck

// Called by the runtimes before they print an error.
extern "C" void __asan_on_error() { normcheck::report_crash(normcheck::sanitizer_word()); }
extern "C" void __ubsan_on_report() { normcheck::report_crash(normcheck::undefined_word()); }
