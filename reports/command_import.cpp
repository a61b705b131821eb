// normcheck import: cases of a user's tensors, to replay, minimise and keep.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/commands.h"
#include "reports/dump_problem.h"
#include "reports/numbers.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// The name as a part of a file's, and as an id: letters, digits, '_', '.' and '-', not '.' or '-' first.
std::string plain_name(const std::string& name) {
  std::string out = name.substr(0, 100);
  for (char& c : out) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
    if (!plain) c = '-';
  }
  if (!out.empty() && (out[0] == '.' || out[0] == '-')) out[0] = '_';
  return out.empty() ? "case" : out;
}

fs::path path_of(const Options& options, const ProblemSource& source, bool several) {
  const fs::path out = options.case_out;
  if (!several) return out;
  return out.parent_path() / fmt::format("{}-{}.case", out.stem().string(), plain_name(source.name));
}

std::string note_of(const ProblemSource& source) {
  return source.folder.empty() ? taken_text(source.sources) : source.folder;
}

}  // namespace

Exit run_import(const Options& options) {
  const std::vector<ProblemSource> problems = find_problems(options.names, options, false);
  require_writable(fs::absolute(options.case_out).parent_path(), "-o");
  std::vector<std::pair<fs::path, std::string>> texts;  // all are made before any is written
  std::string lines;
  for (const ProblemSource& source : problems) {
    Problem p = read_problem(source, options);
    const fs::path path = path_of(options, source, problems.size() > 1);
    std::error_code error;
    if (!options.force && fs::exists(path, error))
      throw InputError(fmt::format("{}: is there already; expected a new name, or --force", path.string()));
    for (const auto& [other, text] : texts) {
      if (other == path) throw InputError(fmt::format("{}: two layers have this name", path.string()));
    }
    p.c.id = plain_name(path.stem().string());
    const std::string note = "imported: " + note_of(source);
    if (note.find_first_of("\n\r\t") == note.npos) p.c.notes.push_back(note);
    texts.emplace_back(path, format_case(p.c));
    lines += fmt::format("{}  {}  eps {}\n", path.string(), problem_text(p.c), exact_decimal(p.c.eps));
  }
  for (const auto& [path, text] : texts) write_file_atomically(path, text);
  fmt::print("{}", lines);
  return Exit::well;
}

}  // namespace normcheck
