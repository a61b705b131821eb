// The largest errors that are known: a table, with a case each, from which the next attack begins.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "corpus/case.h"
#include "fuzz/attack/attack.h"

namespace normcheck {

/// What a record is of. No two lines of the table agree in all of it.
struct ChampionKey {
  std::string impl;                        ///< a row of the table, or a library's name
  DType dtype = DType::f32;                ///< of x and y
  std::int64_t length = 32;                ///< class of n: n is at most this power of two, and above its half
  Objective objective = Objective::share;  ///< by which it was sought; never the distance
  double kappa_most = 0;                   ///< the limit of its rows, as in ScoreLimits; 0: none
  std::string contract;                    ///< whose allowance `share` is a share of
  friend bool operator==(const ChampionKey&, const ChampionKey&) = default;
};

/// A line of the table.
struct Champion {
  ChampionKey key;
  std::uint64_t seed = 0;                                ///< of the attack that found it
  std::int64_t evaluations = 0;                          ///< of all attacks on this key together
  double share = 0, ulp = 0, normwise_u = 0, kappa = 0;  ///< as in AttackRecord; infinite for a NaN or inf
  std::string version;  ///< of a library, as it says it; empty of a row of the table
  std::string file;     ///< of the case, relative to the folder of the table
  /// The objective's value after so many evaluations, each larger than the one before.
  std::vector<std::pair<std::int64_t, double>> curve;
  std::string
      runs;  ///< the attacks that the rest is of, run_name each, with a blank between; none of old ones
  std::int64_t sampled = 0;    ///< rows of the regimes as they are drawn, of these attacks together
  double largest_sampled = 0;  ///< the objective's largest value among those
  std::int64_t nonfinite = 0;  ///< rows that gave NaN or an infinity where a number is due
};

/// "N:SEED:BUDGET".
std::string run_name(const AttackPlan& plan);
/// Whether the table tells of this attack already.
bool was_run(const Champion& champion, const AttackPlan& plan);

/// The smallest power of two that is n or more.
std::int64_t length_class(std::int64_t n);
/// Of the three errors the one that the key's objective names.
double value_of(const Champion& champion);
std::string champion_stem(const ChampionKey& key);  ///< of its file, and its case's id

/// FOLDER/records.tsv, ordered by key; none where there is no such file. InputError "FILE:LINE: ...".
std::vector<Champion> read_champions(const std::filesystem::path& folder);
void write_champions(const std::filesystem::path& folder, std::vector<Champion> champions);
/// Their cases, in the order of their files. InputError where one cannot be read.
std::vector<Case> champion_cases(const std::filesystem::path& folder);

/// Tells the table of an attack: its evaluations are added, and where its last record is worse than what is
/// known, the case of that is written in its place. True where it is.
bool keep_record(const std::filesystem::path& folder, const ChampionKey& key, const AttackResult& result,
                 const AttackPlan& plan, const std::string& version);

/// What is wrong of a record of a row of the table, run again on its own input, in words: a bound that is
/// exceeded by a right row, an error that is larger than it was, a case that is not what the line says.
/// Empty: nothing. `row`: as a rule that of the key.
std::string champion_complaint(const std::filesystem::path& folder, const Champion& champion, const Row& row);

}  // namespace normcheck
