// Numbers as text, exactly: a hexfloat by its bits, a decimal by comparing all of its digits.
#include "corpus/value_text.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdlib>
#include <limits>

#include "corpus/case_file.h"

namespace normcheck {
namespace {

// No f64 needs more: 2^-1074 has 1,076 characters, and a sign and an exponent may follow.
constexpr std::size_t kMaxDecimal = 1200;

struct Rounded {
  std::uint64_t bits = 0;  // without a sign
  bool exact = true;
};

// sig * 2^e, and something below sig's last bit if `sticky`, to the nearest of the format (ties to even).
Rounded assemble(const Format& f, std::uint64_t sig, bool sticky, std::int64_t e) {
  if (sig == 0) return {0, !sticky};
  const int left = std::countl_zero(sig);
  sig <<= left;
  const std::int64_t top = e - left + 63;  // exponent of the leading bit
  if (top > f.emax) return {std::uint64_t(f.emax - f.emin + 2) << (f.precision - 1), false};
  const std::int64_t below = top < f.emin ? f.emin - top : 0;
  const std::int64_t drop = 64 - f.precision + below;  // bits of sig under the quantum
  if (drop > 64) return {0, false};
  const std::uint64_t kept = drop == 64 ? 0 : sig >> drop;
  const std::uint64_t rest = drop == 64 ? sig : sig & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t half = std::uint64_t{1} << (drop - 1);
  const bool up = rest > half || (rest == half && (sticky || (kept & 1) != 0));
  const auto field = static_cast<std::uint64_t>(below > 0 ? 0 : top - f.emin);
  return {(field << (f.precision - 1)) + kept + (up ? 1 : 0), rest == 0 && !sticky};
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// An exponent with an optional sign; magnitudes past 2^40 are cut there, far outside every format even
// after the digits of a text that fits in memory have shifted it.
std::optional<std::int64_t> parse_exponent(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  constexpr std::int64_t limit = std::int64_t{1} << 40;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = std::min(limit, value * 10 + (c - '0'));
  }
  return negative ? -value : value;
}

// The text after "0x".
std::optional<Rounded> parse_hex(const Format& f, std::string_view text) {
  const std::size_t p = text.find_first_of("pP");
  std::int64_t e = 0;
  if (p != std::string_view::npos) {
    const auto exponent = parse_exponent(text.substr(p + 1));
    if (!exponent) return std::nullopt;
    e = *exponent;
  }
  std::uint64_t sig = 0;
  bool sticky = false;
  bool point = false;
  bool digits = false;
  for (const char c : text.substr(0, p)) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = hex_digit(c);
    if (digit < 0) return std::nullopt;
    digits = true;
    if (sig >> 60 == 0) {
      sig = sig << 4 | static_cast<std::uint64_t>(digit);
      if (point) e -= 4;
    } else {
      sticky = sticky || digit != 0;
      if (!point) e += 4;
    }
  }
  if (!digits) return std::nullopt;
  return assemble(f, sig, sticky, e);
}

// A decimal as digits * 10^exponent, the digits without zeros at either end ("" is zero).
struct Decimal {
  std::string digits;
  std::int64_t exponent = 0;
};

std::optional<Decimal> split_decimal(std::string_view text) {
  Decimal d;
  const std::size_t mark = text.find_first_of("eE");
  if (mark != std::string_view::npos) {
    const auto exponent = parse_exponent(text.substr(mark + 1));
    if (!exponent) return std::nullopt;
    d.exponent = *exponent;
  }
  bool point = false;
  bool any = false;
  for (const char c : text.substr(0, mark)) {
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9') return std::nullopt;
    any = true;
    if (c != '0' || !d.digits.empty()) d.digits += c;
    if (point) --d.exponent;
  }
  if (!any) return std::nullopt;
  while (d.digits.ends_with('0')) {
    d.digits.pop_back();
    ++d.exponent;
  }
  return d;
}

// digits * 10^exponent = digits * 5^exponent * 2^exponent where that is a whole number below 2^64 times a
// power of two: enough for what people write, and much cheaper than comparing 800 digits.
std::optional<Rounded> small_decimal(const Format& f, const Decimal& d) {
  if (d.digits.size() > 19 || d.exponent < -27 || d.exponent > 27) return std::nullopt;
  std::uint64_t sig = 0;
  std::from_chars(d.digits.data(), d.digits.data() + d.digits.size(), sig);
  for (std::int64_t k = 0; k < d.exponent; ++k) {
    if (sig > std::numeric_limits<std::uint64_t>::max() / 5) return std::nullopt;
    sig *= 5;
  }
  for (std::int64_t k = 0; k > d.exponent; --k) {
    if (sig % 5 != 0) return std::nullopt;
    sig /= 5;
  }
  return assemble(f, sig, false, d.exponent);
}

std::optional<Rounded> parse_decimal(DType dtype, std::string_view text) {
  if (text.size() > kMaxDecimal) return std::nullopt;
  const auto d = split_decimal(text);
  if (!d) return std::nullopt;
  if (d->digits.empty()) return Rounded{};
  if (const auto small = small_decimal(format_of(dtype), *d)) return small;
  // Without a point strtod does not ask the locale. Its result only has to be near: what makes it exact is
  // that all of its digits (at most 767) are those of the text.
  const double near = std::strtod(fmt::format("{}e{}", d->digits, d->exponent).c_str(), nullptr);
  Rounded out{round_to(dtype, near), false};
  if (near == 0 || near > largest_finite(DType::f64)) return out;
  const auto back = split_decimal(fmt::format("{:.800e}", near));
  out.exact = back && back->digits == d->digits && back->exponent == d->exponent &&
              to_double(dtype, out.bits) == near;
  return out;
}

template <class Int>
std::optional<std::uint64_t> parse_integer(std::string_view word, std::string& expected) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Int value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size()) {
    expected = fmt::format("a whole number from {} to {}", std::numeric_limits<Int>::min(),
                           std::numeric_limits<Int>::max());
    return std::nullopt;
  }
  return static_cast<std::make_unsigned_t<Int>>(value);
}

