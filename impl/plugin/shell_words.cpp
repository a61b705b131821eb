// Splits a command line as a shell would, and runs none.
#include <fmt/format.h>

#include "corpus/error.h"
#include "impl/plugin/plugin.h"

namespace normcheck {

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> out;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (quote == '\'') {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\\' && next != '\0' &&
               (quote == 0 || std::string_view("\"\\$`").find(next) != std::string_view::npos)) {
      word += next;
      in_word = true;
      ++i;
    } else if (quote == '"') {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (in_word) out.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (quote != 0) throw InputError(fmt::format("'{}': a {} is not closed", line, quote));
  if (in_word) out.push_back(word);
  if (out.empty()) throw InputError("an empty command line; expected a program and its arguments");
  return out;
}

}  // namespace normcheck
