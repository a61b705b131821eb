// Sorts probes by what they came to.
#include "reports/probes_text.h"

#include <fmt/format.h>

#include <map>

#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr std::size_t head_width = 14;
constexpr const char* note_head = "NOTE";

/// One of the lines: where it stands, and its head.
struct Outcome {
  int place;
  std::string head;
  bool good = false;
  friend bool operator<(const Outcome& a, const Outcome& b) {
    return std::pair(a.place, a.head) < std::pair(b.place, b.head);
  }
};

Outcome outcome(const ProbeTally& t) {
  if (!t.left_out.empty()) return {9, "left out"};
  if (t.findings + t.seen > 0) return {0, "finding"};
  if (t.masked > 0) return {1, "wrong anyway"};
  if (!t.notes.empty()) return {2, note_head};
  if (t.is_given_up()) return {8, "NOT RUN"};
  const bool right = t.of(Verdict::pass) + t.of(Verdict::refused) > 0 || t.probe->watch;
  if (right && t.proves_nothing) return {4, "VACUOUS"};
  if (right) return {3, "PASS", true};
  if (t.of(Verdict::vacuous) + t.of(Verdict::void_bound) > 0) return {6, "no bound"};
  return {5, "UNSUPPORTED"};
}

std::string cell(const ProbeTally& t) {
  const std::string name(t.probe->name);
  if (!t.left_out.empty()) return fmt::format("{} ({})", name, t.left_out);
  if (t.findings > 0) return fmt::format("{} ({} of {})", name, t.findings, counted(t.calls(), "call"));
  if (t.seen > 0) return fmt::format("{} ({})", name, counted(t.seen, "time"));
  const std::int64_t unsupported = t.of(Verdict::unsupported);
  if (unsupported > 0 && unsupported < t.calls() && t.of(Verdict::pass) > 0)
    return fmt::format("{} ({} UNSUPPORTED)", name, unsupported);
  return name;
}

}  // namespace

std::string not_judged(const ProbeTally& tally) {
  const Outcome of = outcome(tally);
  if (of.good || of.head == note_head) return {};
  return tally.left_out.empty() ? of.head : fmt::format("{}: {}", of.head, tally.left_out);
}

std::string probes_text(const SweepEntry& entry, const Style& style) {
  if (entry.probes.empty()) return {};
  std::map<Outcome, std::string> lines;
  std::int64_t calls = 0, ran = 0;
  for (const ProbeTally& t : entry.probes) {
    calls += t.calls();
    ran += t.left_out.empty() ? 1 : 0;
    std::string& line = lines[outcome(t)];
    line += fmt::format("{}{}", line.empty() ? "" : t.left_out.empty() ? " " : ", ", cell(t));
  }
  std::string out = fmt::format("  probes: {} of {}, {}\n", ran, entry.probes.size(), counted(calls, "call"));
  for (const auto& [of, names] : lines) {
    const std::string head = fmt::format("{:<{}}", of.head, head_width);
    out += fmt::format("    {}{}",
                       of.place == 0 ? style.red(head)
                       : of.good     ? style.green(head)
                                     : head,
                       wrapped(names, 4 + head_width));
  }
  return out;
}

std::string entry_notes(const SweepEntry& entry) {
  std::string out;
  for (const std::string& note : entry.notes)
    out += fmt::format("NOTE  {} {}: {}\n", entry.row->name, dtype_name(entry.dtype), note);
  for (const ProbeTally& t : entry.probes) {
    if (t.notes.empty()) continue;
    out += fmt::format(
        "NOTE  {} {}, probe {}: {}{}\n", entry.row->name, dtype_name(entry.dtype), t.probe->name,
        t.notes.front(),
        t.notes.size() > 1
            ? fmt::format(" ({} in all)", counted(static_cast<std::int64_t>(t.notes.size()), "such call"))
            : "");
  }
  return out;
}

}  // namespace normcheck
