// The merge, by libFuzzer's inner step over a control file.
#include "fuzz/night/merge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <unordered_set>

#include "corpus/case_file.h"
#include "fuzz/night/durable.h"
#include "fuzz/night/process.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> by_size_then_name(const fs::path& corpus) {
  std::vector<std::pair<std::uintmax_t, fs::path>> sized;
  for (const fs::path& file : files_in(corpus)) sized.emplace_back(fs::file_size(file), file);
  std::sort(sized.begin(), sized.end());
  std::vector<fs::path> out;
  for (auto& [size, file] : sized) out.push_back(std::move(file));
  return out;
}

/// The numbers of a line behind its first word.
std::vector<std::uint32_t> numbers(std::string_view line) {
  std::vector<std::uint32_t> out;
  std::uint32_t value = 0;
  for (const char* at = line.data(); at != line.data() + line.size();) {
    const auto [next, error] = std::from_chars(at, line.data() + line.size(), value);
    if (error == std::errc()) out.push_back(value);
    at = next == at ? at + 1 : next;
  }
  return out;
}

}  // namespace

ControlFile read_control_file(const std::string& text, std::int64_t files) {
  ControlFile out;
  out.features.resize(static_cast<std::size_t>(files));
  out.finished.resize(static_cast<std::size_t>(files));
  std::size_t at = 0;
  for (std::size_t end = text.find('\n'); end != text.npos; at = end + 1, end = text.find('\n', at)) {
    const std::string_view line = std::string_view(text).substr(at, end - at);
    const bool features = line.starts_with("FT ");
    if (!features && !line.starts_with("STARTED ")) continue;
    std::vector<std::uint32_t> told = numbers(line);
    if (told.empty() || told[0] >= out.features.size()) continue;
    const std::uint32_t index = told[0];
    out.started = std::max(out.started, std::int64_t{index} + 1);
    if (!features) continue;
    out.features[index].assign(told.begin() + 1, told.end());
    out.finished[index] = true;
  }
  return out;
}

MergeResult merge_corpus(const std::vector<std::string>& target_words, const fs::path& corpus,
                         const fs::path& work, double limit_seconds) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<fs::path> files = by_size_then_name(corpus);
  const auto count = static_cast<std::int64_t>(files.size());
  MergeResult out;
  out.before = count;

  const fs::path control = work / "merge.control";
  std::string head = fmt::format("{}\n0\n", count);
  for (const fs::path& file : files) head += file.string() + "\n";
  write_file_atomically(control, head);
  Command step{target_words, {}, work / "merge.log"};
  step.words.insert(step.words.end(), {"-merge_control_file=" + control.string(), "-merge_inner=1"});

  ControlFile told;
  for (std::int64_t before = -1; told.started < count && told.started != before;) {  // until no step gets on
    before = told.started;
    step.limit_seconds =
        limit_seconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (step.limit_seconds <= 0) break;
    const Ended ended = run_command(step);
    told = read_control_file(read_file(control), count);
    if (ended.out_of_time) {
      // The one that was running when time ended is as little known as those behind it.
      if (told.started > 0 && !told.finished[static_cast<std::size_t>(told.started - 1)]) --told.started;
      break;
    }
  }
  out.complete = told.started >= count;

  const fs::path fresh = corpus.string() + ".new";
  fs::remove_all(fresh);
  fs::create_directories(fresh);
  std::unordered_set<std::uint32_t> seen;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<std::size_t>(i);
    bool keep = i >= told.started;
    if (!keep && !told.finished[k]) ++out.crashed;
    for (const std::uint32_t feature : told.features[k]) keep |= seen.insert(feature).second;
    if (!keep) continue;
    fs::copy_file(files[k], fresh / files[k].filename());
    ++out.after;
  }
  out.features = static_cast<std::int64_t>(seen.size());
  if (out.before != 0 && seen.empty()) {  // it ran nothing: no reason to drop anything
    fs::remove_all(fresh);
    out.after = out.before;
    out.complete = false;
    return out;
  }
  replace_folder(fresh, corpus);
  fs::remove(control);
  return out;
}

}  // namespace normcheck
