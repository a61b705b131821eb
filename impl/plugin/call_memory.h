// What lies in the arena before a call, and what a call may have done to it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "impl/plugin/arena.h"
#include "impl/plugin/call_plan.h"

namespace normcheck {

/// The pattern of red zones and of outputs before the call: a signalling NaN of the dtype. No operation
/// yields one, so an element that still has it was not written (or was copied from where nothing was).
std::uint64_t poison(DType dtype);

/// Fills red zones and outputs with poison and copies the inputs in. The arena is large enough.
void write_call(const CallPlan& plan, const Case& c, Arena& arena);

/// What the call did to memory that it was not to touch, one line each: wrote outside a tensor, changed an
/// input.
std::vector<std::string> memory_faults(const CallPlan& plan, const Case& c, const Arena& arena);

/// After NC_OK: the outputs, and a line for each in which elements were left as they were.
void read_outputs(const CallPlan& plan, const Arena& arena, Observation& out);

}  // namespace normcheck
