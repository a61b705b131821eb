// One target's night: what it found before is run again, then it fuzzes, and its corpus is merged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/night/baseline.h"

namespace normcheck {

/// A planted defect is one that must be found. Its target's name ends with "_planted".
bool is_planted(std::string_view target);

/// What a target is to do. Everything lies in the state folder: STATE/<name>/{corpus,seeds,artifacts,...},
/// STATE/findings.
struct TargetPlan {
  std::string name;
  std::filesystem::path program;
  std::filesystem::path state;
  std::filesystem::path seeds;          ///< may be missing
  std::vector<std::string> flags;       ///< of libFuzzer, from <name>.options
  std::vector<BaselineEntry> baseline;  ///< the entries of this target
  double fuzz_seconds = 0;              ///< filled in as it starts, as is the next
  double merge_seconds = 0;
  std::uint32_t seed = 1;
  std::int64_t corpus_expected = 0;  ///< inputs that the corpus had at the end of the last night
  std::string today;
};

struct TargetResult {
  std::string name;
  std::vector<std::string> faults;  ///< why it is red by itself: dead, ran nothing, corpus vanished, hung
  std::vector<std::string> notes;
  std::int64_t executions = 0, coverage = 0, features = 0;
  std::int64_t corpus_before = 0, corpus_grown = 0, corpus_after = 0;
  std::vector<std::string> found;    ///< names of the findings that this night saw, old ones too
  std::vector<std::string> fresh;    ///< those of them that were not kept before
  std::vector<Replayed> replayed;    ///< the entries of the baseline
  std::vector<std::string> records;  ///< lines of figures of the target's own
  double seconds = 0;                ///< of fuzzing
  double processor_seconds = 0;      ///< of all its processes; filled in by the night
  std::int64_t peak_kib = 0;
};

/// As text, and back; for the worker to tell the night. InputError for what is not such a text.
std::string result_text(const TargetResult& result);
TargetResult read_result(const std::string& text);

/// Runs it all, in this process and its children. A new finding is announced by a line on stdout ("finding
/// NAME: WORDS") once its file is durable. Never throws for what a target does.
TargetResult run_target(const TargetPlan& plan);

/// The flags in an .options file of the form that OSS-Fuzz reads ("[libfuzzer]", then "max_len = 4096");
/// `dict` is taken relative to the file. Empty if there is no such file.
std::vector<std::string> read_flags(const std::filesystem::path& options);

}  // namespace normcheck
