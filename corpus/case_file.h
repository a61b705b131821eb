// Reads and writes cases as text: the `.case` format, version 1 (corpus/README.md has the grammar).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "corpus/case.h"

namespace normcheck {

/// How many elements a text may ask for: in x, gamma and beta together where they are written out (a
/// short text can ask for many by `v*k`), and in an x made by a generator.
struct CaseLimits {
  std::int64_t written = std::int64_t{1} << 26;
  std::int64_t generated = std::int64_t{1} << 28;
};

/// Parses the text of one case. `name` is used in messages. Throws InputError
/// "NAME:LINE: FIELD: what was found; expected ..." on anything that is not a case; never crashes and
/// never allocates more than the limits or what the text fills.
Case parse_case(std::string_view text, std::string_view name, const CaseLimits& limits = {});

/// Reads a file; InputError with the path if it cannot be read.
Case read_case(const std::filesystem::path& path);

/// The canonical text: parse_case(format_case(c)) == c, and one case has one text. InputError for a case
/// that no text can hold (a note of two lines, an x that its generator does not give, a shape that only
/// `expect refused` allows): the text is read back before it is returned.
std::string format_case(const Case& c);

/// Writes beside and renames, so that no half-written file is ever seen. InputError if it cannot.
void write_case(const std::filesystem::path& path, const Case& c);
/// The same for any bytes. What is there and is no regular file (a pipe, /dev/stdout) is written to as it is.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);
/// All bytes of a file; InputError with the path if it cannot be read.
std::string read_file(const std::filesystem::path& path);

/// The number as the format spells it: canonical hexfloat, `inf`, `-inf`, `nan` or `nan:<bits>`.
std::string format_value(DType dtype, std::uint64_t bits);

}  // namespace normcheck
