// The changes of a case's extents; see fuzz/mutate.h.
#pragma once

#include "corpus/case.h"
#include "corpus/generate.h"

namespace normcheck {

/// Each leaves the case as it is where the caps of fuzz/decode.h would not hold.
void change_length(CounterRng& rng, Case& c);
void change_rows(CounterRng& rng, Case& c);
void change_dims(CounterRng& rng, Case& c);

}  // namespace normcheck
