// A deterministic search for the input on which an implementation is worst.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/attack/moves.h"
#include "fuzz/attack/scorer.h"
#include "oracles/judge.h"

namespace normcheck {

/// A row is a new record where it is worse by this share: felt, so that a file does not change for nothing.
constexpr double worth = 1e-3;

struct AttackPlan {
  DType dtype = DType::f32;
  std::int64_t n = 32;  ///< elements of the row; 2 to 65,536
  Objective objective = Objective::share;
  const Row* against = nullptr;     ///< for the distance
  std::int64_t budget = 1'000'000;  ///< evaluations: rows that are run and scored
  std::uint64_t seed = 1;
  double eps = 1e-5;  ///< of all rows where `freedom` has it fixed; else to begin with
  Freedom freedom;
  ScoreLimits limits;
  std::vector<Case> seeds;       ///< rows to begin with, beside those of the regimes; any length
  std::int64_t rows_a_call = 1;  ///< of a kernel for which a call costs more than a row
};

/// The worst so far, as the judge has it by exact arithmetic.
struct AttackRecord {
  std::int64_t evaluations = 0;  ///< when it was found
  std::string method;            ///< "regimes", "construct", "corpus", "sweep", "anneal" or "climb"
  double value = 0;              ///< the objective
  double share = 0, ulp = 0, normwise_u = 0, kappa = 0;
  double error_abs = 0, allowed_abs = 0;  ///< of the element whose |error| is largest
  Verdict verdict = Verdict::pass;
  Case problem;  ///< one row
};

struct AttackResult {
  std::vector<AttackRecord> records;  ///< each worse than the one before
  std::int64_t evaluations = 0;
  std::optional<Case> broken;      ///< a kernel from outside crashed, or the like, on this: there it ended
  std::optional<Observation> how;  ///< likewise
  std::int64_t unscored = 0;       ///< of these: void, out of range, or of a wrong class
  std::int64_t nonfinite = 0;      ///< of these: NaN or infinite somewhere where a number is due
  std::optional<Case> first_nonfinite;
  std::int64_t sampled = 0;    ///< of these: rows of the regimes as they are drawn, the first
  double largest_sampled = 0;  ///< the objective's largest value among those
};

/// The figures of one row by exact arithmetic; `evaluations` and `method` are left open.
AttackRecord measured(const Row& row, const Contract& contract, const AttackPlan& plan, const Case& c);

/// The same plan and seed give the same records on every machine of an instruction set. `said`, where it is
/// not empty, hears of each record as it is found. InputError where no row can be scored at all.
AttackResult attack(const Row& row, const Contract& contract, const AttackPlan& plan,
                    const std::function<void(const AttackRecord&)>& said = {});

}  // namespace normcheck
