// The codec and the checksum of `.zip`, and `.gz`, by zlib.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "corpus/byte_source.h"

namespace normcheck {

/// Inflates `packed` raw bytes at `start`, which must come to exactly `size`. Memory is taken as the bytes
/// come, whatever `size` says. InputError "LABEL: data: ..." where they do not.
std::string inflated(const ByteSource& bytes, std::uint64_t start, std::uint64_t packed, std::uint64_t size,
                     std::string_view label);
/// Raw deflate of `content`.
std::string deflated(std::string_view content);
/// The whole of a .gz file, of at most `most` bytes. InputError "FILE: ..." where it cannot be read, is cut
/// short or damaged, or is larger.
std::string read_gzip(const std::filesystem::path& file, std::uint64_t most);
/// CRC-32 as .zip has it.
std::uint32_t checksum(std::string_view content);

}  // namespace normcheck
