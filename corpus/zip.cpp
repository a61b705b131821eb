// Archives are read from their end: the directory is what counts, and nothing in it is believed unchecked.
#include "corpus/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "corpus/deflate.h"
#include "corpus/error.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::size_t kEnd = 22, kLocator = 20, kEnd64 = 56, kCentral = 46, kLocal = 30;
constexpr std::uint64_t kFull16 = 0xffff, kFull32 = 0xffffffff;  // "see zip64"

[[noreturn]] void fail(std::string_view name, std::string_view field, std::string_view found,
                       std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}; expected {}", name, field, found, expected));
}

std::uint64_t at(std::string_view bytes, std::size_t offset, std::size_t count) {
  return little_endian(bytes.substr(offset), count);
}

/// Where the directory lies, from the archive's end.
struct End {
  std::uint64_t entries = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
  std::uint64_t behind = 0;  ///< where what follows the directory starts
};

void read_end64(const ByteSource& bytes, std::uint64_t end, End& e) {
  const std::string& name = bytes.name();
  if (end < kLocator) fail(name, "zip64", "no locator before the end record", "one of 20 bytes");
  const std::string locator = bytes.read(end - kLocator, kLocator);
  if (!locator.starts_with("PK\x06\x07")) fail(name, "zip64", shown(locator.substr(0, 4)), "a locator");
  const std::uint64_t start = at(locator, 8, 8);
  if (at(locator, 4, 4) != 0 || at(locator, 16, 4) > 1) fail(name, "zip64", "over one disk", "one file");
  if (end < kLocator + kEnd64 || start > end - kLocator - kEnd64)
    fail(name, "zip64", fmt::format("end record at byte {}", start), "it to lie before its locator");
  const std::string record = bytes.read(start, kEnd64);
  if (!record.starts_with("PK\x06\x06")) fail(name, "zip64", shown(record.substr(0, 4)), "an end record");
  if (at(record, 16, 4) != 0 || at(record, 20, 4) != 0 || at(record, 24, 8) != at(record, 32, 8))
    fail(name, "zip64", "over one disk", "one file");
  e = {at(record, 32, 8), at(record, 40, 8), at(record, 48, 8), start};
}

End read_end(const ByteSource& bytes) {
  const std::string& name = bytes.name();
  if (bytes.size() < kEnd)
    fail(name, "archive", fmt::format("{} bytes", bytes.size()), "a .zip, 22 at least");
  const std::uint64_t from = bytes.size() - std::min<std::uint64_t>(bytes.size(), kEnd + kFull16);
  const std::string tail = bytes.read(from, static_cast<std::size_t>(bytes.size() - from));
  std::size_t place = tail.size() - kEnd + 1;
  do {
    place = place == 0 ? tail.npos : tail.rfind("PK\x05\x06", place - 1);
    if (place == tail.npos) fail(name, "archive", "no end record", "one at the end: is the file whole?");
  } while (at(tail, place + 20, 2) != tail.size() - place - kEnd);  // the comment's length
  const std::string_view record = std::string_view(tail).substr(place);
  const std::uint64_t end = from + place;
  if (at(record, 4, 2) != 0 || at(record, 6, 2) != 0 || at(record, 8, 2) != at(record, 10, 2))
    fail(name, "archive", "over one disk", "one file");
  End e{at(record, 10, 2), at(record, 12, 4), at(record, 16, 4), end};
  if (e.entries == kFull16 || e.size == kFull32 || e.offset == kFull32) read_end64(bytes, end, e);
  if (e.size > e.behind || e.offset != e.behind - e.size)
    fail(name, "directory", fmt::format("{} bytes at byte {}", e.size, e.offset),
         fmt::format("it to end at byte {}, where the end record starts", e.behind));
  return e;
}

/// Takes from the zip64 field of `extra` what did not fit in 32 bits, in the order of the fields.
void read_extra64(std::string_view extra, std::vector<std::uint64_t*> fields, std::string_view label) {
  std::erase_if(fields, [](const std::uint64_t* field) { return *field != kFull32; });
  while (!fields.empty()) {
    if (extra.size() < 4) fail(label, "zip64", "no field with the sizes", "one");
    const std::uint64_t id = at(extra, 0, 2), size = at(extra, 2, 2);
    if (size > extra.size() - 4) fail(label, "zip64", "an extra field that passes its end", "whole fields");
    if (id == 1) {
      if (size < 8 * fields.size()) fail(label, "zip64", fmt::format("{} bytes", size), "8 for each size");
      for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = at(extra, 4 + 8 * i, 8);
      return;
    }
    extra.remove_prefix(4 + static_cast<std::size_t>(size));
  }
}

