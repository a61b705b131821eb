// The lines and words of a `.case`, and the one form of its errors.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace normcheck {

/// The words of one line, up to a comment: a word that starts with '#' ends the line.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}
  /// The next word; empty at the end.
  std::string_view next();
  /// All that is left, comment signs included, without spaces at either end.
  std::string_view rest();

 private:
  std::string_view rest_;
};

/// The lines that hold a word, in order, with one line of look-ahead.
class Lines {
 public:
  Lines(std::string_view text, std::string_view name);

  bool at_end() const { return at_end_; }
  /// The current line's number from 1; at the end, that of the last line.
  std::size_t number() const { return number_; }
  Words words() const { return Words(line_); }
  std::string_view first_word() const { return first_word_; }  ///< empty at the end
  void advance();

  /// Throws InputError "NAME:LINE: FIELD: FOUND; expected EXPECTED".
  [[noreturn]] void fail_at(std::size_t line, std::string_view field, std::string_view found,
                            std::string_view expected) const;
  [[noreturn]] void fail(std::string_view field, std::string_view found, std::string_view expected) const {
    fail_at(number_, field, found, expected);
  }

  /// The next word, or the error that the line ends before `expected`.
  std::string_view need(std::string_view field, Words& words, std::string_view expected) const;
  /// The error for a word that is left over.
  void expect_end(std::string_view field, Words& words) const;

 private:
  std::string_view rest_;
  std::string_view name_;
  std::string_view line_;
  std::string_view first_word_;
  std::size_t number_ = 0;
  bool at_end_ = false;
};

}  // namespace normcheck
