// All that a report measures, in its order, within its budget.
#pragma once

#include <filesystem>
#include <memory>

#include "reports/options.h"
#include "reports/report_data.h"

namespace normcheck {

/// Judges the jobs that the options name, sweeps the curves, and takes in what is known and published. A
/// budget in seconds bounds all of it, roughly; where it is short less of the corpus and coarser grids are
/// run, which `not_run` says. Shows its progress. The inputs of findings are kept below `out`. InputError,
/// LoadError.
std::unique_ptr<ReportData> measure_report(const Options& options, const std::filesystem::path& out);

}  // namespace normcheck
