// Two passes by running sums from the last element to the first.
#pragma once

#include <string_view>

#include "impl/algorithms/summation.h"
#include "impl/algorithms/two_pass.h"

namespace normcheck {

/// The bound of two_pass: it holds for any order.
struct Reversed : TwoPassOver<FromTheEnd> {
  static constexpr std::string_view name = "reversed";
  static constexpr std::string_view formula =
      "mean = sum(x)/n, var = sum((x-mean)^2)/n; sums from the last element to the first";
  static constexpr std::string_view first_order_mean = "(n-1) u mean|x| + u|mu|";
  static constexpr std::string_view first_order_variance = "(n+3) u V + E^2";
  static constexpr std::string_view derivation = "impl/algorithms/two_pass.h, impl/algorithms/sum_bound.h";
};

}  // namespace normcheck
