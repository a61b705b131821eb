// The input on which two implementations part most: looked for over a plan's cases, then by small steps.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "impl/table.h"
#include "reports/comparison.h"
#include "reports/sweep.h"

namespace normcheck {

/// |a - b| in ulp of the larger of |gamma|+|beta| and the smaller of |a| and |b|: the size that y is made to
/// have, since in ulp of a y near 0 any two part as far as the format goes. Infinite where one is a number
/// and the other is none; 0 where both are none.
double apart_ulp(DType dtype, double a, double b, double gamma, double beta);

/// One row of data, and the element where the two y part most. The row is in the safe range of both, and at
/// least one of them has a bound there: elsewhere anything may come out of both.
struct Parting {
  Case problem;  ///< that one row
  std::int64_t column = 0;
  double apart_ulp = 0;
  std::string from;        ///< the regime or corpus group in which it was found
  double found_ulp = 0;    ///< how far they parted there
  std::int64_t steps = 0;  ///< taken from there, each of which parted them more
};

/// What a search saw.
struct PartingSearch {
  Comparison all;  ///< over every element of the plan's cases; the first is row a
  std::int64_t cases = 0;
  std::int64_t rows = 0;        ///< of data, given to both, the corpus and the steps included
  std::optional<Parting> most;  ///< none: they part nowhere, or nowhere where a bound holds
};

/// Runs both on the corpus cases and generated cases of the plan at `dtype`, three quarters of its budget of
/// evaluations, and spends the last quarter on steps from the row that parts them most: elements nudged,
/// exchanged, copied, the row shifted or drawn together, kept where they part more. The same bytes for the
/// same plan; `seen` is told the share that is done.
PartingSearch search_parting(const Row& a, const Row& b, DType dtype, const SweepPlan& plan,
                             const std::function<void(double)>& seen);

}  // namespace normcheck
