// Reads and writes cases as text: the `.case` format, version 1 (corpus/README.md has the grammar).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "corpus/case.h"

namespace normcheck {

/// Parses the text of one case. `name` is used in messages. Throws InputError
/// "NAME:LINE: FIELD: what was found; expected ..." on anything that is not a case; never crashes and
/// never allocates more than the text can justify (a `gen` tensor is capped at 2^28 elements).
Case parse_case(std::string_view text, std::string_view name);

/// Reads a file; InputError with the path if it cannot be read.
Case read_case(const std::filesystem::path& path);

/// The canonical text: parse_case(format_case(c)) == c, and one case has one text.
std::string format_case(const Case& c);

/// Writes beside and renames, so that no half-written file is ever seen. InputError if it cannot.
void write_case(const std::filesystem::path& path, const Case& c);
/// The same for any bytes.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);
std::string read_file(const std::filesystem::path& path);

/// The number as the format spells it: canonical hexfloat, `inf`, `-inf`, `nan` or `nan:<bits>`.
std::string format_value(DType dtype, std::uint64_t bits);

}  // namespace normcheck
