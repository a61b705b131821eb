// Reads and writes `.safetensors`: a JSON header with names, dtypes, shapes and offsets, then the bytes.
#pragma once

#include <memory>
#include <string>

#include "corpus/dump.h"

namespace normcheck {

/// Reads the header alone. InputError unless it is exactly what the format says: a length that fits, an
/// object of tensors with dtype, shape and data_offsets (and "__metadata__", strings), each key once, sizes
/// that are those of the shapes, and offsets that cover the bytes without a gap or an overlap. Tensors of
/// other dtypes than a case has may be there, and are refused when they are read.
std::unique_ptr<Dump> open_safetensors(std::shared_ptr<const ByteSource> bytes);

/// The bytes of a file, the tensors in the order given. InputError for a name that is no UTF-8.
std::string format_safetensors(const NamedTensors& tensors);

}  // namespace normcheck
