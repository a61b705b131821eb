// How one number is spelt in a `.case`: canonical out, anything exact in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/dtype.h"

namespace normcheck {

/// Reads a hexfloat or decimal that is exact in the dtype, `inf`, `nan`, `nan:0x<bits>` (a NaN's whole
/// pattern), for i32 and i64 a decimal integer. A number may carry a sign. On failure nothing is returned
/// and `expected` says what would have been right; for a number that is not exact it names the nearest.
std::optional<std::uint64_t> parse_value(DType dtype, std::string_view word, std::string& expected);

/// A whole number in decimal digits alone, at most `max`.
std::optional<std::uint64_t> parse_count(std::string_view word, std::uint64_t max);

/// Fit for one line of a message: quoted, other than printable ASCII escaped, cut at 40 characters.
std::string shown(std::string_view found);

}  // namespace normcheck
