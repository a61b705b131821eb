// Whole files in and out; a file that exists is always a whole one.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = std::size_t{1} << 32;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void fail(const fs::path& path, std::string_view what, int error) {
  throw InputError(fmt::format("{}: {}: {}", path.string(), what, std::strerror(error)));
}

// 0, or errno of what went wrong.
int write_bytes(const fs::path& path, std::string_view bytes, const char* mode) {
  File file(std::fopen(path.c_str(), mode), &std::fclose);
  if (!file) return errno;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file.get()) == bytes.size();
  const int write_error = errno;
  if (std::fclose(file.release()) != 0) return errno;
  return written ? 0 : write_error;
}

}  // namespace

std::string read_file(const fs::path& path) {
  // A device or a pipe may have no end, or never begin.
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  if (type == fs::file_type::character || type == fs::file_type::fifo || type == fs::file_type::socket)
    throw InputError(fmt::format("{}: is a device or a pipe; expected a file", path.string()));
  errno = 0;
  const File file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) fail(path, "cannot be read", errno);
  std::string out;
  char chunk[65536];
  std::size_t got = 0;
  while ((got = std::fread(chunk, 1, sizeof chunk, file.get())) > 0) {
    out.append(chunk, got);
    if (out.size() > kMaxFile) {
      throw InputError(fmt::format("{}: over 4 GiB; expected a smaller file", path.string()));
    }
  }
  if (std::ferror(file.get()) != 0) fail(path, "cannot be read", errno);
  return out;
}

void write_file_atomically(const fs::path& path, std::string_view bytes) {
  static std::atomic<unsigned> count = 0;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    if (const int cause = write_bytes(path, bytes, "wb")) fail(path, "cannot be written", cause);
    return;
  }
  // Through a symbolic link to the file itself: a rename would replace the link.
  fs::path target = fs::exists(status) ? fs::canonical(path, error) : path;
  if (error || target.empty()) target = path;
  fs::path beside = target;
  beside += fmt::format(".{}-{}.tmp", ::getpid(), count++);
  if (const int cause = write_bytes(beside, bytes, "wbx")) {
    if (cause != EEXIST) fs::remove(beside, error);
    fail(path, "cannot be written", cause);
  }
  fs::rename(beside, target, error);
  if (error) {
    const int cause = error.value();
    fs::remove(beside, error);
    fail(path, "cannot be written", cause);
  }
}

Case read_case(const fs::path& path) { return parse_case(read_file(path), path.string()); }

void write_case(const fs::path& path, const Case& c) { write_file_atomically(path, format_case(c)); }

}  // namespace normcheck
