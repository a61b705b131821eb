// Compares two reports, entry by entry.
#include "reports/diff/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "corpus/replay_line.h"
#include "reports/numbers.h"
#include "reports/results/reader.h"

namespace normcheck {
namespace {

std::string word(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}
std::optional<double> number(const Json& object, std::string_view name) {
  const Json& value = member(object, name);
  return is_number(value) ? std::optional(number_of(value)) : std::nullopt;
}

/// How bad a verdict is: a finding above all that are none.
constexpr std::array<std::string_view, 5> findings = {"SUSPECT", "FAIL", "TIMEOUT", "CRASH", "NOT RUN"};
int rank(const std::string& verdict) {
  const auto at = std::find(findings.begin(), findings.end(), verdict);
  return at == findings.end() ? 0 : 1 + static_cast<int>(at - findings.begin());
}

struct Cell {
  std::string impl, dtype, regime, verdict;
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

std::string ulps(const std::optional<double>& v) { return v ? short_number(*v) + " ulp" : "nothing judged"; }

std::string shown_by(const Cell& cell, const Json& results) {
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
    for (const auto& [key, now] : new_cells) {
      const std::string subject = fmt::format("{} {}, {}", now.impl, now.dtype, now.regime);
      const auto at = old_cells.find(key);
      if (at == old_cells.end()) {
        if (rank(now.verdict) > 0)
          add(Change::appeared, now.right, subject, "", now.verdict + ", " + ulps(now.error),
              shown_by(now, after_));
        continue;
      }
      ++diff_.compared;
      const Cell& was = at->second;
      if (rank(was.verdict) != rank(now.verdict)) {
        add(rank(now.verdict) > rank(was.verdict) ? Change::worse : Change::better, now.right, subject,
            was.verdict + ", " + ulps(was.error), now.verdict + ", " + ulps(now.error),
            shown_by(now, after_));
      } else if (was.error != now.error) {
        const bool worse = now.error.value_or(-1) > was.error.value_or(-1);
        add(worse ? Change::worse : Change::better, false, subject + ", largest known error", ulps(was.error),
            ulps(now.error), shown_by(now, after_));
      } else if (was.share != now.share && was.share && now.share) {
        add(*now.share > *was.share ? Change::worse : Change::better, false,
            subject + ", largest share of the bound", short_number(*was.share), short_number(*now.share),
            shown_by(now, after_));
      }
    }
    for (const auto& [key, was] : old_cells) {
      if (new_cells.contains(key) || rank(was.verdict) == 0) continue;
      add(Change::gone, true,
          fmt::format("{} {}, {}: not in the new report", was.impl, was.dtype, was.regime), was.verdict, "",
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
      if (old_error == error) continue;
      add(error.value_or(-1) > old_error.value_or(-1) ? Change::worse : Change::better, false,
          place + ": largest known error by attack", ulps(old_error), ulps(error), word(c, "command"));
    }
  }

  const Json &before_, &after_;
  ResultsDiff diff_;
};

constexpr std::array<std::string_view, 4> titles = {"Worse", "Better", "New", "Fixed or gone"};
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
    for (const DiffLine& l : diff.lines) {
      if (l.change == change)
        out += fmt::format("| {} | {} | {} | {} |\n", in_cell(l.subject), in_cell(l.was), in_cell(l.now),
                           as_code(l.command));
    }
  }
  return out;
}

}  // namespace normcheck
