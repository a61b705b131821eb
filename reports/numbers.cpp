// Spells numbers for people.
#include "reports/numbers.h"

#include <fmt/format.h>

#include <cmath>

#include "corpus/case_file.h"

namespace normcheck {
namespace {

/// "1e-05" and "1e+05" to "1e-5" and "1e5".
std::string compact_exponent(std::string text) {
  const auto e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 1);
  const bool negative = exponent[0] == '-';
  std::size_t digits = exponent.find_first_of("123456789");
  if (digits == std::string::npos) digits = exponent.size() - 1;
  return text.substr(0, e + 1) + (negative ? "-" : "") + exponent.substr(digits);
}

}  // namespace

std::string short_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double size = std::fabs(value);
  if (size == 0) return "0";
  if (size < 0.01 || size >= 999.5) return compact_exponent(fmt::format("{:.2g}", value));
  return fmt::format("{:.3g}", value);
}

std::string exact_decimal(double value) {
  if (std::isnan(value)) return "nan";
  return compact_exponent(fmt::format("{}", value));
}

std::string hex_and_decimal(DType dtype, std::uint64_t bits) {
  return hex_and_decimal(dtype, bits, to_double(dtype, bits));
}

std::string hex_and_decimal(DType dtype, std::uint64_t bits, double value) {
  const std::string hex = format_value(dtype, bits);
  if (std::isnan(to_double(dtype, bits))) return "nan";
  if (std::isinf(value)) return hex;
  return fmt::format("{} ({})", hex, compact_exponent(fmt::format("{:.6g}", value)));
}

std::string hexfloat(double value) { return format_value(DType::f64, round_to(DType::f64, value)); }

std::string grouped(std::int64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3 && text[at - 4] != '-';) text.insert(at -= 3, ",");
  return text;
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  const double share = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  if (part != 0 && share < 0.05) return "<0.1%";
  if (part != whole && share >= 99.95) return ">99.9%";
  return fmt::format("{:.1f}%", share);
}

std::string counted(std::int64_t count, const std::string& noun) {
  return fmt::format("{} {}{}", grouped(count), noun, count == 1 ? "" : "s");
}

}  // namespace normcheck
