// Bytes to read from: a file, read where it is asked for and never as a whole, or a string.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace normcheck {

class ByteSource {
 public:
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  const std::string& name() const { return name_; }  ///< for messages
  std::uint64_t size() const { return size_; }       ///< bytes

  /// Fills `out` with the bytes from `offset` on. They must lie within the size; InputError where the file
  /// no longer gives them.
  virtual void read(std::uint64_t offset, std::span<std::byte> out) const = 0;
  std::string read(std::uint64_t offset, std::size_t count) const;

 protected:
  ByteSource(std::string name, std::uint64_t size) : name_(std::move(name)), size_(size) {}

 private:
  std::string name_;
  std::uint64_t size_;
};

/// A file; what is no regular one (a pipe) is read whole. InputError with the path if it cannot be read.
std::shared_ptr<const ByteSource> open_bytes(const std::filesystem::path& path);
std::shared_ptr<const ByteSource> bytes_of(std::string bytes, std::string name);

/// `count` bytes, at most 8, from the start of `bytes`, which has them: least significant first.
std::uint64_t little_endian(std::string_view bytes, std::size_t count);
/// Puts the lowest `count` bytes of `value` behind `out`, least significant first.
void append_little_endian(std::string& out, std::uint64_t value, std::size_t count);

}  // namespace normcheck
