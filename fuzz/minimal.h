// What a finding is: the promise that is broken, on the smallest case that breaks it, under a name of its
// own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/case.h"
#include "impl/observation.h"
#include "oracles/contract.h"
#include "oracles/judge.h"

namespace normcheck {

/// A promise that a row breaks on a case: "own" or "stable" (its contract, where a number or its class is
/// wrong), "refusal" (a call was accepted that must be refused, or the other way round), or "form" (an output
/// of another shape or dtype, or an error that the row reports).
struct Breach {
  std::string promise;
  Judgement judgement;
};

/// Runs the row and judges it; nothing if it keeps its contract.
std::optional<Breach> breach(const Row& row, const Case& c, const Contract& contract, Wanted wanted);

/// How much a minimisation may cost: elements given to `again`, and 64 for each call.
constexpr std::int64_t default_work = 1 << 20;

/// The simplest case found, by the edits of props/shrink.h, for which `again` still holds, as it must for
/// `c`: rows go first, then columns, gamma and beta, eps, values. Stops where the work is used up. An `id`
/// and notes stay as they are.
Case minimal(const Case& c, const std::function<bool(const Case&)>& again, std::int64_t work = default_work);

/// The row with `promise` broken, as small as it gets: the same row, contract, outputs asked for and promise.
Case minimal_breach(const Row& row, const Case& c, const Contract& contract, Wanted wanted,
                    std::string_view promise, std::int64_t work = default_work);

/// "empty" (no element), "n1" (rows of one element), "row" (one row), "rows".
std::string_view shape_class(const Case& c);

/// "two_pass-f32.own.f32.row": what agrees in row, promise, dtype and class of shape is taken for one defect,
/// and is one file. Letters, digits and . _ - only, so it can be the id of a case.
std::string finding_name(std::string_view who, std::string_view promise, const Case& c);

}  // namespace normcheck
