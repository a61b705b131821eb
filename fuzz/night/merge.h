// Makes a corpus smaller: of inputs in order of size, those that reach something new stay.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace normcheck {

struct MergeResult {
  std::int64_t before = 0, after = 0;
  std::int64_t features = 0;
  std::int64_t crashed = 0;  ///< inputs that ended the target; they go
  bool complete = true;      ///< false: time ran out; what was not looked at stays
};

/// Merges `corpus` by the target (`target_words`: its path and flags) into a fresh folder that then takes its
/// place. Work files and the log go to `work`. A stop at any moment leaves the corpus as it was or as it is
/// to be.
///
/// libFuzzer's own -merge=1 takes files of one size in the order in which the file system lists them, so two
/// machines keep different ones; it starts its inner process through a shell; and a limit of time loses all
/// of it. So its inner step is run here, through its control file (compiler-rt, FuzzerMerge.h): the number of
/// files, 0, their names, to which the step adds "STARTED i size" and "FT i feature..." of the features that
/// no earlier file of the same process had. Names sorted by (size, name) make the result one of the content
/// alone. A file that was started and has no FT line ended the process; the step goes on behind it.
MergeResult merge_corpus(const std::vector<std::string>& target_words, const std::filesystem::path& corpus,
                         const std::filesystem::path& work, double limit_seconds);

/// For each of `files` files, the features that the control file says it has; `started` is how many were
/// begun. Lines that are cut short, as a kill leaves them, are passed over.
struct ControlFile {
  std::vector<std::vector<std::uint32_t>> features;
  std::vector<bool> finished;
  std::int64_t started = 0;
};
ControlFile read_control_file(const std::string& text, std::int64_t files);

}  // namespace normcheck
