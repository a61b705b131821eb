// Durable writes by fsync and rename, and the lock by flock.
#include "fuzz/night/durable.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <thread>

#include "corpus/error.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::string_view expected) {
  throw InputError(fmt::format("{}: {}; expected {}", path.string(), std::strerror(errno), expected));
}

void sync(const fs::path& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC);
  if (file < 0) refuse(path, "what was just written");
  // A file system that cannot sync a folder says EINVAL; nothing better can be had there.
  const bool kept = fsync(file) == 0 || errno == EINVAL;
  close(file);
  if (!kept) refuse(path, "a disk that takes what is written");
}

void write_all(int file, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(path, "a place to write to");
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

fs::path beside(const fs::path& path, const char* ending) { return path.string() + ending; }

std::string read_start(int file) {
  std::string out(200, '\0');
  const ssize_t n = pread(file, out.data(), out.size(), 0);
  out.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

/// "pid 123, started ...": is there a process 123? A number that was given to another process since says
/// yes; then the lock is refused in the wait's place, and only while it is held at all.
bool is_alive(const std::string& holder) {
  pid_t pid = 0;
  if (std::sscanf(holder.c_str(), "pid %d", &pid) != 1 || pid <= 0) return false;
  return kill(pid, 0) == 0 || errno == EPERM;
}

}  // namespace

void write_durably(const fs::path& path, std::string_view bytes) {
  const fs::path fresh = beside(path, fmt::format(".{}.part", getpid()).c_str());
  const int file = open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) refuse(fresh, "a place to write to");
  write_all(file, bytes, fresh);
  close(file);
  sync(fresh, O_RDONLY);
  if (rename(fresh.c_str(), path.c_str()) != 0) refuse(path, "a name that can be taken");
  sync(path.has_parent_path() ? path.parent_path() : fs::path("."), O_RDONLY | O_DIRECTORY);
}

void replace_folder(const fs::path& fresh, const fs::path& place) {
  for (const fs::path& file : files_in(fresh)) sync(file, O_RDONLY);
  sync(fresh, O_RDONLY | O_DIRECTORY);
  fs::remove_all(beside(place, ".old"));
  if (fs::exists(place)) fs::rename(place, beside(place, ".old"));
  fs::rename(fresh, place);
  sync(place.parent_path(), O_RDONLY | O_DIRECTORY);
  fs::remove_all(beside(place, ".old"));
}

void settle_folder(const fs::path& place) {
  if (!fs::exists(place) && fs::exists(beside(place, ".old"))) fs::rename(beside(place, ".old"), place);
  fs::remove_all(beside(place, ".old"));
  fs::remove_all(beside(place, ".new"));
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> out;
  if (!fs::is_directory(folder)) return out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.is_regular_file()) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::uint64_t disk_use(const fs::path& folder) {
  constexpr std::uint64_t unit = 512;  // of st_blocks, whatever the file system's own
  std::uint64_t out = 0;
  std::error_code gone;  // files come and go while targets run
  for (fs::recursive_directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
    struct stat file {};
    if (lstat(at->path().c_str(), &file) == 0) out += static_cast<std::uint64_t>(file.st_blocks) * unit;
  }
  return out;
}

Lock::Lock(const fs::path& folder) {
  const fs::path path = folder / "lock";
  file_ = open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (file_ < 0) refuse(path, "a state folder that can be written to");
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const std::string holder = read_start(file_);
    if (errno != EWOULDBLOCK || is_alive(holder) || std::chrono::steady_clock::now() > patience) {
      close(file_);
      throw InputError(fmt::format("{}: held by {}; expected a state folder that no run is using",
                                   path.string(), holder.empty() ? "another run" : holder));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  taken_over_ = read_start(file_);
  const std::string mine =
      fmt::format("pid {}, started {:%Y-%m-%dT%H:%M:%SZ}\n", getpid(), fmt::gmtime(std::time(nullptr)));
  if (ftruncate(file_, 0) != 0 || pwrite(file_, mine.data(), mine.size(), 0) < 0)
    refuse(path, "room for a line");
}

Lock::~Lock() {
  [[maybe_unused]] const int emptied = ftruncate(file_, 0);
  close(file_);
}

}  // namespace normcheck
