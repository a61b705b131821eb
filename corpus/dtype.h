// The element types as bits and as values, with one correctly rounded conversion each way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace normcheck {

enum class DType : std::uint8_t { f16, bf16, f32, f64, i32, i64 };

/// A binary floating format: `precision` significant bits, exponents `emin` to `emax` of normal
/// numbers (value 1.xxx * 2^e), subnormals below.
struct Format {
  int precision;
  int emin;
  int emax;
  int bits;
};

/// The format of a floating dtype (not of i32, i64).
constexpr Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {11, -14, 15, 16};
    case DType::bf16:
      return {8, -126, 127, 16};
    case DType::f32:
      return {24, -126, 127, 32};
    default:
      return {53, -1022, 1023, 64};
  }
}

constexpr bool is_float(DType dtype) { return dtype != DType::i32 && dtype != DType::i64; }
constexpr bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// Bytes of one element.
constexpr std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::f32:
    case DType::i32:
      return 4;
    default:
      return 8;
  }
}

/// "f16", "bf16", "f32", "f64", "i32", "i64": the name everywhere (files, options, reports).
std::string_view dtype_name(DType dtype);
std::optional<DType> parse_dtype(std::string_view name);

/// The value of a bit pattern, exactly (i64 beyond 2^53 rounds to nearest; floats never round).
/// A NaN's payload is not preserved.
double to_double(DType dtype, std::uint64_t bits);

/// Round to nearest, ties to even, once, from double straight to the format (a half never goes by
/// way of float). Overflow gives an infinity; NaN gives the format's quiet NaN. For i32 and i64 the
/// value is truncated and saturated.
std::uint64_t round_to(DType dtype, double value);

/// u, the unit roundoff: 2^-precision. eta, the smallest positive subnormal: 2^(emin-precision+1).
/// omega, the largest finite number.
double unit_roundoff(DType dtype);
double smallest_subnormal(DType dtype);
double largest_finite(DType dtype);

}  // namespace normcheck
