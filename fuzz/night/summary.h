// What a night says: a heartbeat line a target, and the summary for a person in the morning.
#pragma once

#include <string>

#include "fuzz/night/night.h"

namespace normcheck {

/// "fuzz_npy  120034 executions  4001/s  corpus 120 -> 98  features 431  findings 0  ok".
std::string heartbeat(const TargetResult& result);

/// Markdown. While targets are missing it says so in its first line.
std::string summary(const NightReport& report, const std::vector<BaselineEntry>& baseline);

}  // namespace normcheck
