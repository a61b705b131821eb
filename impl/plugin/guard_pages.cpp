// mprotect, and a handler that only writes a line made beforehand.
#include "impl/plugin/guard_pages.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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
  // Another fault, or a signal that was sent: what it would have come to without this handler.
  ::signal(signal, SIG_DFL);
  raise(signal);
}

void protect(std::byte* from, std::uint64_t bytes, int how) {
  if (bytes > 0 && mprotect(from, bytes, how) != 0) throw InputError("mprotect failed");
}

std::string words_of(const GuardPage& page) {
  const std::string_view name = role_name(page.role);
  switch (page.guard) {
    case Guard::after:
      return fmt::format("read or wrote past the end of {0}: it touched the page that begins there", name);
    case Guard::before:
      return fmt::format("read or wrote before the beginning of {0}: it touched the page that ends there",
                         name);
    default:
      return fmt::format("wrote to its input {}, or right beside it: its pages were closed to writing", name);
  }
}

std::string crash_line(std::uint64_t id, std::string words) {
  Answer answer;
  answer.status = Status::crash;
  answer.message = std::move(words);
  return answer_line(id, answer) + "\n";
}

}  // namespace

void GuardPages::close_behind(std::byte* base, std::uint64_t from, std::uint64_t bytes) {
  static const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  from = std::min((from + page - 1) / page * page, bytes);
  if (base_ == nullptr) {
    protect(base + from, bytes - from, PROT_NONE);
  } else if (from > behind_) {
    protect(base + behind_, from - behind_, PROT_READ | PROT_WRITE);
  } else {
    protect(base + from, behind_ - from, PROT_NONE);
  }
  base_ = base;
  behind_ = from;
}

void GuardPages::close(const CallPlan& plan, std::byte* base, std::uint64_t bytes, std::uint64_t id) {
  closed().clear();
  close_behind(base, plan.arena_bytes, bytes);
  for (const GuardPage& page : plan.guards) {
    closed().push_back({base + page.offset, base + page.offset + page.bytes, crash_line(id, words_of(page))});
    protect(base + page.offset, page.bytes, page.guard == Guard::input ? PROT_READ : PROT_NONE);
  }
  if (!plan.tensors.empty()) {
    const std::string_view last = role_name(plan.tensors.back().role);
    closed().push_back(
        {base + behind_, base + bytes,
         crash_line(id, fmt::format("read or wrote far past the end of {}, where nothing of the "
                                    "call lies",
                                    last))});
  }
  struct sigaction action {};
  action.sa_sigaction = &touched;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, &before_);
}

void GuardPages::open(const CallPlan& plan) {
  sigaction(SIGSEGV, &before_, nullptr);
  for (const GuardPage& page : plan.guards) protect(base_ + page.offset, page.bytes, PROT_READ | PROT_WRITE);
}

}  // namespace normcheck
