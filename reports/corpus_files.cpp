// Finds and reads the corpus.
#include "reports/corpus_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {

std::optional<std::filesystem::path> find_corpus(const std::string& given) {
  std::error_code error;
  if (!given.empty()) {
    for (const std::string part : {"", "public", "cases"}) {
      const auto wanted = part.empty() ? std::filesystem::path(given) : std::filesystem::path(given) / part;
      if (std::filesystem::is_directory(wanted, error)) continue;
      throw InputError(fmt::format("--corpus: {}: not a folder; expected one that holds public/ and cases/",
                                   wanted.string()));
    }
    return given;
  }
  const std::filesystem::path source = NORMCHECK_SOURCE_CORPUS;
  if (std::filesystem::is_directory(source, error)) return source;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  const auto installed = self.parent_path().parent_path() / "share" / "normcheck" / "corpus";
  if (std::filesystem::is_directory(installed, error)) return installed;
  return std::nullopt;
}

std::vector<CorpusCase> load_corpus(const std::filesystem::path& folder) {
  std::vector<CorpusCase> cases;
  for (const std::string part : {"public", "cases", "worst"}) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    for (std::filesystem::recursive_directory_iterator it(folder / part, error), end; !error && it != end;
         it.increment(error)) {
      if (it->path().extension() == ".case") files.push_back(it->path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      cases.push_back({"corpus/" + part, std::filesystem::relative(file, folder).string(), read_case(file)});
    }
  }
  return cases;
}

}  // namespace normcheck
