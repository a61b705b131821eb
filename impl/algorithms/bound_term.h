// The terms of the bounds by name, so that a test can halve one and see a row exceed what is left.
#pragma once

#include <cstdint>

namespace normcheck {

/// A constant of a bound, with what it multiplies. `none` in a bound that is in use.
enum class BoundTerm : std::uint8_t {
  none,
  // A mean by sum/n.
  mean_division,
  mean_sum,
  mean_sum_itself,  ///< relative to |sum|, of compensated sums
  mean_underflow,
  two_pass_roundings,
  two_pass_sum,
  two_pass_mean_error,
  two_pass_underflow,
  // E[x^2] - E[x]^2.
  naive_squares,
  naive_mean_error,
  naive_mean_square,
  naive_subtraction,
  naive_underflow,
  // Differences from the first element.
  shifted_division,
  shifted_differences,
  shifted_underflow,
  shifted_addition,
  shifted_squares,
  shifted_mean_error,
  shifted_mean_square,
  shifted_subtraction,
  shifted_square_underflow,
  corrected_roundings,
  corrected_sum,
  corrected_square_underflow,
  corrected_differences,
  corrected_rest_sum,
  corrected_rest_error,
  corrected_rest_square,
  corrected_rest_underflow,
  corrected_subtraction,
  corrected_division,
  corrected_underflow,
  // A mean in two parts.
  rest_division,
  rest_differences,
  rest_sum,
  rest_underflow,
  centre_roundings,
  centre_first,
  centre_rest,
  mean_of_parts,
  compensated_roundings,
  compensated_sum,
  compensated_differences,
  compensated_rest,
  compensated_underflow,
  // One running mean.
  update_inherited,
  update_step,
  update_underflow,
  update_mean,
  product_new_mean,
  product_old_mean,
  product_roundings,
  product_underflow,
  running_sum,
  partial_division,
  partial_underflow,
  // Two means into one.
  merge_inherited,
  merge_step,
  merge_step_underflow,
  merge_mean,
  merge_gap_error,
  merge_gap_roundings,
  merge_sums,
  merge_sum,
  merge_underflow,
  root_roundings,
  root_of_sum,
  root_of_variance,
  root_of_eps,
  newton_estimate,
  newton_product,
  newton_last,
  // ((x - mean) rstd) gamma + beta.
  centre_rounding,
  centre_mean_error,
  x_hat_product,
  x_hat_underflow,
  scale_product,
  scale_underflow,
  shift_addition,
  // (x rstd - mean rstd) gamma + beta, before gamma.
  half_mean_error,
  half_mean_product,
  half_product,
  half_subtraction,
  half_underflow,
  // x a + b.
  folded_scale,
  folded_scale_underflow,
  folded_mean_error,
  folded_mean_product,
  folded_product,
  folded_underflow,
  folded_shift,
  folded_addition,
  // To a narrower storage type.
  narrowing_rounding,
  narrowing_underflow,
  count
};

}  // namespace normcheck
