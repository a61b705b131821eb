// Turns what a target left behind when it failed into kept findings: run again, made small, told apart.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/night/findings.h"
#include "fuzz/night/process.h"
#include "fuzz/night/target_log.h"
#include "fuzz/night/target_night.h"

namespace normcheck {

/// Where a target's night takes place: STATE/<name>/...
struct TargetPlace {
  explicit TargetPlace(const TargetPlan& plan);
  std::filesystem::path home;
  std::filesystem::path corpus;     ///< kept from night to night
  std::filesystem::path seeds;      ///< a copy, from which what ends the target can be taken out
  std::filesystem::path artifacts;  ///< inputs that libFuzzer wrote as it ended
  std::filesystem::path found;      ///< cases that the target wrote as it ended
  std::filesystem::path again;      ///< the same of a run on one input
};

/// The target with its flags; cases that it finds go to `cases`, its words to PLACE/<log>.
Command target_command(const TargetPlan& plan, const TargetPlace& place,
                       const std::vector<std::string>& arguments, const std::filesystem::path& cases,
                       const char* log);

/// What running the target on one input showed.
struct Shown {
  bool ran = false;
  bool failed = false;
  FindingWords words;
  std::filesystem::path file;  ///< the `.case` that it wrote, else the input
  std::string shown_as;        ///< the path that its words use
};

class Harvest {
 public:
  /// All three outlive it.
  Harvest(const TargetPlan& plan, const TargetPlace& place, TargetResult& result);

  Shown show(const std::filesystem::path& input) const;

  /// Takes everything in PLACE/artifacts and PLACE/found; `log` is what was said when it was written. New
  /// findings are announced. Slow units are told of and dropped.
  void take(const std::string& log);
  /// The same for what a run that was stopped has left.
  void take_leftovers();

  Findings& kept() { return kept_; }
  bool seen(const std::string& name) const;
  void see(const std::string& name);

 private:
  Shown minimised(const Shown& shown) const;
  bool known(const std::string& name);
  bool take_input(const std::filesystem::path& input, const std::string& log, bool only_if_repeats);

  const TargetPlan& plan_;
  const TargetPlace& place_;
  TargetResult& result_;
  Findings kept_;
  std::vector<std::string> raw_names_;  ///< as they were found, before they were minimised
};

}  // namespace normcheck
