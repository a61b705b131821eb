// Compares two reports, entry by entry.
#include "reports/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "corpus/replay_line.h"
#include "reports/numbers.h"
#include "reports/results/reader.h"

namespace normcheck {
namespace {

std::string word(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  std::string out = value.is_string() ? value.get<std::string>() : std::string();
  // No byte of a document steers a terminal or ends a row of a table.
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return out;
}
std::optional<double> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return is_number(value) ? std::optional(number_of(value)) : std::nullopt;
}

/// How bad a verdict is: what proves less is worse than PASS, and a finding worse than all that are none.
constexpr std::array<std::string_view, 3> proves_less = {"VACUOUS", "VOID", "UNSUPPORTED"};
constexpr std::array<std::string_view, 5> findings = {"SUSPECT", "FAIL", "TIMEOUT", "CRASH", "NOT RUN"};
constexpr int first_finding = 10;
int rank(const std::string& verdict) {
  const auto found = std::find(findings.begin(), findings.end(), verdict);
  if (found != findings.end()) return first_finding + static_cast<int>(found - findings.begin());
  const auto less = std::find(proves_less.begin(), proves_less.end(), verdict);
  return less == proves_less.end() ? 0 : 1 + static_cast<int>(less - proves_less.begin());
}
bool is_finding_rank(int r) { return r >= first_finding; }

struct Cell {
  std::string impl, dtype, regime, verdict, contract, worst;
  bool right = true;  ///< it is expected to pass
  std::optional<double> error, share;
};

std::map<std::string, Cell> cells_of(const Json& results) {
  std::map<std::string, Cell> out;
  for (const Json& entry : list_in(results, "entries")) {
    for (const Json& regime : list_in(entry, "regimes")) {
      Cell cell{word(entry, "impl"),
                word(entry, "dtype"),
                word(regime, "regime"),
                word(regime, "verdict"),
                word(entry, "contract"),
                word(member(regime, "largest"), "case"),
                word(entry, "expect") == "pass",
                {},
                {}};
      const Json& largest = member(regime, "largest");
      cell.error = number(largest, "error_ulp");
      cell.share = number(regime, "largest_share_of_bound");
      out.emplace(cell.impl + "\n" + cell.dtype + "\n" + cell.regime, std::move(cell));
    }
  }
  return out;
}

/// What was judged by no number, and NaN, is worse than any error.
double badness(const std::optional<double>& v) { return v && !std::isnan(*v) ? *v : INFINITY; }
bool same(const std::optional<double>& a, const std::optional<double>& b) {
  return a.has_value() == b.has_value() && badness(a) == badness(b);
}
/// Short, or, where that is the same for both, every digit.
std::string told(double v, double other) {
  return short_number(v) == short_number(other) ? exact_decimal(v) : short_number(v);
}

std::string ulps(const std::optional<double>& v, const std::optional<double>& other = std::nullopt) {
  return v ? told(*v, other.value_or(NAN)) + " ulp" : "nothing judged";
}

/// Its largest error again, where its input was kept: at the root of the checkout.
std::string shown_by(const Cell& cell, const Json& results) {
  for (const Json& c : list_in(results, "cases")) {
    if (!cell.worst.empty() && word(c, "id") == cell.worst)
      return replay_line(built_command,
                         replay_arguments(word(c, member(c, "input").is_string() ? "input" : "file"),
                                          cell.impl, cell.contract));
  }
  std::string out = fmt::format("check {} --dtype {}", shell_word(cell.impl), cell.dtype);
  if (!cell.regime.starts_with("corpus/")) out += fmt::format(" --regime {}", cell.regime);
  const auto seed = number(member(results, "plan"), "seed");
  if (seed) out += fmt::format(" --seed {:.0f}", *seed);
  const auto budget = number(results, "budget_evaluations");
  if (budget && *budget > 0) out += fmt::format(" --budget {:.0f}", *budget);
  return out;
}

class Comparison {
 public:
  Comparison(const Json& before, const Json& after) : before_(before), after_(after) {}

  ResultsDiff run() {
    notes();
    entries();
    found();
    champions();
    std::stable_sort(diff_.lines.begin(), diff_.lines.end(), [](const DiffLine& a, const DiffLine& b) {
      return std::pair(a.change, !a.finding) < std::pair(b.change, !b.finding);
    });
    return std::move(diff_);
  }

