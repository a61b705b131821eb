// Reads `.npy` arrays (format versions 1 to 3) of f16, bf16, f32, f64, i32, i64, and writes them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "corpus/case.h"

namespace normcheck {

/// Parses the bytes of one `.npy`. `<V2` and `<u2` are bf16 only if `as` is bf16; otherwise they are
/// refused. `as`, if given, must match what the file holds. Big-endian numbers are swapped, and Fortran order
/// is transposed. Object arrays (pickles) and structured ones, and sizes that disagree with the byte count:
/// InputError with name and field.
Tensor parse_npy(std::string_view bytes, std::string_view name, std::optional<DType> as = std::nullopt);
Tensor read_npy(const std::filesystem::path& path, std::optional<DType> as = std::nullopt);

/// The bytes of a version 1.0 file; bf16 is written as `<V2`.
std::string format_npy(const Tensor& t);
void write_npy(const std::filesystem::path& path, const Tensor& t);

}  // namespace normcheck
