// Rows of one, two and three 8-bit numbers by an algorithm, against the bound of its moments and the exact
// ones.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "impl/algorithms/all.h"
#include "impl/arithmetic/tiny8.h"
#include "oracles/condition.h"

namespace normcheck {

inline constexpr Working tiny8_format{Tiny8::precision, Tiny8::u, Tiny8::eta, Tiny8::omega};

struct Tiny8Subject {
  std::string_view name;
  Moments<Tiny8> (*moments)(std::span<const Tiny8> x);
  MomentBoundFunction bound;
  Working format = tiny8_format;
};
/// Every algorithm; of a compensated mean the sum of its parts.
std::vector<Tiny8Subject> every_tiny8_algorithm();

/// The largest error as a share of its bound, and the row that shows it.
struct Tiny8Share {
  double share = 0;
  std::string row;
};

/// What one subject showed over all rows.
struct Tiny8Seen {
  std::int64_t judged = 0, out_of_range = 0, unbounded = 0, violations = 0;
  std::int64_t finite_mean = 0;  ///< of a row with NaN or inf
  std::int64_t mean_not_rounded = 0,
               var_not_rounded = 0;  ///< of those judged, not the exact one rounded once
  Tiny8Share mean, variance;
  std::string first;  ///< the first violation
};
struct Tiny8Sweep {
  std::int64_t rows = 0, not_finite = 0;
  std::vector<Tiny8Seen> seen;  ///< one a subject
};

/// All rows of one and two numbers, and of three those that the seed picks: one in `thinned` >= 1.
Tiny8Sweep sweep_tiny8(const std::vector<Tiny8Subject>& subjects, std::uint64_t thinned, std::uint64_t seed);

}  // namespace normcheck
