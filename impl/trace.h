// The six steps of a layer norm with shape and values, as an implementation computed them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/table.h"

namespace normcheck {

enum class Step : std::uint8_t { mean, centre, variance, rstd, normalize, scale_shift };
constexpr std::array<std::string_view, 6> step_names = {"mean", "centre",    "variance",
                                                        "rstd", "normalize", "scale_shift"};

/// One row's steps, as doubles: f80 is rounded once, every other working type converts exactly. centre is x
/// minus the computed mean in the working type; normalize is empty where the finish never forms x_hat
/// (folded).
struct RowTrace {
  double mean = 0;
  std::vector<double> centre;
  double variance = 0;
  double rstd = 0;
  std::vector<double> normalize;
  std::vector<double> scale_shift;  ///< y before it is rounded to the storage type
};

struct StepValues {
  Step step;
  std::vector<std::int64_t> shape;
  std::vector<double> values;  ///< empty where the step is not formed
};

/// All rows of a valid case that the row supports; InputError otherwise.
std::vector<StepValues> trace_case(const Row& row, const Case& c);
/// One row of it.
RowTrace trace_row(const Row& row, const Case& c, std::int64_t index);

}  // namespace normcheck
