// Files that survive a kill and a power cut once they are announced, and the lock of a state folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck {

/// Writes beside, syncs, renames, syncs the folder: afterwards the file is there whole, whatever happens.
/// InputError if it cannot.
void write_durably(const std::filesystem::path& path, std::string_view bytes);

/// Puts `fresh` in the place of `place`. Stopped between its two renames, it leaves `place`.old, which
/// settle_folder puts back.
void replace_folder(const std::filesystem::path& fresh, const std::filesystem::path& place);
/// Undoes what was stopped halfway: puts `place`.old back where `place` is missing, removes it and
/// `place`.new otherwise.
void settle_folder(const std::filesystem::path& place);

/// The regular files of a folder by name (not of its subfolders); empty where there is no folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder);

/// The bytes of disk that everything under a folder takes, as far as it stays while it is looked at. A corpus
/// is thousands of small files, each of which takes a block.
std::uint64_t disk_use(const std::filesystem::path& folder);

/// FOLDER/lock, held from construction until this process and every process started from it has ended: they
/// inherit the open file on purpose, so that nobody takes the folder over while something still writes there.
class Lock {
 public:
  /// InputError that names the holder if a live run has it. One whose run is gone, but not yet its last
  /// child, is waited for, up to ten seconds.
  explicit Lock(const std::filesystem::path& folder);
  ~Lock();
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  /// Who left it without saying that it ended ("pid 123, started 2025-01-02T03:04:05Z"); else empty.
  const std::string& taken_over() const { return taken_over_; }

 private:
  int file_ = -1;
  std::string taken_over_;
};

}  // namespace normcheck
