// The commands: each prints to stdout and returns the exit code.
#pragma once

#include "reports/options.h"

namespace normcheck {

/// What a command ends with. Where several hold, usage comes before load, load before finding, finding
/// before nothing_proved; the first two arrive as InputError and LoadError.
enum class Exit : int { well = 0, finding = 1, usage = 2, cannot_load = 3, nothing_proved = 5 };

Exit run_list(const Options& options);
Exit run_check(const Options& options);
Exit run_compare(const Options& options);
Exit run_replay(const Options& options);
Exit run_minimise(const Options& options);
Exit run_attack(const Options& options);
Exit run_judge(const Options& options);
Exit run_new_plugin(const Options& options);
Exit run_import(const Options& options);
Exit run_report(const Options& options);
Exit run_render(const Options& options);
Exit run_explain(const Options& options);
Exit run_diff(const Options& options);
Exit run_peers(const Options& options);
Exit run_detection(const Options& options);
Exit run_advise(const Options& options);
Exit run_tolerance(const Options& options);

}  // namespace normcheck
