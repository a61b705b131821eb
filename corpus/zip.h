// Reads and writes `.zip` archives as far as `.npz` needs them: stored and deflated entries, zip64.
//
// Own code around zlib, which has the codec and the checksum but no archives. The libraries that have them
// take an archive's word for its sizes, and would be one more thing to link into every fuzz target.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/byte_source.h"

namespace normcheck {

/// As the central directory has it, which is what counts; the header before the data must agree.
struct ZipEntry {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  ///< 0 stored, 8 deflate
  std::uint32_t crc = 0;     ///< of the content
  std::uint64_t packed = 0;  ///< bytes in the archive
  std::uint64_t size = 0;    ///< bytes of the content
  std::uint64_t offset = 0;  ///< of the header before the data
  std::uint64_t limit = 0;   ///< where the next entry, or the directory, starts
};

struct ZipLimits {
  std::uint64_t size = std::uint64_t{1} << 32;  ///< of an entry's content, bytes
  bool check_crc = true;                        ///< a fuzz target cannot guess checksums
};

/// The entries in the directory's order. InputError "NAME: FIELD: ...; expected ..." unless the directory is
/// whole and ends where the archive's end record says, on one disk, each name there once and no two entries
/// in one place. No content is read.
std::vector<ZipEntry> read_zip_directory(const ByteSource& bytes);

/// The content of an entry. Checked before memory is taken: encryption and methods (refused by name), sizes
/// against the limit, against the bytes that are there, and against what deflate can come to. `label` is for
/// messages. InputError likewise.
std::string read_zip_entry(const ByteSource& bytes, const ZipEntry& entry, std::string_view label,
                           const ZipLimits& limits = {});

/// An archive as Python's zipfile writes one, all times 1980-01-01. InputError where an entry or the archive
/// would need zip64.
class ZipWriter {
 public:
  void add(std::string_view name, std::string_view content, bool deflate);
  std::string finish();

 private:
  std::string bytes_;
  std::string directory_;
  std::size_t entries_ = 0;
};

}  // namespace normcheck
