// In a worker: pages that no call may touch, and who touched one.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include "impl/plugin/call_plan.h"

namespace normcheck {

/// Closes pages of an arena to this process; a touch answers the call with a crash that says of which tensor
/// it was, and ends the process. One at a time.
class GuardPages {
 public:
  GuardPages() = default;
  GuardPages(const GuardPages&) = delete;
  GuardPages& operator=(const GuardPages&) = delete;

  /// For the call `id`: the guard pages of its plan, and what of the arena's `bytes` lies behind its tensors.
  void close(const CallPlan& plan, std::byte* base, std::uint64_t bytes, std::uint64_t id);
  /// After it. What lies behind stays closed, since the next call is often as large.
  void open(const CallPlan& plan);
  /// The arena is mapped anew, and open.
  void forget() { base_ = nullptr; }

 private:
  void close_behind(std::byte* base, std::uint64_t from, std::uint64_t bytes);
  std::byte* base_ = nullptr;
  std::uint64_t behind_ = 0;  ///< closed from here on
  struct sigaction before_ {};
};

}  // namespace normcheck
