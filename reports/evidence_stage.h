// The stage of a check that looks for mistakes that every bound hides: long rows, and what explains them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/table.h"
#include "oracles/evidence.h"
#include "props/evidence_rows.h"
#include "reports/finding.h"
#include "reports/options.h"

namespace normcheck {

/// What to look at.
struct EvidencePlan {
  std::vector<std::int64_t> lengths;  ///< empty: nothing is looked at
  /// Evidence needs two lengths: where one alone was asked for, this is the other, which is not judged.
  std::optional<std::int64_t> unjudged{};
  std::optional<double> eps{};
  std::uint64_t seed = 1;
  OracleChoice oracle = OracleChoice::automatic;
};

/// Of the lengths asked for those that are long; of a range the default ones within it, or its end.
EvidencePlan plan_evidence(const Lengths& lengths, const std::vector<std::int64_t>& of_shapes);

/// One row of them.
struct EvidenceCase {
  Case problem;
  Observation seen{};
  Judgement judgement{};  ///< SUSPECT where the row is part of the evidence
  bool judged = true;
};

struct EvidenceResult {
  std::vector<EvidenceCase> cases;
  std::optional<Evidence> evidence;
};

/// Runs a row of the table, or a kernel from outside, on the rows, judges each, and weighs those that keep
/// the contract. A length that it does not take is left after one call.
EvidenceResult run_evidence(const Row& row, DType dtype, const Contract& contract, const EvidencePlan& plan);

/// The finding of one of its cases: SUSPECT, with its evidence, where it is part of it.
Finding evidence_finding(const Row& row, const EvidenceResult& result, const EvidenceCase& of,
                         const Contract& contract, const EvidencePlan& plan);

}  // namespace normcheck
