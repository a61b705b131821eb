// How long a plug-in is waited for, and when it is called no more.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "corpus/dtype.h"
#include "impl/observation.h"

namespace normcheck {

/// Counts crashes and timeouts of one plug-in. After three crashes in a row, or three timeouts in all, of a
/// dtype (there is one op) the rest of it is not run; after the second timeout in all the deadline falls to
/// 2 s, after the fifth nothing more is run. Nor is it once 48 s were lost by waiting in vain or by answers
/// that took more than a second each, unless a deadline was given: what always hangs is done with in under a
/// minute, a shared object in 26 s, and so is what is slow.
class Patience {
 public:
  explicit Patience(std::optional<double> deadline) : deadline_(deadline) {}

  /// Seconds for an answer; longer where a program may have to compile first, as long as it never hung.
  double seconds(bool may_compile) const;
  /// Seconds for a first hello.
  double start_seconds(bool is_program) const;
  /// Why nothing more of this dtype is run; nothing where it is.
  std::optional<std::string> given_up(DType dtype) const;
  /// `took`: seconds. A program may have compiled meanwhile: an answer is not slow for that.
  void count(DType dtype, Status status, double took, bool may_have_compiled = false);

 private:
  struct Strikes {
    int crashes_in_a_row = 0;
    int timeouts = 0;
  };
  std::optional<double> deadline_;
  int timeouts_ = 0;
  double lost_ = 0, slow_ = 0;
  std::array<Strikes, 8> strikes_{};
};

}  // namespace normcheck
