// The structured form of an input: a few bytes of recipe, then one small delta a value.
#pragma once

#include "corpus/case.h"
#include "fuzz/byte_reader.h"

namespace normcheck {

/// Uniform random bit patterns overflow the sum of squares in 90% of f32 rows of 8, so values are made
/// as mean + spread * delta. Fourteen bytes of recipe:
///   dtype, layout, rows, n, split, eps, structure, mean exponent, mean fraction, spread exponent,
///   gamma, beta, gain exponent, tail
/// then one signed byte a value: x, gamma, beta, in steps of 1/64. Values past the last byte come from
/// a mix of index and `tail` (all zero where tail is 0), so that a short input makes a full row.
/// Each byte is reduced to its table (recipe.cpp); of each a few high values make a case that must be
/// refused. Always within the caps of fuzz/decode.h. `expect` is left alone.
Case read_recipe(ByteReader& in);

}  // namespace normcheck
