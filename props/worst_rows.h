// Rows built so that the rounding errors of one kind of algorithm add up: the cases of corpus/worst.
#pragma once

#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// Every construction as a case, in the order of their ids; the files of corpus/worst are these, to the bit.
std::vector<Case> worst_cases();

}  // namespace normcheck
