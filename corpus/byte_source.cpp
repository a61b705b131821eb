// Files by pread, so that a dump of many gigabytes costs what is read of it.
#include "corpus/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, std::uint64_t size, int file)
      : ByteSource(std::move(name), size), file_(file) {}
  ~FileSource() override { ::close(file_); }

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    constexpr std::size_t most = std::size_t{1} << 30;  // of a call
    while (!out.empty()) {
      const ssize_t got =
          ::pread(file_, out.data(), std::min(out.size(), most), static_cast<::off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0)
        throw InputError(fmt::format("{}: cannot be read: {}", name(),
                                     got < 0 ? std::strerror(errno) : "it became shorter meanwhile"));
      out = out.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
  }
  using ByteSource::read;

 private:
  int file_;
};

class StringSource final : public ByteSource {
 public:
  StringSource(std::string bytes, std::string name)
      : ByteSource(std::move(name), bytes.size()), bytes_(std::move(bytes)) {}

  void read(std::uint64_t offset, std::span<std::byte> out) const override {
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }
  using ByteSource::read;

 private:
  std::string bytes_;
};

}  // namespace

std::string ByteSource::read(std::uint64_t offset, std::size_t count) const {
  std::string out(count, '\0');
  read(offset, std::as_writable_bytes(std::span(out)));
  return out;
}

std::shared_ptr<const ByteSource> open_bytes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return bytes_of(read_file(path), path.string());
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ::off_t size = file < 0 ? -1 : ::lseek(file, 0, SEEK_END);
  if (size < 0) {
    const int cause = errno;
    if (file >= 0) ::close(file);
    throw InputError(fmt::format("{}: cannot be read: {}", path.string(), std::strerror(cause)));
  }
  return std::make_shared<FileSource>(path.string(), static_cast<std::uint64_t>(size), file);
}

std::shared_ptr<const ByteSource> bytes_of(std::string bytes, std::string name) {
  return std::make_shared<StringSource>(std::move(bytes), std::move(name));
}

std::uint64_t little_endian(std::string_view bytes, std::size_t count) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data(), count);
  return out;
}

void append_little_endian(std::string& out, std::uint64_t value, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 255);
}

}  // namespace normcheck
