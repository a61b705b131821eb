// Heartbeats and the Markdown summary.
#include "fuzz/night/summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace normcheck {
namespace {

/// A cell of a table holds no bar and no line end.
std::string cell(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (std::size_t at = text.find('|'); at != text.npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string state_of(const TargetResult& r) {
  if (!r.faults.empty()) return "RED: " + r.faults.front();
  if (is_planted(r.name)) return "ok, planted and found";
  return r.found.empty() ? "ok" : "found something";
}

std::string per_second(const TargetResult& r) {
  return r.seconds > 0 ? fmt::format("{:.0f}", static_cast<double>(r.executions) / r.seconds) : "-";
}

std::string corpus_text(const TargetResult& r) {
  return is_planted(r.name) ? "-"
                            : fmt::format("{} -> {} -> {}", r.corpus_before, r.corpus_grown, r.corpus_after);
}

std::string table(const NightReport& report) {
  std::string out =
      "| target | executions | a second | corpus before -> grown -> merged | edges | features | findings | "
      "minutes | "
      "peak MiB | |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n";
  for (const TargetResult& r : report.targets) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {:.1f} | {} | {} |\n", r.name, r.executions,
                       per_second(r), corpus_text(r), r.coverage, r.features, r.found.size(), r.seconds / 60,
                       r.peak_kib / 1024, cell(state_of(r)));
  }
  return out;
}

std::string records(const NightReport& report) {
  std::string out;
  for (const TargetResult& r : report.targets) {
    for (const std::string& line : r.records) out += fmt::format("- {}: {}\n", r.name, line);
  }
  return out.empty() ? out : "\n## Records\n" + out;
}

std::string finding_text(const KeptFinding& f, const NightReport& report, bool accepted) {
  bool fresh = false;
  for (const TargetResult& r : report.targets) {
    fresh |= std::find(r.fresh.begin(), r.fresh.end(), f.name) != r.fresh.end();
  }
  const char* kind = is_planted(f.target) ? "planted: expected"
                     : accepted           ? "accepted by the baseline"
                     : fresh              ? "new"
                                          : "still open";
  std::string out = fmt::format("\n### {} ({}, since {})\n```\n{}```\nreplay: `{}`\n", f.name, kind, f.since,
                                f.excerpt, f.replay);
  if (!is_planted(f.target) && !accepted) {
    out += "\nTo accept it for a while, put its file beside the baseline and complete:\n```\n" +
           baseline_block(f.name, f.input, f.says) + "```\n";
  }
  return out;
}

}  // namespace

std::string heartbeat(const TargetResult& r) {
  const std::string corpus =
      is_planted(r.name) ? "" : fmt::format("corpus {} -> {}  ", r.corpus_before, r.corpus_after);
  return fmt::format("{:<24} {:>10} executions  {:>6}/s  {}features {}  findings {}  {}", r.name,
                     r.executions, per_second(r), corpus, r.features, r.found.size(), state_of(r));
}

std::string summary(const NightReport& report, const std::vector<BaselineEntry>& baseline) {
  const bool done = report.targets.size() == report.planned;
  std::string out = fmt::format("# Night {} of {}: {}\n\n", report.run, report.day,
                                !report.red.empty() ? "red"
                                : done              ? "green"
                                                    : "not finished");
  if (!done) out += fmt::format("{} of {} targets are done.\n\n", report.targets.size(), report.planned);
  for (const std::string& line : report.red) out += fmt::format("- RED {}\n", line);
  for (const std::string& line : report.notes) out += fmt::format("- {}\n", line);
  if (!report.red.empty() || !report.notes.empty()) out += "\n";
  out += table(report);
  out += fmt::format(
      "\nCost: {:.1f} minutes, {:.1f} processor minutes, {} at once; the largest process {} MiB; {:.1f} MiB "
      "on disk.\n",
      report.minutes, report.processor_minutes, report.jobs, report.peak_kib / 1024,
      static_cast<double>(report.disk_bytes) / (1 << 20));
  out += records(report);
  if (!report.findings.empty()) out += "\n## Findings\n";
  for (const KeptFinding& f : report.findings) out += finding_text(f, report, accepts(baseline, f.name));
  if (!baseline.empty()) {
    out += "\n## Baseline\n| finding | owner | expires | reason |\n|---|---|---|---|\n";
    for (const BaselineEntry& e : baseline) {
      out += fmt::format("| {} | {} | {} | {} |\n", e.finding, cell(e.owner), e.expires, cell(e.reason));
    }
  }
  return out;
}

}  // namespace normcheck
