// What comes back from one call of a kernel from outside, before its memory is looked at.
#pragma once

#include <string>
#include <vector>

#include "impl/observation.h"

namespace normcheck {

struct Answer {
  Status status = Status::ok;
  std::string message;  ///< why, where status is not ok: one line
  std::vector<std::string> faults;
  bool is_last = false;  ///< the worker cannot go on and is to be started again
};

}  // namespace normcheck
