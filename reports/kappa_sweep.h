// Error and bound against the condition number: how cancellation grows as the mean leaves the spread behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "impl/table.h"
#include "oracles/judge.h"

namespace normcheck {

/// At one kappa: the largest error of y over the rows tried, and the row's own bound at that element. In ulp
/// of y, whose size is near 1 on these inputs.
struct KappaPoint {
  double kappa = 0;      ///< as the judge found it
  double error_ulp = 0;  ///< infinite for NaN
  double bound_ulp = 0;  ///< infinite where there is none
  std::string input;     ///< the name of its rows: what replay takes (reports/named_case.h)
};

struct KappaCurve {
  const Row* row;
  DType dtype;
  std::int64_t n;
  std::vector<KappaPoint> points;
  std::string contract = "own";  ///< whose bound it is
};

/// x of `rows` x n with mean about kappa and standard deviation about 1, so that every |y| is about 1 as long
/// as the format can hold that; where it cannot, a few elements one ulp above the rest, as few as kappa asks.
/// Its id, "kappa-100-f32-8x1024-1", makes it again.
Case kappa_case(DType dtype, std::int64_t n, std::int64_t rows, double kappa, std::uint64_t seed);

/// The largest kappa that a row of n numbers of the format can have is about 2^precision * sqrt(n).
bool kappa_reachable(DType dtype, std::int64_t n, double kappa);

/// Runs `row` on the case: the largest error of y, and the bound of `contract` there. Where the contract has
/// no bound the error is measured from the exact values alone. `verdict`, where given, is that of the
/// contract.
KappaPoint measure_point(const Row& row, const Case& c, const Contract& contract, OracleChoice oracle,
                         Verdict* verdict = nullptr);

/// The same of what it gave, which is not run again.
KappaPoint measure_observed(const Case& c, const Observation& observed, const Contract& contract,
                            OracleChoice oracle, Verdict* verdict = nullptr);

/// Kappa from 1 to 1e8 by half-decades as far as the format reaches, rows of n; held to its own bound, a
/// kernel from outside to `contract`.
KappaCurve kappa_curve(const Row& row, DType dtype, std::int64_t n, const Contract& contract,
                       std::uint64_t seed, OracleChoice oracle);

}  // namespace normcheck
