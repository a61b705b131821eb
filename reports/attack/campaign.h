// Attacks on many implementations, a line each, and what they add to the largest errors that are known.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/attack/attack.h"
#include "fuzz/attack/champions.h"
#include "oracles/contract.h"
#include "reports/commands.h"
#include "reports/options.h"

namespace normcheck {

/// One attack of a campaign.
struct AttackJob {
  const Row* row = nullptr;
  DType dtype = DType::f32;
  std::int64_t n = 32;
  Objective objective = Objective::share;
  double kappa_most = 0;  ///< 0: any
};

/// What came of it.
struct Attacked {
  AttackJob job;
  AttackPlan plan;
  AttackResult result;
  double seconds = 0;
  bool before = false;  ///< the table tells of this attack already: its record was measured again, no more
  bool fresh = false;   ///< it is worse than what was known, and was kept
  /// The table's line, where one was kept; and of its input what the implementation makes of it here.
  std::optional<Champion> known;
  std::string attack_line;  ///< arguments of normcheck that attack so again
};

/// The lengths, 2 to 65,536, of --n; 32 where none is given. InputError for others.
std::vector<std::int64_t> attack_lengths(const Options& options);
std::int64_t attack_budget(const Options& options, std::int64_t otherwise);
/// The corpus, read once, to begin with: nothing where options.fresh.
class AttackSeeds {
 public:
  explicit AttackSeeds(const Options& options);
  /// Those of the dtype, and all of corpus/worst and corpus/found.
  std::vector<Case> of(DType dtype) const;

 private:
  std::vector<std::pair<Case, bool>> known_;  ///< and whether it is for all dtypes
};
/// corpus/found, for --record; InputError where there is no corpus.
std::filesystem::path found_folder(const Options& options);
/// The plan of one attack as the options have it; the objective and what limits it are given.
AttackPlan attack_plan(const Options& options, DType dtype, std::int64_t n, Objective objective,
                       double kappa_most, std::int64_t budget);
/// The key of the table, for a plan on a row under a contract as it was asked for.
ChampionKey champion_key(const Row& row, const AttackPlan& plan, const std::string& contract);

/// --rows, --peers, or several names.
Exit run_campaign(const Options& options);

}  // namespace normcheck
