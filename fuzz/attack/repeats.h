// Attacks whose seeds must give the same bytes again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/attack/scorer.h"

namespace normcheck {

/// An attack whose seed gave these bytes once: on the same instruction set it must give them again. A line of
/// FOLDER/repeats.tsv. It begins with the regimes alone.
struct RepeatedAttack {
  std::string impl;
  DType dtype = DType::f32;
  std::int64_t n = 32;
  Objective objective = Objective::share;
  std::uint64_t seed = 1;
  std::int64_t evaluations = 0;
  std::string instruction_set;  ///< the filter's
  std::string digest;           ///< SHA-256 of the evaluations and cases of all records
};
/// InputError "FILE:LINE: ..."; none where there is no such file.
std::vector<RepeatedAttack> read_repeats(const std::filesystem::path& folder);
std::string repeat_line(const RepeatedAttack& repeat);  ///< as the file has it
/// Attacks again, by the row's own bound; the digest that comes of it.
std::string attack_again(const RepeatedAttack& repeat, const Row& row);

}  // namespace normcheck
