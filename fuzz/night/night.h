// A night of fuzzing: every target shares the time, then what was found is compared with what is accepted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/night/findings.h"
#include "fuzz/night/target_night.h"

namespace normcheck {

struct NightOptions {
  std::filesystem::path state;       ///< made if it is missing
  std::filesystem::path programs;    ///< the folder of the targets
  std::vector<std::string> targets;  ///< their names
  std::filesystem::path seeds;       ///< <seeds>/<name without fuzz_ and _planted>
  std::filesystem::path options;     ///< <options>/<name>.options, if there is one
  std::vector<BaselineEntry> baseline;
  double seconds = 3600;  ///< shared by all targets; or, with `each`, of each target
  bool each = false;
  bool everything = true;  ///< `targets` is all there are: what ran before must be among them
  int jobs = 1;            ///< targets that run at once
  std::uint32_t seed = 1;
  std::string today;
};

/// How long a target fuzzes, and may merge.
struct Shares {
  double fuzz_seconds = 0;
  double merge_seconds = 0;
};
/// Of `targets` that share what is left of the night, `jobs` at once. At least three seconds each, also where
/// that makes the night longer.
Shares share_time(double seconds, int targets, int jobs);

struct NightReport {
  std::int64_t run = 0;  ///< how many runs the state folder has seen, with this one
  std::string day;
  std::vector<TargetResult> targets;  ///< in the order of the options; those that are done
  std::vector<KeptFinding> findings;  ///< every one that was seen
  std::vector<std::string> red;       ///< why it is red, a line each
  std::vector<std::string> notes;
  std::size_t planned = 0;  ///< targets that were to run
  double minutes = 0;
  double processor_minutes = 0;
  std::int64_t peak_kib = 0;  ///< the largest process
  std::uint64_t disk_bytes = 0;
  int jobs = 1;
};

/// Runs it. Prints a heartbeat line a target, and a pulse a minute; writes STATE/summary.md after every
/// target, and STATE/state.json. The exit code is 0 if nothing is red, else 1. InputError for a state folder
/// that is in use or cannot be read.
int run_night(const NightOptions& options);

}  // namespace normcheck
