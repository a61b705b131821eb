// The case that is running, so that a crash is a finding of that case and not only of some bytes.
#pragma once

#include <string_view>

#include "corpus/case.h"

namespace normcheck {

/// While it lives, an error that AddressSanitizer or UndefinedBehaviorSanitizer reports, an abort, or a
/// signal for a fault (SIGSEGV, SIGBUS, SIGFPE, SIGILL) first keeps the case (fuzz/finding.h), under the
/// promise "crash" or the sanitizer's name of the error, and then goes where it would have gone. The case is
/// minimised in processes of its own, since each try may crash. One lives at a time, and inside another it
/// takes its place. Costs a few stores.
class InFlight {
 public:
  /// `again` runs the case again; `context` is what it needs beside the case, and outlives this.
  InFlight(const Case& c, std::string_view who, void (*again)(const Case&, const void*), const void* context);
  /// Nothing runs that a crash would be a finding of.
  InFlight();
  ~InFlight();
  InFlight(const InFlight&) = delete;
  InFlight& operator=(const InFlight&) = delete;

  const Case* problem() const { return problem_; }
  std::string_view who() const { return who_; }
  void rerun(const Case& c) const { rerun_(c, context_); }

 private:
  const Case* problem_ = nullptr;
  std::string_view who_;
  void (*rerun_)(const Case&, const void*) = nullptr;
  const void* context_ = nullptr;
  const InFlight* outer_;
};

}  // namespace normcheck
