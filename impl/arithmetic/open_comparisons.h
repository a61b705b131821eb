// Which comparisons of numbers with error bounds are not decided by them.
#pragma once

#include <cmath>
#include <cstdint>

#include "impl/arithmetic/upward.h"

namespace normcheck {

/// Counts, while it lives, this thread's comparisons a < b that the errors of a and b leave open.
class OpenComparisons {
 public:
  OpenComparisons() : outer_(active()) { active() = this; }
  ~OpenComparisons() { active() = outer_; }
  OpenComparisons(const OpenComparisons&) = delete;
  OpenComparisons& operator=(const OpenComparisons&) = delete;
  std::int64_t count() const { return count_; }

  static void compared(double difference, double error_of_both) {
    const bool closed = error_of_both == 0 || step_down(std::fabs(difference)) > error_of_both;
    if (active() != nullptr && !closed) ++active()->count_;
  }

 private:
  static OpenComparisons*& active() {
    static thread_local OpenComparisons* scope = nullptr;
    return scope;
  }
  OpenComparisons* outer_;
  std::int64_t count_ = 0;
};

}  // namespace normcheck
