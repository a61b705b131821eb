// One line of GoogleTest: EXPECT_TRUE(normcheck::is_layer_norm(y, {.x = x, .shape = {rows, n}, .eps =
// 1e-5}));
#pragma once

#include <gtest/gtest.h>

#include "reports/is_layer_norm.h"

namespace normcheck {

inline testing::AssertionResult as_assertion(const LayerNormVerdict& verdict) {
  return (verdict.ok ? testing::AssertionSuccess() : testing::AssertionFailure() << "\n") << verdict.text;
}

/// judge_layer_norm as an assertion: what it says is shown where the test fails.
inline testing::AssertionResult is_layer_norm(std::span<const float> y, const LayerNormOf<float>& of) {
  return as_assertion(judge_layer_norm(y, of));
}
inline testing::AssertionResult is_layer_norm(std::span<const double> y, const LayerNormOf<double>& of) {
  return as_assertion(judge_layer_norm(y, of));
}
inline testing::AssertionResult is_layer_norm(std::span<const std::uint16_t> y,
                                              const LayerNormOf<std::uint16_t>& of) {
  return as_assertion(judge_layer_norm(y, of));
}

}  // namespace normcheck
