// What is watched in every call of a kernel from outside, beside its numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace normcheck {

/// red_zones: writes outside the outputs and the workspace; unwritten: elements of an output; inputs: what is
/// not to change, the call's description too; fp_environment: rounding and flush-to-zero; descriptors: closed
/// ones.
enum class Watch : std::uint8_t { red_zones, unwritten, inputs, fp_environment, descriptors };
inline constexpr std::array<std::string_view, 5> watch_names = {"red_zones", "unwritten", "inputs",
                                                                "fp_environment", "descriptors"};

/// Which of them a fault of an observation is of, by the words it begins with; nothing for another.
constexpr std::optional<Watch> watch_of(std::string_view fault) {
  if (fault.starts_with("wrote outside ")) return Watch::red_zones;
  if (fault.starts_with("left ")) return Watch::unwritten;
  if (fault.starts_with("changed the floating-point environment")) return Watch::fp_environment;
  if (fault.starts_with("changed ")) return Watch::inputs;
  if (fault.starts_with("closed descriptor")) return Watch::descriptors;
  return std::nullopt;
}

/// The kinds of faults that are left out, and how many of each were seen.
struct Watches {
  std::array<bool, watch_names.size()> off{};
  std::array<std::int64_t, watch_names.size()> seen{};
};

}  // namespace normcheck
