// The verdict table: an implementation and dtype a row, opened to its regimes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "corpus/replay_line.h"
#include "reports/page/parts.h"

namespace normcheck::page {
namespace {

constexpr std::size_t every = std::numeric_limits<std::size_t>::max();
constexpr std::string_view unjudged = "none judged";

/// Of a tally: a total or a regime.
constexpr std::array<Column, 7> tally_columns = {
    {{"verdicts", "cases", "verdicts", Show::verdict},
     {"largest known", "ulp", "largest_finite/error_ulp", Show::number, unjudged},
     {"proven bound there", "ulp", "largest_finite/allowed_ulp", Show::bound, unjudged},
     {"p99 seen", "ulp", "p99_ulp", Show::number, unjudged},
     {"not RN", "of judged", "share_not_correctly_rounded", Show::percent, unjudged},
     {"largest known share", "of its bound", "largest_share_of_bound", Show::bound, unjudged},
     {"largest known", "u, normwise", "largest_normwise_finite/error_u", Show::number, unjudged}}};

enum Group : std::uint8_t { best_known, right, wrong };

/// The rows that everyone asks about: direct finish, accumulated in the dtype itself, in f32 for halves.
bool is_best_known(const std::string& impl, const std::string& dtype) {
  for (const std::string_view algorithm : {"naive", "two_pass", "welford", "chan"}) {
    if (impl == fmt::format("{}/{}", algorithm, dtype == "f64" ? "f64" : "f32")) return true;
  }
  return false;
}

Group group_of(const Json& entry) {
  if (is_best_known(string_of(at(entry, "impl")), string_of(at(entry, "dtype")))) return best_known;
  return at(entry, "expect") == "pass" ? right : wrong;
}

/// One word where all cases agree, else each with its count, what is wrong first. Cases that were refused or
/// not supported are left out where others were judged.
std::string verdicts_cell(const Json& tally) {
  constexpr std::array<std::string_view, 7> judged = {"CRASH", "TIMEOUT", "FAIL",   "SUSPECT",
                                                      "PASS",  "VOID",    "VACUOUS"};
  const Json& counts = at(tally, "verdicts");
  std::string text;
  std::string_view first;
  std::size_t kinds = 0;
  for (const std::string_view verdict : judged) {
    const Json& count = at(counts, verdict);
    if (!count.is_number_integer() || count == 0) continue;
    if (kinds++ == 0) first = verdict;
    text += fmt::format("{}{} {}", kinds == 1 ? "" : ", ", verdict, shown(count, Show::count));
  }
  if (kinds == 0) return fmt::format("<td class=U>{}", shown(at(tally, "verdict"), Show::verdict));
  return fmt::format("<td class={}>{}", verdict_class(first), kinds == 1 ? first : text);
}

/// The cells of one tally. An error that is no number follows the largest that is one.
std::string tally_cells(const Json& tally, const std::string& pointer, Trace& trace) {
  std::string out;
  for (const Column& c : tally_columns) {
    const Json& value = at(tally, c.key);
    trace.seen(fmt::format("{}/{}", pointer, c.key), value);
    if (c.key == "verdicts") {
      out += verdicts_cell(tally);
      continue;
    }
    out += "<td>";
    // What has no error was not judged by number: refused, void, or a wrong class.
    out += value.is_null() ? std::string(c.none) : shown(value, c.show);
    if (c.key == "largest_finite/error_ulp" && at(tally, "largest/error_ulp") == "inf") out += "; ∞";
  }
  return out;
}

std::string cost_cell(const Json& results, const std::string& impl, Trace& trace) {
  const auto all = items(at(results, "implementations"));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (at(all[i], "name") != impl) continue;
    const Json& ratio = at(all[i], "time_ratio_to_two_pass");
    const std::string pointer = fmt::format("/implementations/{}/time_ratio_to_two_pass", i);
    trace.seen(pointer, ratio);
    return fmt::format("<td data-from=\"{}\">{}", pointer, shown(ratio, Show::number));
  }
  return "<td class=x>not run";
}

/// The command that shows the largest known error again, where its input was kept.
std::string replay_cell(const Json& results, const Json& entry) {
  const Json& tally = at(entry, "total");
  const Json& finite = at(tally, "largest_finite/case");
  const Json& id = finite.is_null() ? at(tally, "largest/case") : finite;
  if (id.is_null()) return "<td class=x>none judged";
  for (const Json& kept : items(at(results, "cases"))) {
    const std::string input = string_of(at(kept, "input"));
    if (at(kept, "id") != id || input.empty()) continue;
    const std::string contract = string_of(at(entry, "contract"));
    const std::string line = replay_line(
        built_command,
        replay_arguments(input, string_of(at(entry, "impl")), contract.empty() ? "stable" : contract));
    return "<td class=t>" + command(Json(line));
  }
  return "<td class=x>not kept";
}

/// The regimes to show, at most `most` of them, in their order: those that fail first, then those that take
/// most of their bound.
std::vector<std::size_t> chosen(std::span<const Json> regimes, std::size_t most) {
  std::vector<std::size_t> out(regimes.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (most >= out.size()) return out;
  const auto rank = [&](std::size_t i) {
    const double share = number_of(at(regimes[i], "largest_share_of_bound"));
    return std::pair(at(regimes[i], "verdict") == "PASS" ? 1 : 0, std::isnan(share) ? 0.0 : -share);
  };
  std::stable_sort(out.begin(), out.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  out.resize(most);
  std::sort(out.begin(), out.end());
  return out;
}

std::string entry_rows(const Json& results, std::size_t index, std::size_t most, Trace& trace) {
  const Json& entry = at(at(results, "entries"), std::to_string(index));
  const std::string pointer = fmt::format("/entries/{}", index);
  const std::string impl = string_of(at(entry, "impl"));
  const auto regimes = items(at(entry, "regimes"));
  const std::vector<std::size_t> shown_ones = chosen(regimes, most);
  std::string out = fmt::format(
      "<tbody class=e data-from=\"{}\">\n<tr><th><details><summary>{}</summary><small>{} regimes "
      "below</small></details>",
      pointer, impl.empty() ? "(no name)" : escaped(impl), shown_ones.size());
  const std::string dtype = "<td>" + shown(at(entry, "dtype"), Show::text);
  out += dtype + tally_cells(at(entry, "total"), pointer + "/total", trace) +
         cost_cell(results, impl, trace) + replay_cell(results, entry) + "\n";
  for (const std::size_t r : shown_ones) {
    out += fmt::format("<tr{}><th>{}{}{}\n",
                       shown_ones.size() < regimes.size() ? fmt::format(" data-i={}", r) : "",
                       shown(at(regimes[r], "regime"), Show::text), dtype,
                       tally_cells(regimes[r], fmt::format("{}/regimes/{}", pointer, r), trace));
  }
  if (shown_ones.size() < regimes.size())
    out += fmt::format(
        "<tr class=rest><th>{} more<td class=x colspan={}>in results.csv: those shown fail, or take most of "
        "their "
        "bound\n",
        regimes.size() - shown_ones.size(), tally_columns.size() + 1);
  return out + "</tbody>\n";
}

std::string head() {
  constexpr std::array<Column, 2> first = {
      {{"implementation, opened: its regimes", "", "impl", Show::text}, {"dtype", "", "dtype", Show::text}}};
  constexpr std::array<Column, 1> last = {{{"time", "of two_pass", "", Show::number}}};
  return fmt::format("<thead><tr>{}{}{}<th scope=col class=t>replay</thead>\n", head_cells(first),
                     head_cells(tally_columns), head_cells(last));
}

std::string groups(const Json& results, std::size_t most, Trace& trace) {
  const auto entries = items(at(results, "entries"));
  constexpr std::array<std::string_view, 3> titles = {"The best known", "Other right implementations",
                                                      "Implementations that fail, or are expected to"};
  std::string out;
  for (const Group group : {best_known, right, wrong}) {
    std::string rows;
    std::size_t count = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (group_of(entries[i]) != group) continue;
      ++count;
      rows += entry_rows(results, i, group == best_known ? every : most, trace);
    }
    if (count == 0) continue;
    const std::string table =
        box(titles[group], fmt::format("<table class=\"verdicts sort filter\">{}{}</table>", head(), rows));
    const std::string title = fmt::format("{}: {} implementation-dtype pairs", titles[group], count);
    out += group == best_known
               ? fmt::format("<h3>{}</h3>\n{}", title, table)
               : fmt::format("<details class=part><summary>{}</summary>\n{}</details>\n", title, table);
  }
  return out;
}

/// The families that everyone asks about, over all their rows and dtypes.
std::string families(const Json& results, Trace& trace) {
  if (items(at(results, "four")).empty()) return "";
  constexpr std::array<Column, 6> columns = {
      {{"family", "", "family", Show::text},
       {"judged", "cases", "cases", Show::count},
       {"found wrong", "cases", "findings", Show::count},
       {"NaN or inf for a number", "", "nan_or_inf", Show::text},
       {"largest known share", "of its bound", "largest_share_of_bound", Show::bound},
       {"that share is of", "dtypes", "share_of", Show::text}}};
  return "<h3>The four that everyone asks about</h3>\n" +
         box("The four that everyone asks about", table(at(results, "four"), "/four", columns, trace)) +
         "<p>A share above 1 is an error past what is proven of a careful layer norm.</p>\n";
}

}  // namespace

std::string verdicts(const Json& results, std::size_t most_bytes, Trace& trace) {
  if (items(at(results, "entries")).empty())
    return section("verdicts", "Verdicts", not_run("No implementation was run"));
  const std::string text =
      "<p>An implementation and dtype a line, over all regimes; open it for each regime. <b>Largest "
      "known</b> is the "
      "largest finite error of y that was seen, in ulp of the exact value: nothing says that there is none "
      "larger. "
      "“; ∞” after it: a NaN or an infinity stood where a number was due, or the reverse. <b>Proven bound "
      "there</b> "
      "is what the contract allows that very element, a theorem evaluated on its row; “no bound” where none "
      "holds. "
      "Where the exact y is next to 0 an ulp is tiny, so the error against the size of the two terms that "
      "make y "
      "stands beside it, in u. <b>p99</b> is of the elements that were judged by number, rounded up by a "
      "sixteenth at "
      "most; <b>not RN</b> is the share of them that is not the correctly rounded y. <b>VOID</b>: no bound "
      "holds, so "
      "the number is neither right nor wrong; <b>VACUOUS</b>: the bound is so wide that it says "
      "nothing. <b>replay</b> shows "
      "the largest known finite error again, pasted at the root of a checkout.</p>\n";
  for (const std::size_t most : {every, std::size_t{24}, std::size_t{16}, std::size_t{8}, std::size_t{4},
                                 std::size_t{2}, std::size_t{1}}) {
    Trace tried = trace;
    std::string body = families(results, tried) + groups(results, most, tried);
    if (body.size() + text.size() > most_bytes && most > 1) continue;
    trace = tried;
    return section("verdicts", "Verdicts", text + body);
  }
  return "";
}

}  // namespace normcheck::page
