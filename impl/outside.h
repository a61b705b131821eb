// An implementation that is no row of the table: a kernel from outside, behind one call.
#pragma once

#include <string_view>

#include "corpus/case.h"
#include "impl/observation.h"

namespace normcheck {

class Outside {
 public:
  virtual ~Outside() = default;
  /// What run_case is for a row (impl/table.h).
  virtual Observation run(const Case& c, Wanted wanted) = 0;
  /// What it claims of itself, as a contract says it; may be empty.
  virtual std::string_view claims_text() const = 0;
};

}  // namespace normcheck
