// In a worker: pages that no call may touch, and who touched one.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "impl/plugin/call_plan.h"

namespace normcheck {

/// While it lives, the guard pages of a plan are closed to this process; a touch answers the call with a
/// crash that says of which tensor it was, and ends the process. One at a time.
class GuardPages {
 public:
  GuardPages(const CallPlan& plan, std::byte* base, std::uint64_t id);
  ~GuardPages();
  GuardPages(const GuardPages&) = delete;
  GuardPages& operator=(const GuardPages&) = delete;

 private:
  const CallPlan& plan_;
  std::byte* base_;
  struct sigaction before_ {};
};

}  // namespace normcheck
