// mprotect, and a handler that only writes a line made beforehand.
#include "impl/plugin/guard_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "corpus/error.h"
#include "impl/plugin/protocol.h"

namespace normcheck {
namespace {

struct Closed {
  const std::byte *begin, *end;
  std::string line;  ///< the answer, its end included
};

/// Of the call at hand; the handler reads it.
std::vector<Closed>& closed() {
  static std::vector<Closed> pages;
  return pages;
}

extern "C" void touched(int signal, siginfo_t* info, void*) {
  const auto* at = static_cast<const std::byte*>(info->si_addr);
  for (const Closed& page : closed()) {
    if (at < page.begin || at >= page.end) continue;
    [[maybe_unused]] const auto sent = write(control_descriptor, page.line.data(), page.line.size());
    _exit(128 + signal);
  }
  ::signal(signal, SIG_DFL);  // another fault: it comes again at once
}

void protect(const CallPlan& plan, std::byte* base, int how) {
  for (const GuardPage& page : plan.guards) {
    if (mprotect(base + page.offset, page.bytes, how) != 0) throw InputError("mprotect failed");
  }
}

}  // namespace

GuardPages::GuardPages(const CallPlan& plan, std::byte* base, std::uint64_t id) : plan_(plan), base_(base) {
  if (plan.guards.empty()) return;
  closed().clear();
  for (const GuardPage& page : plan.guards) {
    Answer answer;
    answer.status = Status::crash;
    answer.message = fmt::format("read or wrote {} {}: it touched the page that {}",
                                 page.after ? "past the end of" : "before the beginning of",
                                 role_name(page.role), page.after ? "begins there" : "ends there");
    closed().push_back({base + page.offset, base + page.offset + page.bytes, answer_line(id, answer) + "\n"});
  }
  protect(plan, base, PROT_NONE);
  struct sigaction action {};
  action.sa_sigaction = &touched;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before_);
}

GuardPages::~GuardPages() {
  if (plan_.guards.empty()) return;
  sigaction(SIGSEGV, &before_, nullptr);
  for (const GuardPage& page : plan_.guards)
    mprotect(base_ + page.offset, page.bytes, PROT_READ | PROT_WRITE);
}

}  // namespace normcheck
