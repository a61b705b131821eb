// Bytes to cases and back: any bytes are a case, and every case within the caps has bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"

namespace normcheck {

/// The version of the layout below, kept in the high half of an input's first byte. Bytes of a version
/// that is not known are read as the newest. What must outlive a change of layout is kept as a `.case`.
constexpr unsigned decode_version = 2;

/// What a decoded case stays under, so that one execution is short. The extents of 0 count as 1 here: a
/// case of no rows still has a gamma of full length. A verbatim x with elements is cut to twice those that
/// the bytes behind eps can fill (one at least); a recipe has at most 1024 elements, or one row.
constexpr std::int64_t max_decoded_elements = 4096;
constexpr std::int64_t max_decoded_rows = 64;  ///< product of the leading extents
constexpr int max_decoded_rank = 5;            ///< and at least 1

/// Layout, little-endian; missing bytes are zero, bytes too many are ignored.
///   0     low bit: 0 structured, 1 verbatim; high four bits: version
///   1..2  selector
///   3     bit 0: mean is asked for; bit 1: rstd
/// verbatim, exact bits:
///   4     dtype: below 0xf0 mod 4 of f16 bf16 f32 f64, else i32 or i64 (that must be refused)
///   5     rank-1, mod 5          6  norm_ndim-1, mod rank; from 0xf0 up norm_ndim is the low four bits
///   7     gamma, 8  beta: low two bits 0 none, 1 x's dtype, 2 f32, 3 f64; from 0xe0 up bits 2..3 choose
///         a wrong shape (that must be refused), else it is the normalized shape
///   9..   extents, two bytes each; then eps, eight; then the elements of x, gamma, beta as in memory
/// structured: fuzz/recipe.h.
struct Decoded {
  Case c;                      ///< id "fuzz"; expect refused exactly where semantics refuses it, else bound
  std::uint16_t selector = 0;  ///< which subject runs it, modulo their number
  Wanted wanted;
};

/// Total and deterministic: never throws (but for memory), and holds the caps.
Decoded decode(std::span<const std::uint8_t> bytes);

/// The verbatim bytes of a valid case: decode gives back x, gamma, beta, eps and norm_ndim bit for bit.
/// Nothing for a case that is refused, or beyond the caps, or of an op that has no form here.
std::optional<std::vector<std::uint8_t>> encode(const Case& c, std::uint16_t selector = 0,
                                                Wanted wanted = {});

/// True if the case is within the caps above.
bool within_caps(const Case& c);

/// Equal as problems: x, gamma, beta, norm_ndim and eps, bit for bit.
bool same_problem(const Case& a, const Case& b);

}  // namespace normcheck