 private:
  void note_if_other(const char* part, const char* name, std::string_view what) {
    const Json &a = member(member(before_, part), name), &b = member(member(after_, part), name);
    if (a != b) diff_.notes.push_back(fmt::format("{}: {} before, {} now", what, a.dump(), b.dump()));
  }
  void notes() {
    note_if_other("plan", "seed", "another seed");
    note_if_other("plan", "budget_evaluations", "another budget");
    note_if_other("plan", "budget_seconds", "a budget in seconds");
    note_if_other("plan", "contract", "another contract");
    note_if_other("run", "instruction_set", "another instruction set");
    note_if_other("run", "version", "another version of normcheck");
    note_if_other("run", "compiler", "another compiler");
  }
  void add(Change change, bool finding, std::string subject, std::string was, std::string now,
           std::string command) {
    diff_.lines.push_back(
        {change, finding, std::move(subject), std::move(was), std::move(now), std::move(command)});
  }

  void entries() {
    const auto old_cells = cells_of(before_), new_cells = cells_of(after_);
    std::set<std::string> expectations;
    for (const auto& [key, now] : new_cells) {
      const std::string subject = fmt::format("{} {}, {}", now.impl, now.dtype, now.regime);
      const auto at = old_cells.find(key);
      if (at == old_cells.end()) {
        if (is_finding_rank(rank(now.verdict)))
          add(Change::appeared, now.right, subject, "", now.verdict + ", " + ulps(now.error),
              shown_by(now, after_));
        continue;
      }
      ++diff_.compared;
      const Cell& was = at->second;
      if (was.right != now.right)
        expectations.insert(fmt::format("{} {}: expected to {} before, to {} now", now.impl, now.dtype,
                                        was.right ? "pass" : "fail", now.right ? "pass" : "fail"));
      const int before = rank(was.verdict), behind = rank(now.verdict);
      if (before != behind) {
        // Less is proven than before, or it fails: of what was or is expected to pass.
        add(behind > before ? Change::worse : Change::better,
            (was.right || now.right) && is_finding_rank(behind), subject,
            was.verdict + ", " + ulps(was.error), now.verdict + ", " + ulps(now.error),
            shown_by(now, after_));
      } else if (!same(was.error, now.error)) {
        add(badness(now.error) > badness(was.error) ? Change::worse : Change::better, false,
            subject + ", largest known error", ulps(was.error, now.error), ulps(now.error, was.error),
            shown_by(now, after_));
      } else if (was.share && now.share && !same(was.share, now.share)) {
        add(*now.share > *was.share ? Change::worse : Change::better, false,
            subject + ", largest share of the bound", told(*was.share, *now.share),
            told(*now.share, *was.share), shown_by(now, after_));
      }
    }
    diff_.notes.insert(diff_.notes.end(), expectations.begin(), expectations.end());
    lost(old_cells, new_cells);
  }

  /// What the new report has no more: one line for an implementation that went as a whole.
  void lost(const std::map<std::string, Cell>& old_cells, const std::map<std::string, Cell>& new_cells) {
    const auto pair_of = [](const Cell& c) { return fmt::format("{} {}", c.impl, c.dtype); };
    std::set<std::string> there, told_of;
    for (const auto& [key, now] : new_cells) there.insert(pair_of(now));
    for (const auto& [key, was] : old_cells) {
      if (new_cells.contains(key)) continue;
      const std::string pair = pair_of(was);
      if (!there.contains(pair)) {
        if (told_of.insert(pair).second)
          add(Change::worse, was.right, pair + ", all of it", was.verdict, "not in the new report",
              shown_by(was, before_));
        continue;
      }
      add(Change::worse, was.right, pair + ", " + was.regime, was.verdict, "not in the new report",
          shown_by(was, before_));
    }
  }

  /// Findings are kept as files: by the case that they are on.
  void found() {
    const auto by_case = [](const Json& results) {
      std::map<std::string, Json> out;
      for (const Json& f : list_in(results, "findings"))
        out.emplace(
            word(f, "impl") + "\n" + word(f, "dtype") + "\n" + word(f, "case") + "\n" + word(f, "probe"), f);
      return out;
    };
    const auto was = by_case(before_), now = by_case(after_);
    const auto line = [&](Change change, const Json& f) {
      const std::string what = word(f, "verdict") + " on case " + word(f, "case");
      add(change, !is_true(f, "expected"),
          fmt::format("{} {}, {}", word(f, "impl"), word(f, "dtype"), word(f, "regime")),
          change == Change::gone ? what : "", change == Change::gone ? "" : what, word(f, "replay"));
    };
    for (const auto& [key, f] : now) {
      if (!was.contains(key)) line(Change::appeared, f);
    }
    for (const auto& [key, f] : was) {
      if (!now.contains(key)) line(Change::gone, f);
    }
  }

