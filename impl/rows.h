// The parts of the table, one a source, so that none takes long to compile; a row is a line in one of them.
#pragma once

#include <span>
#include <string_view>

#include "impl/table.h"

namespace normcheck {

std::span<const Row> one_pass_rows();   // rows_one_pass.cpp: naive and its kin
std::span<const Row> two_pass_rows();   // rows_two_pass.cpp: two_pass in every variant
std::span<const Row> summation_rows();  // rows_summation.cpp: two passes by other sums
std::span<const Row> welford_rows();    // rows_welford.cpp: one running mean
std::span<const Row> merge_rows();      // rows_merge.cpp: lanes, blocks and trees
std::span<const Row> extended_rows();   // rows_extended.cpp: f64 in long double
std::span<const Row> build_rows();      // rows_builds.cpp: with fma, and with -ffast-math

namespace expect {
inline constexpr std::string_view pass = "pass";
inline constexpr std::string_view cancels =
    "cancellation: E[x^2]-E[x]^2 loses the variance where the mean is large";
inline constexpr std::string_view halves = "half accumulation stalls and overflows";
inline constexpr std::string_view coarse_root = "the reciprocal root is an estimate of 14 bits";
inline constexpr std::string_view rounds_x_hat =
    "a convention: x_hat is rounded to the storage type before gamma, one rounding more than `stable` has";
}  // namespace expect

}  // namespace normcheck
