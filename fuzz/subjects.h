// Who is run on an input: pairs of a table row and the contract it is held to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "corpus/case.h"
#include "impl/table.h"
#include "oracles/contract.h"

namespace normcheck {

struct Subject {
  const Row* row = nullptr;
  Contract contract;
  std::size_t set = 0;  ///< of the engine's counters (fuzz/feedback.h): one for each row and dtype
};

/// The rows that this program fuzzes: the table (subjects_table.cpp), two_pass alone (subjects_control.cpp),
/// a planted defect (subjects_planted.cpp), or a plug-in (subjects_plugin.cpp).
std::span<const Row> fuzzed_rows();

/// What a person types to see a finding of one of these again.
std::string replay_command(const Subject& subject, const std::string& file);

/// Those of the rows that offer the dtype: each under `own`, and a right one under `stable` too. A row
/// that is expected to fail is not held to `stable`; a plug-in to `stable` and its claims. For an integer
/// dtype, which no row offers, all rows: they must refuse it. Made once; order and number depend on the rows
/// alone.
std::span<const Subject> subjects(DType dtype);

}  // namespace normcheck
