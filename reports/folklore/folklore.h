// What is said of layer norms, each claim tried on an input that decides it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "oracles/judge.h"
#include "reports/results/cases.h"

namespace normcheck {

/// `folklore` of results.json (reports/SCHEMA.md): every claim is run and judged under `stable` now; its
/// input is put on the shelf. The same seed gives the same.
nlohmann::ordered_json folklore_json(std::uint64_t seed, OracleChoice oracle, CaseShelf& shelf);

}  // namespace normcheck
