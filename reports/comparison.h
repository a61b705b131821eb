// Two outputs of one problem, element by element: which is closer to the exact value, and where they part.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "oracles/judge.h"

namespace normcheck {

/// Counts of elements.
struct Comparison {
  std::int64_t equal = 0;              ///< the same bits
  std::int64_t first = 0, second = 0;  ///< closer to the exact value
  std::int64_t as_far = 0;
  std::int64_t not_comparable = 0;  ///< they differ, and there is no exact number
  double gap_ulp = -1;              ///< the widest, in ulp of the exact value; below 0: they differ nowhere
  std::int64_t widest = 0;          ///< the element of x where they part by that
  std::int64_t elements() const { return equal + first + second + as_far + not_comparable; }
  /// Adds the counts of another; the widest gap stays.
  void add(const Comparison& other);
};

/// y and y2 have the shape and dtype of c's x, and c is a valid call.
Comparison compare_outputs(const Case& c, const Tensor& y, const Tensor& y2, OracleChoice oracle);

/// A line each of the counts that say something, as shares of all elements; the two are called by these
/// names.
std::string comparison_text(const Comparison& comparison, std::string_view first, std::string_view second);

}  // namespace normcheck