  void champions() {
    const auto by_place = [](const Json& results) {
      std::map<std::string, Json> out;
      for (const Json& c : list_in(results, "champions"))
        out.emplace(fmt::format("{} {}, n {:.0f}, {}", word(c, "impl"), word(c, "dtype"),
                                number(c, "n").value_or(0), word(c, "objective")),
                    c);
      return out;
    };
    const auto was = by_place(before_), now = by_place(after_);
    for (const auto& [place, c] : now) {
      const auto at = was.find(place);
      if (at == was.end()) continue;
      const auto old_error = number(at->second, "error_ulp"), error = number(c, "error_ulp");
      if (same(old_error, error)) continue;
      add(badness(error) > badness(old_error) ? Change::worse : Change::better, false,
          place + ": largest known error by attack", ulps(old_error, error), ulps(error, old_error),
          word(c, "command"));
    }
    for (const auto& [place, c] : was) {
      if (!now.contains(place))
        add(Change::gone, false, place + ": largest known error by attack", ulps(number(c, "error_ulp")), "",
            word(c, "command"));
    }
  }

  const Json &before_, &after_;
  ResultsDiff diff_;
};

constexpr std::array<std::string_view, 4> titles = {"Worse", "Better", "New", "Fixed or gone"};
constexpr std::int64_t most_lines = 40;  ///< of a kind: a comment on a pull request holds 65,536 characters
constexpr std::array<Change, 4> order = {Change::worse, Change::appeared, Change::gone, Change::better};

std::string summary(const ResultsDiff& diff) {
  std::array<std::size_t, 4> counts{};
  for (const DiffLine& l : diff.lines) ++counts[static_cast<std::size_t>(l.change)];
  return fmt::format(
      "{} worse, {} new, {} fixed or gone, {} better, of {} pairs of implementation, dtype and regime in "
      "both",
      counts[0], counts[2], counts[3], counts[1], grouped(diff.compared));
}

std::string in_cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|')
      out += "\\|";
    else if (c == '\n')
      out += ' ';
    else if (c == '<')
      out += "&lt;";
    else
      out += c;
  }
  return out.empty() ? "-" : out;
}

/// "`normcheck ...`", or "-": a backtick would end it.
std::string as_code(const std::string& command) {
  if (command.empty()) return "-";
  std::string text = command.starts_with("normcheck ") ? command : "normcheck " + command;
  std::replace(text.begin(), text.end(), '`', '\'');
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return "`" + out + "`";
}

}  // namespace

ResultsDiff diff_results(const nlohmann::ordered_json& before, const nlohmann::ordered_json& after) {
  return Comparison(before, after).run();
}

std::string diff_text(const ResultsDiff& diff, const std::string& program) {
  std::string out;
  for (const std::string& note : diff.notes) out += "NOTE  " + note + "\n";
  for (const Change change : order) {
    bool any = false;
    for (const DiffLine& l : diff.lines) {
      if (l.change != change) continue;
      if (!any) out += fmt::format("\n{}\n", titles[static_cast<std::size_t>(change)]);
      any = true;
      out += fmt::format("  {}\n    {} -> {}\n", l.subject, l.was.empty() ? "-" : l.was,
                         l.now.empty() ? "-" : l.now);
      if (!l.command.empty()) {
        const bool whole = l.command.starts_with("normcheck ");
        out += fmt::format("    {} {}\n", program, whole ? l.command.substr(10) : l.command);
      }
    }
  }
  return out + (out.empty() ? "" : "\n") + summary(diff) + "\n";
}

std::string diff_markdown(const ResultsDiff& diff) {
  std::string out = "**normcheck**: " + summary(diff) + "\n";
  if (!diff.notes.empty()) {
    out += "\nNumbers may differ though no implementation changed:\n";
    for (const std::string& note : diff.notes) out += "- " + in_cell(note) + "\n";
  }
  for (const Change change : order) {
    const auto of = std::count_if(diff.lines.begin(), diff.lines.end(),
                                  [&](const DiffLine& l) { return l.change == change; });
    if (of == 0) continue;
    out += fmt::format("\n### {} ({})\n\n| what | before | now | shown by |\n|---|---|---|---|\n",
                       titles[static_cast<std::size_t>(change)], of);
    std::int64_t shown = 0;
    for (const DiffLine& l : diff.lines) {
      if (l.change != change || ++shown > most_lines) continue;
      out += fmt::format("| {} | {} | {} | {} |\n", in_cell(l.subject), in_cell(l.was), in_cell(l.now),
                         as_code(l.command));
    }
    if (of > most_lines)
      out += fmt::format("\nand {} more: `normcheck diff` without `--markdown` lists all\n", of - most_lines);
  }
  return out;
}

}  // namespace normcheck
