// The counts of a piece of work: operations by kind, and passes over a row.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "impl/arithmetic/arithmetic.h"

namespace normcheck {

struct Counts {
  std::int64_t adds = 0;  ///< + and -
  std::int64_t multiplies = 0;
  std::int64_t divides = 0;
  std::int64_t roots = 0;
  std::int64_t compares = 0;
  std::int64_t passes = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

/// Counts the operations of this thread on Counted numbers while it lives; of nested scopes the innermost
/// counts. Counts from integers and conversions are free.
///
/// Passes. An element that enters an operation is read; reads of one element with no other element's between
/// them are one visit (v*v reads v twice, in a loop over v it is loaded once). A row is passed as often as
/// its median element is visited: the median, so that an element kept in a register (a shift), or one that
/// ends a pass and begins the next, does not count. Needs three elements; a value that is derived from an
/// element and kept (a stored deviation) is not the element.
class CountScope {
 public:
  CountScope() : outer_(active()) { active() = this; }
  ~CountScope() { active() = outer_; }
  CountScope(const CountScope&) = delete;
  CountScope& operator=(const CountScope&) = delete;

  Counts counts() const {
    Counts out = counts_;
    std::vector<std::int64_t> visits = visits_;
    if (!visits.empty()) {
      const auto median = visits.begin() + static_cast<std::ptrdiff_t>(visits.size() / 2);
      std::nth_element(visits.begin(), median, visits.end());
      out.passes = *median;
    }
    return out;
  }

 private:
  template <Arithmetic R>
  friend class Counted;

  /// One more operation of a kind, with the elements (or -1) that it reads.
  static void count(std::int64_t Counts::*kind, std::int64_t a, std::int64_t b) {
    CountScope* scope = active();
    if (scope == nullptr) return;
    ++(scope->counts_.*kind);
    scope->read(a);
    scope->read(b);
  }
  void read(std::int64_t element) {
    if (element < 0 || element == last_) return;
    last_ = element;
    const auto i = static_cast<std::size_t>(element);
    if (i >= visits_.size()) visits_.resize(i + 1);
    ++visits_[i];
  }
  static CountScope*& active() {
    static thread_local CountScope* scope = nullptr;
    return scope;
  }

  CountScope* outer_;
  Counts counts_;
  std::vector<std::int64_t> visits_;
  std::int64_t last_ = -1;
};

}  // namespace normcheck
