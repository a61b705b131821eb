// What one more rounding adds to an error, where an output is narrower than the type it was computed in.
#pragma once

#include "corpus/dtype.h"
#include "impl/algorithms/moment_bound.h"

namespace normcheck {

/// v^ with |v^ - v| <= error, rounded once more: |fl(v^) - v| <= error + u|v^| + eta/2, of the output's u and
/// eta. A double rounding is off by both.
struct Narrowing {
  double u = 0;  ///< 0: nothing is rounded
  double half_eta = 0;
  /// `magnitude` >= |v|.
  template <class N>
  N operator()(N error, N magnitude) const {
    return u == 0 ? error : error + N(u) * (magnitude + error) + N(half_eta);
  }
};

inline Narrowing narrowing(const Working& from, DType to) {
  if (from.precision <= format_of(to).precision) return {};
  const double eta = smallest_subnormal(to);
  // Of double, eta/2 is no double.
  return {from.term(BoundTerm::narrowing_rounding, unit_roundoff(to)),
          from.term(BoundTerm::narrowing_underflow, eta / 2 > 0 ? eta / 2 : eta)};
}

}  // namespace normcheck
