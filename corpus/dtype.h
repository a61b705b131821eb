// The element types as bits and as values, with one correctly rounded conversion each way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace normcheck {

/// f80, the x87 format of 64 significant bits, is a type to compute in alone: no tensor has it.
enum class DType : std::uint8_t { f16, bf16, f32, f64, i32, i64, f80 };

/// A binary floating format: `precision` significant bits, exponents `emin` to `emax` of normal
/// numbers (value 1.xxx * 2^e), subnormals below.
struct Format {
  int precision;
  int emin;
  int emax;
  int bits;
};

/// The format of a floating dtype, f80 too (not of i32, i64).
constexpr Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {11, -14, 15, 16};
    case DType::bf16:
      return {8, -126, 127, 16};
    case DType::f32:
      return {24, -126, 127, 32};
    case DType::f80:
      return {64, -16382, 16383, 80};
    default:
      return {53, -1022, 1023, 64};
  }
}

/// Whether a tensor of it holds floats.
constexpr bool is_float(DType dtype) {
  return dtype != DType::i32 && dtype != DType::i64 && dtype != DType::f80;
}
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

/// "f16", "bf16", "f32", "f64", "i32", "i64", "f80": the name everywhere (files, options, reports).
std::string_view dtype_name(DType dtype);
/// Of a tensor: f80 is none.
std::optional<DType> parse_dtype(std::string_view name);

/// The value of a bit pattern, exactly (i64 beyond 2^53 rounds to nearest; floats never round).
/// A NaN's payload is not preserved. f80 stands for those of its numbers that are doubles, as the bits of the
/// double: every double comes back from there and back as it was.
double to_double(DType dtype, std::uint64_t bits);

/// Round to nearest, ties to even, once, from double straight to the format (a half never goes by
/// way of float). Overflow gives an infinity; NaN gives the format's quiet NaN. For i32 and i64 the
/// value is truncated and saturated.
std::uint64_t round_to(DType dtype, double value);

/// u, the unit roundoff: 2^-precision. eta, the smallest positive subnormal: 2^(emin-precision+1).
/// omega, the largest finite number. eta and omega of f80 are no doubles: in their place one that is above
/// eta, as is its half, and one that is below omega.
double unit_roundoff(DType dtype);
double smallest_subnormal(DType dtype);
double largest_finite(DType dtype);

}  // namespace normcheck
