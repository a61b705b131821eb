// The bound of a computed mean and variance, and the format it is for.
#pragma once

#include <cstdint>
#include <optional>

#include "corpus/dtype.h"
#include "corpus/row_facts.h"
#include "impl/algorithms/bound_term.h"
#include "impl/arithmetic/upward.h"

namespace normcheck {

/// The format that an algorithm computes in: unit roundoff, smallest subnormal, largest finite number. The
/// exponents of f80 go far beyond those of double: its eta here is too large and its omega too small, both by
/// choice of dtype.h, so that a bound stays a bound and a row that is in range of double is in range.
struct Working {
  int precision;
  double u;
  double eta;
  double omega;
  BoundTerm halved = BoundTerm::none;  ///< by a test alone, which sees that a row exceeds the bound then
  /// `value`, halved where this is the term to halve. N is Upward or double.
  template <class N>
  N term(BoundTerm id, N value) const {
    return id == halved ? N(0.5) * value : value;
  }
  /// A count is exact up to 2^precision; beyond, it is rounded once (relative u).
  bool count_exact(std::int64_t n) const { return precision >= 63 || n <= (std::int64_t{1} << precision); }
};
inline Working working(DType dtype, BoundTerm halved = BoundTerm::none) {
  return {format_of(dtype).precision, unit_roundoff(dtype), smallest_subnormal(dtype), largest_finite(dtype),
          halved};
}

/// |mean^ - mean| <= mean and |var^ - var| <= variance, in absolute terms, underflow included. Infinity:
/// no bound. Valid only where no intermediate overflows, which in_range says is certain.
struct MomentBound {
  Upward mean;
  Upward variance;
  bool in_range = false;
  bool variance_nonnegative = false;  ///< var^ >= 0 is certain (a mean of squares, a Welford sum)
  bool mean_of_squares = false;       ///< var^ is a mean of squares about the very mean that is returned
  bool mean_exact = false;            ///< the computed mean is certainly exact on this row
  /// How far the computed x - mean is off where the algorithm is compensated, all its roundings included:
  /// at most relative |x - mu| + absolute. Otherwise it is u |x - mu| + (1+u) mean.
  struct Centre {
    Upward relative;
    Upward absolute;
  };
  std::optional<Centre> centre;
};

using MomentBoundFunction = MomentBound (*)(const RowFacts& facts, const Working& format);

}  // namespace normcheck
