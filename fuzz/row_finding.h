// The finding of a row that breaks its contract.
#pragma once

#include "fuzz/finding.h"
#include "fuzz/subjects.h"

namespace normcheck {

/// Of a subject that failed on the case: under `own`, where the row breaks that too, and with all outputs
/// asked for, where it fails then. One that passes when it is asked again is a finding as well ("no-repeat").
Finding finding_of(const Case& c, const Subject& subject, Wanted wanted);

}  // namespace normcheck