/// Each ends where the next one starts, or the directory.
void set_limits(std::vector<ZipEntry>& entries, std::uint64_t directory, std::string_view archive) {
  std::vector<ZipEntry*> sorted;
  for (ZipEntry& entry : entries) sorted.push_back(&entry);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ZipEntry* a, const ZipEntry* b) { return a->offset < b->offset; });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    sorted[i]->limit = i + 1 < sorted.size() ? sorted[i + 1]->offset : directory;
    if (sorted[i]->limit <= sorted[i]->offset)
      fail(archive, shown(sorted[i]->name), fmt::format("starts at byte {}", sorted[i]->offset),
           "each entry in a place of its own, before the directory");
  }
}

const char* method_name(unsigned method) {
  switch (method) {
    case 1:
      return " (shrink)";
    case 6:
      return " (implode)";
    case 9:
      return " (deflate64)";
    case 12:
      return " (bzip2)";
    case 14:
      return " (lzma)";
    case 93:
      return " (zstd)";
    case 95:
      return " (xz)";
    case 99:
      return " (AES encryption)";
    default:
      return "";
  }
}

/// Where the data start. The header before them says the same as the directory, or leaves it open.
std::uint64_t data_start(const ByteSource& bytes, const ZipEntry& entry, std::string_view label) {
  const std::uint64_t room = entry.limit - entry.offset;
  if (room < kLocal) fail(label, "header", fmt::format("{} bytes", room), "30");
  const std::string head = bytes.read(entry.offset, kLocal);
  if (!head.starts_with("PK\x03\x04")) fail(label, "header", shown(head.substr(0, 4)), "'PK\\x03\\x04'");
  const std::size_t name_size = at(head, 26, 2), extra_size = at(head, 28, 2);
  const std::uint64_t all = kLocal + name_size + extra_size;
  if (room < all || room - all < entry.packed)
    fail(label, "size", fmt::format("{} bytes", entry.packed),
         fmt::format("at most the {} before the next entry", room < all ? 0 : room - all));
  const std::string text = bytes.read(entry.offset + kLocal, name_size + extra_size);
  if (text.substr(0, name_size) != entry.name)
    fail(label, "header", fmt::format("names {}", shown(text.substr(0, name_size))), "the directory's name");
  if (at(head, 8, 2) != entry.method || ((at(head, 6, 2) ^ entry.flags) & 1) != 0)
    fail(label, "header", fmt::format("method {}", at(head, 8, 2)), "what the directory says");
  constexpr unsigned behind = 8;  // sizes and checksum follow the data, as where the output cannot seek
  if ((at(head, 6, 2) & behind) == 0) {
    std::uint64_t size = at(head, 22, 4), packed = at(head, 18, 4);
    read_extra64(std::string_view(text).substr(name_size), {&size, &packed}, label);
    if (size != entry.size || packed != entry.packed || at(head, 14, 4) != entry.crc)
      fail(label, "header",
           fmt::format("size {} of {} bytes, checksum {:08x}", size, packed, at(head, 14, 4)),
           fmt::format("{} of {}, {:08x}, as the directory says", entry.size, entry.packed, entry.crc));
  }
  return entry.offset + all;
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const ByteSource& bytes) {
  const End end = read_end(bytes);
  const std::string text = bytes.read(end.offset, static_cast<std::size_t>(end.size));
  std::string_view rest = text;
  std::vector<ZipEntry> entries;
  std::set<std::string_view> names;
  while (!rest.empty()) {
    if (rest.size() < kCentral || !rest.starts_with("PK\x01\x02"))
      fail(bytes.name(), "directory", shown(rest.substr(0, 4)), "an entry, 'PK\\x01\\x02'");
    const std::size_t name = at(rest, 28, 2), extra = at(rest, 30, 2), comment = at(rest, 32, 2);
    if (rest.size() - kCentral < name + extra + comment)
      fail(bytes.name(), "directory", "its last entry passes its end", "whole entries");
    ZipEntry entry;
    entry.name = rest.substr(kCentral, name);
    entry.flags = static_cast<std::uint16_t>(at(rest, 8, 2));
    entry.method = static_cast<std::uint16_t>(at(rest, 10, 2));
    entry.crc = static_cast<std::uint32_t>(at(rest, 16, 4));
    entry.packed = at(rest, 20, 4);
    entry.size = at(rest, 24, 4);
    entry.offset = at(rest, 42, 4);
    if (at(rest, 34, 2) != 0 && at(rest, 34, 2) != kFull16)
      fail(bytes.name(), shown(entry.name), "on another disk", "one file");
    read_extra64(rest.substr(kCentral + name, extra), {&entry.size, &entry.packed, &entry.offset},
                 bytes.name());
    if (!names.insert(rest.substr(kCentral, name)).second)
      fail(bytes.name(), "directory", fmt::format("{} twice", shown(entry.name)), "each name once");
    entries.push_back(std::move(entry));
    rest.remove_prefix(kCentral + name + extra + comment);
  }
  if (entries.size() != end.entries)
    fail(bytes.name(), "directory", fmt::format("{} entries", entries.size()),
         fmt::format("{}, as the end record says", end.entries));
  set_limits(entries, end.offset, bytes.name());
  return entries;
}

