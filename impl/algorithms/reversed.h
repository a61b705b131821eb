// Two passes by running sums from the last element to the first.
#pragma once

#include <string_view>

#include "impl/algorithms/summation.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

/// The bound of two_pass: it holds for any order.
struct Reversed : TwoPassOver<FromTheEnd> {
  static constexpr std::string_view name = "reversed";
};

}  // namespace normcheck
