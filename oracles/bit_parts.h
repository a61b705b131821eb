// Bit patterns of the floating formats as integers times powers of two, for the exact oracle.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "corpus/dtype.h"

namespace normcheck {

/// A finite double as m * 2^e with m odd (or 0, 0).
struct Parts {
  bool negative = false;
  std::uint64_t m = 0;
  int e = 0;
  int width() const { return static_cast<int>(std::bit_width(m)); }
};

inline Parts odd_parts(bool negative, std::uint64_t m, int e) {
  if (m == 0) return {};
  const int zeros = std::countr_zero(m);
  return {negative, m >> zeros, e + zeros};
}

inline Parts parts_of(double v) {
  const auto bits = std::bit_cast<std::uint64_t>(v);
  const int field = static_cast<int>(bits >> 52 & 0x7ff);
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
  return odd_parts((bits >> 63) != 0, field == 0 ? fraction : fraction | std::uint64_t{1} << 52,
                   (field == 0 ? 1 : field) - 1075);
}

/// A bit pattern of a floating dtype.
struct Pattern {
  enum class Kind { finite, infinite, nan } kind = Kind::finite;
  Parts value;  ///< of a finite one; `negative` also of an infinity and of a zero
};

inline Pattern decode(const Format& f, std::uint64_t bits) {
  const int fraction_bits = f.precision - 1;
  const std::uint64_t fraction = bits & ((std::uint64_t{1} << fraction_bits) - 1);
  const int field =
      static_cast<int>(bits >> fraction_bits & ((std::uint64_t{1} << (f.bits - f.precision)) - 1));
  const bool negative = (bits >> (f.bits - 1) & 1) != 0;
  Pattern out;
  if (field == f.emax - f.emin + 2) {
    out.kind = fraction == 0 ? Pattern::Kind::infinite : Pattern::Kind::nan;
  } else {
    const std::uint64_t hidden = field == 0 ? 0 : std::uint64_t{1} << fraction_bits;
    out.value = odd_parts(negative, fraction | hidden, std::max(field, 1) - 1 + f.emin - fraction_bits);
  }
  out.value.negative = negative;
  return out;
}

inline std::uint64_t infinity_bits(const Format& f) {
  return static_cast<std::uint64_t>(f.emax - f.emin + 2) << (f.precision - 1);
}

}  // namespace normcheck
