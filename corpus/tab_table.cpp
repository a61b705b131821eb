// Every line is checked for its number of columns; what they hold is the reader's.
#include "corpus/tab_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out(1);
  for (const char c : text) {
    if (c == at) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

Columns::Columns(std::string where, std::string_view line, std::size_t wanted)
    : where_(std::move(where)), columns_(split(line, '\t')) {
  if (columns_.size() != wanted)
    throw InputError(fmt::format("{}: {} columns; expected {}", where_, columns_.size(), wanted));
}

std::string Columns::some(const char* what) {
  if (columns_[at_].empty()) fail(what);
  return text();
}

void Columns::fail(const char* what, const std::string& text) const {
  throw InputError(fmt::format("{}: '{}'; expected {}", where_, text, what));
}

void read_tab_table(const std::filesystem::path& file, std::string_view head,
                    const std::function<void(Columns&)>& take) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return;
  const auto wanted = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\t')) + 1;
  const std::vector<std::string> lines = split(read_file(file), '\n');
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string where = fmt::format("{}:{}", file.string(), i + 1);
    if (i == 0 && lines[i] != head)
      throw InputError(fmt::format("{}: expected the names of the columns: {}", where, head));
    if (i == 0 || lines[i].empty()) continue;
    Columns columns(std::move(where), lines[i], wanted);
    take(columns);
  }
}

}  // namespace normcheck