std::string read_zip_entry(const ByteSource& bytes, const ZipEntry& entry, std::string_view label,
                           const ZipLimits& limits) {
  constexpr unsigned encrypted = 1 | 1 << 6 | 1 << 13;
  constexpr std::uint64_t most_of_deflate = 1032;  // 258 bytes for two bits
  if ((entry.flags & encrypted) != 0) fail(label, "flags", "encrypted", "an entry without a password");
  if (entry.method != 0 && entry.method != 8)
    fail(label, "method", fmt::format("{}{}", entry.method, method_name(entry.method)),
         "0 (stored) or 8 (deflate)");
  if (entry.size > limits.size)
    fail(label, "size", fmt::format("{} bytes", entry.size), fmt::format("at most {}", limits.size));
  if (entry.method == 0 && entry.size != entry.packed)
    fail(label, "size", fmt::format("{} bytes stored in {}", entry.size, entry.packed), "as many");
  if (entry.method == 8 && entry.size / most_of_deflate > entry.packed)
    fail(label, "size", fmt::format("{} bytes from {}", entry.size, entry.packed),
         "at most 1032 times as many, which is what deflate can come to");
  const std::uint64_t start = data_start(bytes, entry, label);
  std::string content = entry.method == 0 ? bytes.read(start, static_cast<std::size_t>(entry.size))
                                          : inflated(bytes, start, entry.packed, entry.size, label);
  if (limits.check_crc && checksum(content) != entry.crc)
    fail(label, "checksum", fmt::format("{:08x}", checksum(content)),
         fmt::format("{:08x}: the content is damaged", entry.crc));
  return content;
}

void ZipWriter::add(std::string_view name, std::string_view content, bool deflate) {
  const std::string packed = deflate ? deflated(content) : std::string(content);
  if (name.size() > kFull16 || content.size() >= kFull32 || packed.size() >= kFull32 ||
      bytes_.size() + packed.size() >= kFull32 - kFull16 || entries_ >= kFull16 - 1)
    throw InputError(
        fmt::format("{}: {} bytes; expected an archive below 4 GiB", shown(name), content.size()));
  std::string common;  // what header and directory have alike
  append_little_endian(common, 20, 2);
  append_little_endian(common, 0, 2);
  append_little_endian(common, deflate ? 8 : 0, 2);
  append_little_endian(common, 0x00210000, 4);  // 1980-01-01, 00:00
  append_little_endian(common, checksum(content), 4);
  append_little_endian(common, packed.size(), 4);
  append_little_endian(common, content.size(), 4);
  append_little_endian(common, name.size(), 2);
  append_little_endian(common, 0, 2);  // no extra fields
  directory_ += "PK\x01\x02";
  append_little_endian(directory_, 0x0314, 2);  // made on Unix
  directory_ += common;
  append_little_endian(directory_, 0, 6);            // no comment, disk 0, no attributes
  append_little_endian(directory_, 0600u << 16, 4);  // a file
  append_little_endian(directory_, bytes_.size(), 4);
  directory_ += name;
  bytes_ += "PK\x03\x04";
  bytes_ += common;
  bytes_ += name;
  bytes_ += packed;
  ++entries_;
}

std::string ZipWriter::finish() {
  std::string end = "PK\x05\x06";
  append_little_endian(end, 0, 4);
  append_little_endian(end, entries_, 2);
  append_little_endian(end, entries_, 2);
  append_little_endian(end, directory_.size(), 4);
  append_little_endian(end, bytes_.size(), 4);
  append_little_endian(end, 0, 2);
  return bytes_ + directory_ + end;
}

}  // namespace normcheck
