// What a fuzz target is: one function over bytes, run by libFuzzer or by an ordinary main.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace normcheck {

/// How much of an input is run: what its selector names, or everything (a replay).
enum class Extent : std::uint8_t { selected, all };

/// Each target defines these two, and LLVMFuzzerTestOneInput is in fuzz/libfuzzer_entry.cpp.
/// Returns how many checks were made (0 where the input was not for it). A finding is printed, written
/// as a `.case`, and aborts; nothing else does, and nothing is thrown.
std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent extent);
std::string_view target_name();

}  // namespace normcheck
