// Changes of one row, its gamma, beta and eps, as an attack tries them.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpus/case.h"
#include "corpus/generate.h"

namespace normcheck {

enum class Move : std::uint8_t {
  step,       ///< an element, by up to 2^k ulp
  step_pair,  ///< two elements, in opposite directions: the sum nearly stays
  step_run,   ///< a run of elements, all by the same
  exponent,   ///< an element times a power of two
  sign,       ///< of an element
  copy_run,   ///< a value over a run
  ramp,       ///< a run of values that are so many ulp apart
  offset,     ///< the row plus a number
  scale,      ///< the row times a power of two
  order,      ///< a slice sorted, reversed or rotated, two elements exchanged
  renew,      ///< a slice drawn anew, about the row's mean
  trim,       ///< low bits of an element, or of all, are cleared
  neighbour,  ///< an element becomes the neighbour of another
  cross,      ///< a slice of another row
  ties,       ///< a slice, in turn, so that the partial sums of it, or of its squares, all round the same way
  eps,        ///< a usual one, times a power of two, or about the variance
  gamma,      ///< an element of gamma, or all
  beta,       ///< likewise
};
constexpr int move_count = 18;

/// Which of them may be made.
struct Freedom {
  bool eps = true;     ///< of the case may change
  bool affine = true;  ///< gamma and beta may
};
bool allows(const Freedom& freedom, Move move);

/// Applies it to `c`, of one row. x stays finite. `other`: a row of the same length and dtype, to take from.
void apply(Move move, Case& c, const Case& other, CounterRng& rng);

/// Half the distance from a number to the next above it in which rows of the dtype are summed: of f64 that
/// itself, else f32. What is no number, or 0, is given back.
double half_spacing(DType dtype, double value);

/// The numbers of a dtype in their order: 0 for zeros, k for the k-th number above them, -k below.
std::int64_t place_of(DType dtype, std::uint64_t bits);
/// The bits of the number at a place; beyond the largest finite ones, those.
std::uint64_t bits_at(DType dtype, std::int64_t place);

}  // namespace normcheck
