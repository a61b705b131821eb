// Tables as text: a line of names, then a line each, with a tab between columns.
#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace normcheck {

/// The parts between the separators; of an empty text one that is empty.
std::vector<std::string> split(std::string_view text, char at);

/// Reads the columns of one line from left to right. What is not as expected is InputError "FILE:LINE: ...".
class Columns {
 public:
  /// `line` has `wanted` columns.
  Columns(std::string where, std::string_view line, std::size_t wanted);
  std::string text() { return columns_[at_++]; }
  /// A text that is not empty.
  std::string some(const char* what);
  template <class N>
  N number(const char* what) {
    return number_in<N>(columns_[at_++], what);
  }
  template <class N>
  N number_in(const std::string& text, const char* what) const {
    N out{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error != std::errc() || end != text.data() + text.size()) fail(what, text);
    return out;
  }
  /// What the last text was found to name.
  template <class T>
  T named(const std::optional<T>& found, const char* what) const {
    if (!found) fail(what, columns_[at_ - 1]);
    return *found;
  }
  [[noreturn]] void fail(const char* what, const std::string& text = "") const;
  const std::string& where() const { return where_; }

 private:
  std::string where_;
  std::vector<std::string> columns_;
  std::size_t at_ = 0;
};

/// Calls `take` with each line of the file but the first, which must be `head`, the names of the columns, and
/// empty ones. Nothing where there is no such file.
void read_tab_table(const std::filesystem::path& file, std::string_view head,
                    const std::function<void(Columns&)>& take);

}  // namespace normcheck
