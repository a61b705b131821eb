// What a layer norm here must refuse: the one place where a call's shapes, dtypes and eps are checked.
#pragma once

#include <optional>
#include <string>

#include "corpus/case.h"

namespace normcheck {

/// Nothing if the call is valid, else one line that names both shapes, or the dtype, or eps. Refused:
/// an x that is not floating; norm_ndim outside 1..rank; a stated normalized shape that is not x's tail;
/// gamma or beta whose shape is not exactly the normalized shape, even a broadcastable one; a gamma or
/// beta dtype that is neither x's nor (for half x) f32; eps negative, NaN or infinite (-0 is 0).
/// Shapes are checked before eps, and all of it also when x is empty.
std::optional<std::string> refusal(const Case& c);

}  // namespace normcheck
