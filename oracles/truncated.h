// Numbers of 64 significant bits, always rounded down: an estimate with a proven relative error.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace normcheck {

__extension__ typedef unsigned __int128 Wide128;

/// m * 2^e, where m has its top bit set, or is 0. Each operation below drops less than 2^-63 of its
/// result, so a chain of k operations and k rounded operands lies within k * 2^-63 of the truth (to first
/// order; none of them subtracts).
struct Truncated {
  std::uint64_t m = 0;
  int e = 0;

  /// floor(log2) of the number, which must not be 0.
  int exponent() const { return e + 63; }
};

inline Truncated normalized(Wide128 v, int e) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  if (high == 0) {
    const auto low = static_cast<std::uint64_t>(v);
    if (low == 0) return {};
    const int lead = std::countl_zero(low);
    return {low << lead, e - lead};
  }
  const int drop = 64 - std::countl_zero(high);
  return {static_cast<std::uint64_t>(v >> drop), e + drop};
}

inline Truncated operator*(Truncated a, Truncated b) {
  return normalized(static_cast<Wide128>(a.m) * b.m, a.e + b.e);
}

/// b must not be 0.
inline Truncated operator/(Truncated a, Truncated b) {
  if (a.m == 0) return {};
  const int shift = a.m >= b.m ? 63 : 64;  // the quotient then has 64 bits exactly
  return {static_cast<std::uint64_t>((static_cast<Wide128>(a.m) << shift) / b.m), a.e - b.e - shift};
}

inline Truncated operator+(Truncated a, Truncated b) {
  if (a.m == 0) return b;
  if (b.m == 0) return a;
  if (a.e < b.e) std::swap(a, b);
  const int shift = a.e - b.e;
  return normalized(static_cast<Wide128>(a.m) + (shift < 64 ? b.m >> shift : 0), a.e);
}

/// sign(a - b) where they differ by more than 64 units of the smaller one's last place, else 0: numbers
/// that stand for values within 2^-59 of them may then be equal, or lie the other way round. Both not 0.
inline int clear_order(Truncated a, Truncated b) {
  if (a.e < b.e) return -clear_order(b, a);
  if (a.e > b.e + 1) return 1;
  const Wide128 high = static_cast<Wide128>(a.m) << (a.e - b.e);
  constexpr unsigned slack = 64;
  return high > static_cast<Wide128>(b.m) + slack ? 1 : high + slack < b.m ? -1 : 0;
}

/// floor(sqrt(v)) * 2^e for v in [2^126, 2^128).
inline Truncated root(Wide128 v, int e) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  // 53 bits from the double, then one Newton step, which is off by a unit or two at most.
  const Wide128 guess = static_cast<Wide128>(std::sqrt(static_cast<double>(v)));
  Wide128 r = std::min<Wide128>((guess + v / guess) / 2, most);
  while (r * r > v) --r;
  while (r < most && (r + 1) * (r + 1) <= v) ++r;
  return {static_cast<std::uint64_t>(r), e};
}

}  // namespace normcheck
