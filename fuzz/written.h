// What the reader targets read back: the project's own writers, or planted ones that lose something.
#pragma once

#include <string>

#include "corpus/case.h"

namespace normcheck {

/// written.cpp: format_case and format_npy. written_planted.cpp: the same without the first minus sign of
/// a number, and with one bit of the last element turned.
std::string written_case(const Case& c);
std::string written_npy(const Tensor& t);

}  // namespace normcheck
