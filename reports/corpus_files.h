// Finds the corpus and reads its cases, in a fixed order.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// A case of the corpus. `group` is "corpus/public" (inputs from public bug reports),
/// "corpus/cases" or "corpus/worst" (rows built so that rounding errors add up).
struct CorpusCase {
  std::string group;
  std::string file;  ///< relative to the corpus folder
  Case problem;
};

/// The folder given with --corpus (InputError if it is none), else the source tree's, else the installed
/// one beside this program (../share/normcheck/corpus); nullopt if there is none.
std::optional<std::filesystem::path> find_corpus(const std::string& given);

/// All cases under public/ and cases/, sorted by path. InputError for an unreadable one.
std::vector<CorpusCase> load_corpus(const std::filesystem::path& folder);

}  // namespace normcheck
