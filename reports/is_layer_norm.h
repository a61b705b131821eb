// Judges arrays inside a program of yours: are they the layer norm of these inputs, and if not, where?
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck {

/// What went into a layer norm, and what it is held to. T is the element of x and y: float, double, or
/// std::uint16_t for the bits of a half, whose dtype is then said. Spans are row-major and without gaps.
template <class T>
struct LayerNormOf {
  /// mean and rstd come in x's dtype; of halves, in f32.
  using Statistic = std::conditional_t<std::same_as<T, std::uint16_t>, float, T>;
  std::span<const T> x;
  std::vector<std::int64_t> shape;       ///< of x and y
  std::span<const T> gamma = {};         ///< as long as the normalized dims; empty: none
  std::span<const T> beta = {};          ///< likewise
  double eps = 1e-5;                     ///< added inside the root
  std::int64_t norm_ndim = 1;            ///< the last so many dims are normalized together
  std::span<const Statistic> mean = {};  ///< outputs, a number a row; empty: not judged
  std::span<const Statistic> rstd = {};
  std::string contract = "stable";  ///< or claims of the kernel (normcheck list --contracts)
  DType dtype = DType::f16;         ///< of std::uint16_t alone: f16 or bf16
};

/// Whether it is within the contract, and in words what was found: a line, or the block of the finding.
struct LayerNormVerdict {
  bool ok = false;
  std::string text;
};

/// Not ok: an element out of the contract, arrays that do not fit the shape, a contract that cannot be read,
/// and where nothing could be proved at all (every element void or vacuous): a test that proves nothing is
/// none.
LayerNormVerdict judge_layer_norm(std::span<const float> y, const LayerNormOf<float>& of);
LayerNormVerdict judge_layer_norm(std::span<const double> y, const LayerNormOf<double>& of);
LayerNormVerdict judge_layer_norm(std::span<const std::uint16_t> y, const LayerNormOf<std::uint16_t>& of);

}  // namespace normcheck
