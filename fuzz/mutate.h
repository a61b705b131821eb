// Changes one thing of a case by its structure: what the mutator of the fuzz targets does between decode and
// encode.
#pragma once

#include <cstdint>
#include <string_view>

#include "corpus/case.h"
#include "corpus/generate.h"

namespace normcheck {

enum class Change : std::uint8_t {
  step_element,   ///< one element of x, gamma or beta, by a few ulp
  step_run,       ///< a run of elements, each by the same few ulp
  copy_value,     ///< one element over a run
  offset,         ///< all of x, or of a row, plus a number: a larger mean at the same spread
  scale,          ///< all of a tensor, or of a row, times a power of two or a factor near 1
  swap_rows,      ///< two rows of x
  order,          ///< a row sorted, reversed or rotated
  eps,            ///< 0, a usual one, a power of two of it, its neighbour, or about the variance
  gamma_or_beta,  ///< gone, or there with ones, zeros or values of x; in f32 for a half x
  length,         ///< one normalized extent, by 1 or by a factor of 2, gamma and beta with it
  rows,           ///< the leading extents, likewise
  dims,           ///< the same elements under other extents, or with another norm_ndim
  dtype           ///< every tensor in another float dtype
};
constexpr int changes = 13;
std::string_view change_name(Change change);

/// Applies it with choices drawn from `rng`. The case stays valid and within the caps of fuzz/decode.h; where
/// the change has nothing to work on (two rows to swap) nothing happens. Needs a valid case with elements.
void apply(Change change, Case& c, CounterRng& rng);

/// Draws a change that makes another problem of the case and applies it; false if none of eight tries did.
bool mutate(Case& c, CounterRng& rng);

}  // namespace normcheck
