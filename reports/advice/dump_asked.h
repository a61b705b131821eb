// What advise and tolerance are told by a dump: its layers, measured, and which rows they ask about.
#pragma once

#include <vector>

#include "reports/advice/measure_dump.h"
#include "reports/advice/rows.h"
#include "reports/options.h"

namespace normcheck {

struct MeasuredDump {
  std::vector<LayerMeasure> layers;
  Setting setting;  ///< of the row with the largest kappa, where the options do not say otherwise
};
/// Reads and measures options.names, with --map. InputError where no row of two or more finite numbers that
/// are not all equal is there, and for what the options say wrongly.
MeasuredDump measured_dump(Options options);

}  // namespace normcheck
