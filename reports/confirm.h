// Whether a finding of a kernel from outside comes again when it is run alone.
#pragma once

#include "reports/finding.h"
#include "reports/options.h"

namespace normcheck {

/// Runs what the finding's replay line runs, in a process that has made no other call. Where nothing is found
/// the probe `state`, which makes many calls of the case, is tried in its place; where that finds nothing
/// either, there is no replay line, and `not_repeated` says so. For a finding that was kept, of a plug-in;
/// one that hung is left as it is, and so are those of --in-process, where there is no fresh process.
void confirm(Finding& finding, const Options& options);

}  // namespace normcheck
