// The terminal: colour and progress only where a person is watching.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace normcheck {

/// Whether stdout is a terminal and NO_COLOR is not set.
bool colour_wanted();

/// What a terminal is taken to hold: lists and tables are no wider.
inline constexpr std::size_t line_columns = 100;
/// `text` and a newline; where it would pass line_columns it goes on in the next line, under `column`, where
/// it starts. Broken at spaces.
std::string wrapped(std::string_view text, std::size_t column);

/// Wraps text in a colour, or returns it as it is.
struct Style {
  bool on = false;
  std::string red(std::string_view text) const { return wrap("31;1", text); }
  std::string green(std::string_view text) const { return wrap("32", text); }
  std::string yellow(std::string_view text) const { return wrap("33", text); }
  std::string bold(std::string_view text) const { return wrap("1", text); }
  std::string dim(std::string_view text) const { return wrap("2", text); }
  std::string wrap(std::string_view code, std::string_view text) const;
};

/// One line on stderr, redrawn in place, and only if stderr is a terminal. Its destructor clears it.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `done` of `total` steps; `label` is what runs now.
  void step(std::string_view label, double done, double total);
  void clear();

 private:
  bool on_;
  std::chrono::steady_clock::time_point begun_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace normcheck
