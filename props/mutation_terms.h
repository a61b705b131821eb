// The terms of the bounds by name, those that no row shows, and the algorithms that have bounds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "impl/algorithms/moment_bound.h"

namespace normcheck {

std::string_view term_name(BoundTerm term);

/// A term that no known row shows, in any bound that has it or in this one, and why.
struct Unshown {
  BoundTerm term;
  std::string_view bound;  ///< empty: in any
  std::string_view why;
};
std::span<const Unshown> unshown_terms();

/// What an algorithm came up with on a row; `centre` only of a compensated one.
struct ComputedMoments {
  double mean = 0;
  double variance = 0;
  std::vector<double> centre;
};
/// An algorithm in one format.
struct MomentSubject {
  std::string_view name;
  DType dtype;
  ComputedMoments (*run)(const std::vector<double>& row);
  MomentBoundFunction bound;
};
/// All algorithms in f32, f16 and bf16.
std::vector<MomentSubject> moment_subjects();

}  // namespace normcheck
