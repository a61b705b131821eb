// Spells replay lines for a shell.
#include "corpus/replay_line.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck {

std::string shell_word(std::string_view word) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_./:@%+,-").find(c) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string replay_arguments(const std::string& file, std::string_view impl, std::string_view contract) {
  // A file whose name starts with a dash would be read as an option.
  const std::string path = file.starts_with('-') ? "./" + file : file;
  std::string out = "replay " + shell_word(path);
  if (contract != "stable") out += " --contract " + shell_word(contract);
  if (!impl.empty()) out += " --impl " + shell_word(impl);
  return out;
}

std::string replay_line(std::string_view command, std::string_view arguments) {
  return arguments.empty() ? std::string() : fmt::format("{} {}", command, arguments);
}

}  // namespace normcheck
