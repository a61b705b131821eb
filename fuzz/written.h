// What the reader targets read back: the project's own writers, or planted ones that lose something.
#pragma once

#include <string>

#include "corpus/case.h"
#include "corpus/dump.h"

namespace normcheck {

/// written.cpp: format_case, format_npy and so on. written_planted.cpp: the same without the first minus
/// sign of a number, and with one bit of the last element turned.
std::string written_case(const Case& c);
std::string written_npy(const Tensor& t);
std::string written_npz(const NamedTensors& tensors, bool deflate);
std::string written_safetensors(const NamedTensors& tensors);
std::string written_onnx(const std::string& name, const Tensor& t);

}  // namespace normcheck
