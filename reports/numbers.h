// How numbers are spelled for people: short, with their unit, and a hexfloat where it must be exact.
#pragma once

#include <cstdint>
#include <string>

#include "corpus/dtype.h"

namespace normcheck {

/// Three significant digits or fewer, a compact exponent: "0.53", "128", "1.3e5", "inf", "nan".
std::string short_number(double value);
/// The shortest decimal that reads back as the same double: "1e-5", "1.25", "-128".
std::string exact_decimal(double value);
/// "0x1.57756cp+0 (1.34164)"; "nan" and "inf" stand alone.
std::string hex_and_decimal(DType dtype, std::uint64_t bits);
/// The same with the decimal of `value`, of which `bits` is the rounding.
std::string hex_and_decimal(DType dtype, std::uint64_t bits, double value);
/// The hexfloat of a double, as the case format spells it.
std::string hexfloat(double value);
/// "12,345".
std::string grouped(std::int64_t count);
/// "93.1%" of part in whole; "-" if whole is 0. Never rounds up to 100% nor down to 0%.
std::string percent(std::int64_t part, std::int64_t whole);
/// "1 case", "2 cases".
std::string counted(std::int64_t count, const std::string& noun);

}  // namespace normcheck
