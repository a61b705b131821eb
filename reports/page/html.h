// Pieces of the page: escaped text, cells that are never blank, and where each number comes from.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace normcheck::page {

using Json = nlohmann::ordered_json;

/// Harmless between tags and in a quoted attribute; control characters become U+FFFD.
std::string escaped(std::string_view text);

/// The value at "a/b/0" below `value`; null where there is none.
const Json& at(const Json& value, std::string_view path);
/// Its elements; none if it is no array.
std::span<const Json> items(const Json& value);
/// A string as it is, else "".
std::string string_of(const Json& value);
/// A number, or "nan", "inf", "-inf" as the schema spells them; NaN for all else.
double number_of(const Json& value);
bool is_number(const Json& value);

/// How a value is spelled. `count` is an integer with its thousands apart; `percent` is a share of 1; a
/// `bound` that is not finite is "no bound"; a `command` gets a button that copies it.
enum class Show : std::uint8_t { text, code, number, count, percent, verdict, bound, command };

/// HTML, never empty: a null is "not run", and what is no text or number is its JSON.
std::string shown(const Json& value, Show show);

/// "<code class=cmd>": a command, which the script gives a button that copies it; "not run" for null.
std::string command(const Json& text);

/// The class of its cell: a colour, and a glyph beside it.
std::string_view verdict_class(std::string_view verdict);

struct Column {
  std::string_view head;
  std::string_view unit;  ///< "" for text
  std::string_view key;   ///< path below the row's pointer
  Show show = Show::number;
  std::string_view none = "not run";  ///< what a null says
};

/// What the page's own test compares again in the browser: pointers into results.json and their values.
class Trace {
 public:
  /// Remembers one of every seven that it is told of, from the first on.
  void seen(std::string_view pointer, const Json& value);
  /// JSON, safe inside a script element.
  std::string table() const;

 private:
  std::size_t count_ = 0;
  std::vector<std::pair<std::string, Json>> kept_;
};

/// "<th>...<th>...": each column with its unit and, for the reader of a pointer, its key.
std::string head_cells(std::span<const Column> columns);
/// The same as the whole head of a table.
std::string head_row(std::span<const Column> columns);
/// "<td>...<td>...": the values of `row`, which lies at `pointer`.
std::string cells(const Json& row, std::string_view pointer, std::span<const Column> columns, Trace& trace);
/// A table of the elements of `rows`, which lie at `pointer`, one row each; a sentence if there are none.
/// `attributes` go into the table element.
std::string table(const Json& rows, std::string_view pointer, std::span<const Column> columns, Trace& trace,
                  std::string_view attributes = "");
/// A box that scrolls by itself where it is too wide; `label` is for readers who do not see it.
std::string box(std::string_view label, std::string_view body);
/// A value within a sentence, with its pointer.
std::string traced(const Json& results, std::string_view pointer, Show show, Trace& trace);
/// The paragraph of a part that the results do not have.
std::string not_run(std::string_view what);
std::string section(std::string_view id, std::string_view title, std::string_view body);

}  // namespace normcheck::page
