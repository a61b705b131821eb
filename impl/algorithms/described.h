// What an algorithm says of itself in words, for `normcheck list --algorithms`.
#pragma once

#include <concepts>
#include <string_view>

namespace normcheck {

/// formula: mean and variance as they are computed. first_order_mean, first_order_variance: its proven bound
/// of |mean^ - mu| and |var^ - V| without the terms of second order in u and without underflow, to be read,
/// not evaluated. derivation: the headers in which the proof stands, from the root, separated by ", ".
///
/// In them u is the unit roundoff, mean(..) an average over the row, D = mean|x-mu|, E the bound of the mean.
template <class Algorithm>
concept Described = requires {
  { Algorithm::formula } -> std::convertible_to<std::string_view>;
  { Algorithm::first_order_mean } -> std::convertible_to<std::string_view>;
  { Algorithm::first_order_variance } -> std::convertible_to<std::string_view>;
  { Algorithm::derivation } -> std::convertible_to<std::string_view>;
};

}  // namespace normcheck
