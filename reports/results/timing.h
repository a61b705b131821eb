// What an implementation costs, as a ratio: times alone say more of the machine.
#pragma once

#include <span>

#include "reports/results/implementations.h"
#include "reports/sweep.h"

namespace normcheck {

/// For each row of the table among the jobs: the median over some rounds of its time over that of two_pass in
/// the same round, on the same 32 rows of 1024 numbers; of its own accumulate type, and on f32 data of f32.
/// One thread. Takes about a second.
TimeRatios time_ratios(std::span<const SweepJob> jobs);

}  // namespace normcheck
