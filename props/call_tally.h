// Calls that a promise looked at, those that broke it, and the first case that did.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "props/promise.h"

namespace normcheck {

struct CallTally {
  int calls = 0;
  int wrong = 0;
  std::optional<Case> first;  ///< the first case that broke the promise

  void add(bool right, const Case& c) {
    ++calls;
    if (right) return;
    if (wrong++ == 0) first = c;
  }
};

/// Writes the first case that broke the promise, for the message of a failed test. Empty if none did.
inline std::string evidence(const CallTally& t, std::string_view impl) {
  return t.first ? "\n" + record_failure(*t.first, impl) : "";
}

}  // namespace normcheck
