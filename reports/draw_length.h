// Draws row lengths and numbers of rows so that a switch of code path hides nowhere.
#pragma once

#include <cstdint>

#include "corpus/generate.h"

namespace normcheck {

/// lo..hi with every binade as likely as the next; half of the draws lie next to a power of two or a multiple
/// of one.
std::int64_t draw_length(CounterRng& rng, std::int64_t lo, std::int64_t hi);

/// Likewise, with lo far from 1 and no heap of draws at it.
std::int64_t draw_between(CounterRng& rng, std::int64_t lo, std::int64_t hi);

}  // namespace normcheck
