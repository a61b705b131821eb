// Conversions between bit patterns and doubles, by integer work alone: no rounding mode, no flush-to-zero
// setting and no intermediate float can change them.
#include "corpus/dtype.h"

#include <bit>
#include <cmath>
#include <limits>

namespace normcheck {
namespace {

struct Name {
  DType dtype;
  std::string_view text;
};
constexpr Name kNames[] = {{DType::f16, "f16"}, {DType::bf16, "bf16"}, {DType::f32, "f32"},
                           {DType::f64, "f64"}, {DType::i32, "i32"},   {DType::i64, "i64"},
                           {DType::f80, "f80"}};

constexpr std::uint64_t kDoubleFraction = (std::uint64_t{1} << 52) - 1;

// 2^e as a double, e in -1074..1023.
double power_of_two(int e) {
  return e >= -1022 ? std::bit_cast<double>(static_cast<std::uint64_t>(e + 1023) << 52)
                    : std::bit_cast<double>(std::uint64_t{1} << (e + 1074));
}

std::uint64_t infinity_bits(const Format& f) {
  return static_cast<std::uint64_t>(f.emax - f.emin + 2) << (f.precision - 1);
}

// f16, bf16, f32 to double: every value is a normal double, so only the exponent moves.
double widen(const Format& f, std::uint64_t bits) {
  const int fraction_bits = f.precision - 1;
  const std::uint64_t sign = (bits >> (f.bits - 1)) & 1;
  const std::uint64_t magnitude = bits & ((std::uint64_t{1} << (f.bits - 1)) - 1);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << fraction_bits) - 1);
  const int biased = static_cast<int>(magnitude >> fraction_bits);
  std::uint64_t out = sign << 63;
  if (magnitude >= infinity_bits(f)) {
    out |= std::uint64_t{0x7ff} << 52;
    if (fraction != 0) out |= std::uint64_t{1} << 51;
  } else if (biased > 0) {
    out |= static_cast<std::uint64_t>(biased - 1 + f.emin + 1023) << 52;
    out |= fraction << (52 - fraction_bits);
  } else if (fraction != 0) {
    const int top = 63 - std::countl_zero(fraction);
    out |= static_cast<std::uint64_t>(f.emin - fraction_bits + top + 1023) << 52;
    out |= (fraction << (52 - top)) & kDoubleFraction;
  }
  return std::bit_cast<double>(out);
}

// Double to f16, bf16 or f32. With value = sig * 2^(e-52), sig < 2^53, the result's quantum is
// 2^(max(e, emin) - precision + 1), so `shift` bits of sig are rounded away at once; a carry out of the
// fraction moves into the exponent field, and out of the largest exponent gives infinity.
std::uint64_t narrow(const Format& f, double value) {
  const std::uint64_t in = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t sign = (in >> 63) << (f.bits - 1);
  const int biased = static_cast<int>((in >> 52) & 0x7ff);
  const std::uint64_t fraction = in & kDoubleFraction;
  if (biased == 0x7ff) {
    if (fraction == 0) return sign | infinity_bits(f);
    return infinity_bits(f) | (std::uint64_t{1} << (f.precision - 2));
  }
  const int e = biased - 1023;
  if (e > f.emax) return sign | infinity_bits(f);
  const int field = e > f.emin ? e - f.emin : 0;
  const int shift = 53 - f.precision + (e < f.emin ? f.emin - e : 0);
  // Below half of the smallest subnormal; doubles that are zero or subnormal themselves end here too.
  if (shift > 53) return sign;
  const std::uint64_t sig = fraction | (std::uint64_t{1} << 52);
  const std::uint64_t kept = sig >> shift;
  const std::uint64_t rest = sig & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  const bool up = rest > half || (rest == half && (kept & 1) != 0);
  return sign | ((static_cast<std::uint64_t>(field) << (f.precision - 1)) + kept + (up ? 1 : 0));
}

template <class Int>
std::uint64_t truncate(double value) {
  constexpr double limit = -static_cast<double>(std::numeric_limits<Int>::min());
  Int out = 0;
  if (value >= limit) {
    out = std::numeric_limits<Int>::max();
  } else if (value < -limit) {
    out = std::numeric_limits<Int>::min();
  } else if (value == value) {
    out = static_cast<Int>(value);
  }
  return static_cast<std::make_unsigned_t<Int>>(out);
}

}  // namespace

std::string_view dtype_name(DType dtype) { return kNames[static_cast<std::size_t>(dtype)].text; }

std::optional<DType> parse_dtype(std::string_view name) {
  for (const Name& entry : kNames) {
    if (entry.text == name && entry.dtype != DType::f80) return entry.dtype;
  }
  return std::nullopt;
}

double to_double(DType dtype, std::uint64_t bits) {
  switch (dtype) {
    case DType::f64:
    case DType::f80:
      return std::bit_cast<double>(bits);
    case DType::i32:
      return static_cast<double>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits)));
    case DType::i64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return widen(format_of(dtype), bits);
  }
}

std::uint64_t round_to(DType dtype, double value) {
  switch (dtype) {
    case DType::f64:
    case DType::f80:
      return value == value ? std::bit_cast<std::uint64_t>(value) : std::uint64_t{0x7ff8} << 48;
    case DType::i32:
      return truncate<std::int32_t>(value);
    case DType::i64:
      return truncate<std::int64_t>(value);
    default:
      return narrow(format_of(dtype), value);
  }
}

double unit_roundoff(DType dtype) { return power_of_two(-format_of(dtype).precision); }

double smallest_subnormal(DType dtype) {
  if (dtype == DType::f80) return power_of_two(-1073);
  const Format f = format_of(dtype);
  return power_of_two(f.emin - f.precision + 1);
}

double largest_finite(DType dtype) {
  if (dtype == DType::f80) return largest_finite(DType::f64);
  const Format f = format_of(dtype);
  return to_double(dtype, infinity_bits(f) - 1);
}

}  // namespace normcheck
