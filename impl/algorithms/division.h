// How a sum becomes a mean, and what that rounds.
#pragma once

#include <cstdint>

#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// How the sum becomes a mean: divided by n, or multiplied by a rounded 1/n (one more rounding).
enum class Division : std::uint8_t { by_count, by_reciprocal };

/// sum/n as the division says.
template <Division division, class R>
R mean_of(const R& sum, const R& n, const R& one) {
  if constexpr (division == Division::by_count) {
    return sum / n;
  } else {
    return sum * (one / n);
  }
}

/// The number of roundings, past the sum's own, in forming sum/n.
inline double division_roundings(const Working& f, std::int64_t n, Division division) {
  return (f.count_exact(n) ? 1.0 : 2.0) + (division == Division::by_reciprocal ? 1.0 : 0.0);
}

/// Whether 1/n keeps its relative error where it is multiplied by: it is no subnormal number. (In f16, n <=
/// 2^14.)
inline bool reciprocal_in_range(const Working& f, std::int64_t n, Division division) {
  return division == Division::by_count || static_cast<double>(n) * f.eta <= 2 * f.u;
}

}  // namespace normcheck