std::optional<std::uint64_t> parse_nan(DType dtype, std::string_view bits_text, std::string& expected) {
  std::uint64_t bits = 0;
  const Format f = format_of(dtype);
  bool good = bits_text.starts_with("0x") && bits_text.size() > 2;
  if (good) {
    const char* end = bits_text.data() + bits_text.size();
    const auto [stop, error] = std::from_chars(bits_text.data() + 2, end, bits, 16);
    good = error == std::errc{} && stop == end && (f.bits == 64 || bits >> f.bits == 0);
  }
  const double value = good ? to_double(dtype, bits) : 0;
  if (value == value) {
    expected = fmt::format("nan:0x and the {} hex digits of a NaN in {}", f.bits / 4, dtype_name(dtype));
    return std::nullopt;
  }
  return bits;
}

}  // namespace

std::optional<std::uint64_t> parse_value(DType dtype, std::string_view word, std::string& expected) {
  if (dtype == DType::i32) return parse_integer<std::int32_t>(word, expected);
  if (dtype == DType::i64) return parse_integer<std::int64_t>(word, expected);
  if (word == "nan") return round_to(dtype, std::numeric_limits<double>::quiet_NaN());
  if (word.starts_with("nan:")) return parse_nan(dtype, word.substr(4), expected);

  const Format f = format_of(dtype);
  std::string_view rest = word;
  const std::uint64_t sign = rest.starts_with('-') ? std::uint64_t{1} << (f.bits - 1) : 0;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  if (rest == "inf") return sign | round_to(dtype, std::numeric_limits<double>::infinity());
  const bool hex = rest.starts_with("0x") || rest.starts_with("0X");
  const auto read = hex ? parse_hex(f, rest.substr(2)) : parse_decimal(dtype, rest);
  if (!read) {
    expected = "a number such as 0x1.8p+1, -0x0p+0, inf or nan";
    return std::nullopt;
  }
  if (!read->exact) {
    expected = fmt::format("a number that {} holds exactly; the nearest is {}", dtype_name(dtype),
                           format_value(dtype, sign | read->bits));
    return std::nullopt;
  }
  return sign | read->bits;
}

std::optional<std::uint64_t> parse_count(std::string_view word, std::uint64_t max) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size() || value > max) return std::nullopt;
  return value;
}

std::string shown(std::string_view found) {
  constexpr std::size_t kMax = 40;
  std::string out = "'";
  for (const char c : found.substr(0, kMax)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  return out + (found.size() > kMax ? "...'" : "'");
}

// Finite numbers are normalized, subnormals too: one leading 1, the fraction without zeros at its end.
std::string format_value(DType dtype, std::uint64_t bits) {
  if (dtype == DType::i32) return std::to_string(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
  if (dtype == DType::i64) return std::to_string(static_cast<std::int64_t>(bits));
  const double value = to_double(dtype, bits);
  if (value != value) {
    if (bits == round_to(dtype, value)) return "nan";
    return fmt::format("nan:0x{:0{}x}", bits, format_of(dtype).bits / 4);
  }
  const auto wide = std::bit_cast<std::uint64_t>(value);
  std::string out = wide >> 63 ? "-" : "";
  std::uint64_t fraction = wide & ((std::uint64_t{1} << 52) - 1);
  int exponent = static_cast<int>((wide >> 52) & 0x7ff);
  if (exponent == 0x7ff) return out + "inf";
  if (exponent == 0 && fraction == 0) return out + "0x0p+0";
  if (exponent == 0) {
    const int left = std::countl_zero(fraction) - 11;
    fraction = (fraction << left) & ((std::uint64_t{1} << 52) - 1);
    exponent = 1 - left;
  }
  out += "0x1";
  if (fraction != 0) {
    out += '.';
    for (std::uint64_t left = fraction << 12; left != 0; left <<= 4) out += "0123456789abcdef"[left >> 60];
  }
  out += exponent < 1023 ? "p" : "p+";
  return out + std::to_string(exponent - 1023);
}

}  // namespace normcheck
