// Reads and writes one ONNX TensorProto, as the `.pb` files of ONNX's test data are.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "corpus/dump.h"

namespace normcheck {

/// Its name (perhaps empty) and itself. Types and `as`: as Dump::read has them. InputError "LABEL: FIELD:
/// ...; expected ..." for external data, segments, data in two places or of another size than the dims say.
std::pair<std::string, Tensor> parse_onnx_tensor(std::string_view message, std::string_view label,
                                                 std::optional<DType> as = std::nullopt);
/// A dump of one tensor, under its name, or where it has none the file's.
std::unique_ptr<Dump> open_onnx_tensor(const std::shared_ptr<const ByteSource>& bytes);

/// The message, with raw_data.
std::string format_onnx_tensor(std::string_view name, const Tensor& t);

}  // namespace normcheck
