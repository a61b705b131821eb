// Cuts a `.case` into lines and words.
#include "corpus/case_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "corpus/error.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::string_view kSpace = " \t\r";

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
}

}  // namespace

std::string_view Words::next() {
  const std::size_t start = rest_.find_first_not_of(kSpace);
  if (start == std::string_view::npos || rest_[start] == '#') {
    rest_ = {};
    return {};
  }
  rest_.remove_prefix(start);
  const std::string_view word = rest_.substr(0, rest_.find_first_of(kSpace));
  rest_.remove_prefix(word.size());
  return word;
}

std::string_view Words::rest() {
  const std::size_t start = rest_.find_first_not_of(kSpace);
  if (start == std::string_view::npos) return {};
  return rest_.substr(start, rest_.find_last_not_of(kSpace) + 1 - start);
}

Lines::Lines(std::string_view text, std::string_view name) : rest_(text), name_(name) { advance(); }

void Lines::advance() {
  while (!rest_.empty()) {
    ++number_;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    if (const auto bad = std::find_if(line_.begin(), line_.end(), is_control); bad != line_.end()) {
      fail("text",
           fmt::format("a control character {} in column {}", shown(std::string_view(bad, bad + 1)),
                       bad - line_.begin() + 1),
           "text");
    }
    if (end == std::string_view::npos) {
      fail("text", "the file ends inside this line", "a newline at its end");
    }
    rest_.remove_prefix(end + 1);
    first_word_ = words().next();
    if (!first_word_.empty()) return;
  }
  line_ = {};
  first_word_ = {};
  at_end_ = true;
}

void Lines::fail_at(std::size_t line, std::string_view field, std::string_view found,
                    std::string_view expected) const {
  throw InputError(fmt::format("{}:{}: {}: {}; expected {}", name_, std::max<std::size_t>(line, 1), field,
                               found, expected));
}

std::string_view Lines::need(std::string_view field, Words& words, std::string_view expected) const {
  const std::string_view word = words.next();
  if (word.empty()) fail(field, "the line ends", expected);
  return word;
}

void Lines::expect_end(std::string_view field, Words& words) const {
  const std::string_view word = words.next();
  if (!word.empty()) fail(field, shown(word), "the end of the line");
}

}  // namespace normcheck
