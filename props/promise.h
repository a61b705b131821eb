// What every promise needs: the seed, judging a row on a case, and a `.case` file for what failed.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "impl/table.h"
#include "oracles/contract.h"
#include "oracles/judge.h"

namespace normcheck {

inline constexpr std::array float_dtypes = {DType::f64, DType::f32, DType::f16, DType::bf16};

/// NORMCHECK_SEED, or 1. A number that cannot be read is InputError.
std::uint64_t promise_seed();

/// Whether a promise that looks at a share of what it could looks at all of it: NORMCHECK_EXHAUSTIVE=1.
bool exhaustive();

/// NORMCHECK_OUT (or the current folder) / found.
std::filesystem::path found_folder();

Contract stable_contract();
Contract own_contract(const Row& row);

/// Whether the row is judged on the k-th of many inputs: on all of them, or, where it is one of the many
/// forms of an algorithm that has a row of its own, on one in four (on all where exhaustive).
bool takes_turn(const Row& row, std::size_t k);

/// Runs the row and judges what came back, as far as the verdict needs it. mean and rstd are asked for where
/// `statistics`.
Judgement run_and_judge(const Row& row, const Case& c, const Contract& contract, bool statistics = false);

/// Why the row does not keep the contract on the case; empty if it does, or was not judged.
std::string complaint(const Row& row, const Case& c, const Contract& contract, bool statistics = false);

/// Simplifies the case while `fails` (if given) says that it still does, writes it under found_folder() and
/// says in two lines with which seed it came and how to repeat it. `impl` names the row, or is empty.
std::string record_failure(const Case& c, std::string_view impl,
                           const std::function<bool(const Case&)>& fails = {});

}  // namespace normcheck
