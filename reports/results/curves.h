// Error and bound as one thing grows: against the length of a row, and on a grid of lengths and condition
// numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "reports/kappa_sweep.h"
#include "reports/sweep.h"

namespace normcheck {

struct LengthPoint {
  std::int64_t n = 0;
  double error_ulp = 0;  ///< the largest of y over the rows tried; infinite for NaN
  double bound_ulp = 0;  ///< of the curve's contract at that element; infinite where there is none
  std::string input;     ///< the name of its rows
};

struct LengthCurve {
  const Row* row;
  DType dtype;
  double kappa;          ///< as asked for
  std::string contract;  ///< whose bound it is
  std::vector<LengthPoint> points;
};

struct HeatCell {
  std::int64_t n = 0;
  double kappa = 1;
  double error_ulp = 0;  ///< infinite for NaN
  double bound_ulp = 0;  ///< of `stable`, infinite where there is none
  /// Under the row's own bound: the error at the element that takes most of it, and that bound.
  double own_error_ulp = std::numeric_limits<double>::quiet_NaN();
  double own_bound_ulp = std::numeric_limits<double>::quiet_NaN();  ///< NaN of a kernel from outside
  bool blind = false;                  ///< `stable` would let naive through there, or has no bound
  Verdict verdict = Verdict::not_run;  ///< under `stable`
  std::string input;                   ///< the name of its rows
};

struct HeatMap {
  const Row* row;
  DType dtype;
  std::vector<HeatCell> cells;  ///< by n, then by kappa; none that the format cannot reach
};

/// How fine the grids are: rough ones take a few seconds, full ones about half a minute of one core.
enum class Grid : std::uint8_t { rough, full };

/// Everything that is swept beside the regimes.
struct Curves {
  std::vector<KappaCurve> kappa;
  std::vector<LengthCurve> lengths;
  std::vector<HeatMap> heat;
  std::int64_t left_out = 0;  ///< subjects for which there was no time
};

/// Sweeps the named jobs, or, where none is named, ten algorithms at all four dtypes with the accumulate type
/// that is usual there, and three in the halves themselves; by kappa also the four layer norms that everyone
/// asks about. Rows of kappa_case; held to the row's own bound, a kernel from outside to what the plan holds
/// it to; the heat maps to `stable`. Several at once where there are cores; the same whatever their number.
/// A rough grid has n to 4096 by powers of two and three lengths in the maps; a full one n to 65,536 with one
/// less, one more and half-way between, and the maps by powers of four from 16. Kappa is 1 and 100 along n.
/// Where `seconds` is above 0 no subject but the four is begun after that. `step` hears of each subject in
/// turn, in the calling thread, and of the share that is done.
Curves sweep_curves(const std::vector<SweepJob>& named, const SweepPlan& plan, Grid grid, double seconds,
                    const std::function<void(const SweepJob&, double share)>& step);

}  // namespace normcheck
