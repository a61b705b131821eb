// The regimes: named families of inputs over a plain counter-based generator (no test framework here).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "corpus/case.h"
#include "corpus/generate.h"

namespace normcheck {

/// What to make: shape is rows x n; the regime may choose another shape of about that size when
/// `free_shape` (broadcasting regimes do).
struct GenRequest {
  DType dtype = DType::f32;
  std::int64_t rows = 4;
  std::int64_t n = 32;
  std::int64_t norm_ndim = 1;  ///< n is factored into that many extents
  double eps = 1e-5;
  bool fixed_eps = false;  ///< else the regime may choose eps
};

/// One named family. `beyond`: most rows lie where no careful algorithm has a useful bound, by design.
struct Regime {
  std::string_view name;
  std::string_view about;  ///< one line: which mistake hides outside this family
  bool beyond;
  Case (*make)(CounterRng& rng, const GenRequest& request);
};

std::span<const Regime> regimes();
const Regime* find_regime(std::string_view name);

/// The case number `index` of a regime under a seed: the same on every machine; id is
/// "<regime>-<dtype>-<n>-<seed>-<index>". Throws InputError for an unknown regime.
Case make_case(const Regime& regime, const GenRequest& request, std::uint64_t seed, std::uint64_t index);

}  // namespace normcheck
