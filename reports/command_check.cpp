// normcheck check: judges implementations over regimes, lengths, dtypes and the corpus.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/blind_zone.h"
#include "reports/check_baseline.h"
#include "reports/commands.h"
#include "reports/confirm.h"
#include "reports/console.h"
#include "reports/diagnosis.h"
#include "reports/junit.h"
#include "reports/numbers.h"
#include "reports/peers.h"
#include "reports/plugins.h"
#include "reports/probes_text.h"
#include "reports/render_json.h"
#include "reports/render_text.h"
#include "reports/select.h"
#include "reports/sweep.h"

namespace normcheck {
namespace {

constexpr std::size_t blocks_without_verbose = 5;

/// The findings to show, in order: what was not expected first, then the worst of each entry's regimes in
/// turn, so that no regime hides another.
std::vector<Finding*> in_order(std::vector<SweepEntry>& entries) {
  struct Ranked {
    bool expected;
    std::size_t within;  ///< of its regime; with what has no number, of its reason
    Finding* finding;
  };
  std::vector<Ranked> ranked;
  for (SweepEntry& entry : entries) {
    std::size_t within = 0;
    std::map<std::string, std::size_t> reasons;
    for (std::size_t i = 0; i < entry.findings.size(); ++i) {
      within = i > 0 && entry.findings[i].regime == entry.findings[i - 1].regime ? within + 1 : 0;
      const Judgement& j = entry.findings[i].judgement;
      // One exception is as good as another, wherever it was thrown.
      const std::size_t place = j.worst ? within : std::max(within, reasons[j.reason]++);
      ranked.push_back({entry.findings[i].expected, place, &entry.findings[i]});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return std::pair(a.expected, a.within) < std::pair(b.expected, b.within);
  });
  std::vector<Finding*> out;
  for (const Ranked& r : ranked) out.push_back(r.finding);
  return out;
}

/// Whether every implementation is judged: then one table has a line each, and only what nobody expected is
/// shown.
bool is_brief(const Options& options) { return options.names.empty() && !options.verbose; }

/// Prints the findings that are shown, each kept as a file first; returns those shown.
std::vector<const Finding*> show_findings(std::vector<SweepEntry>& entries, const Options& options,
                                          const Style& style) {
  std::vector<const Finding*> shown;
  for (Finding* finding : in_order(entries)) {
    if (!options.verbose && shown.size() == blocks_without_verbose) break;
    if (is_brief(options) && finding->expected) break;
    keep_finding(*finding, std::filesystem::path(options.out) / "found");
    if (names_a_plugin(finding->impl)) confirm(*finding, options);
    fmt::print("\n{}", finding_text(*finding, options.program, style));
    shown.push_back(finding);
  }
  return shown;
}

/// What the findings of an implementation that was asked for have in common.
void print_causes(std::vector<SweepEntry>& entries) {
  for (SweepEntry& entry : entries) {
    if (entry.findings.empty()) continue;
    const std::string text = cause_text(common_cause(entry));
    if (!text.empty()) fmt::print("diagnosis  {} {}: {}\n", entry.row->name, dtype_name(entry.dtype), text);
  }
}

/// How many.
std::size_t print_notes(const Tally& all) {
  std::size_t printed = 0;
  for (const auto& [note, times] : all.notes) {
    // The tables say what came out of range, regime by regime.
    if (note.starts_with("outside the safe range")) continue;
    fmt::print("NOTE  {} ({})\n", note, counted(times, "case"));
    ++printed;
  }
  return printed;
}

void print_summary(const Tally& all, std::int64_t probe_findings, std::size_t jobs, std::size_t shown,
                   Exit code, const Style& style) {
  const std::int64_t findings = all.findings() + probe_findings;
  fmt::print("{} of implementation and dtype: {}, {} elements: {}\n",
             counted(static_cast<std::int64_t>(jobs), "pair"), counted(all.evaluations, "evaluation"),
             grouped(all.counts.elements), shares_text(all.counts));
  if (findings > 0) {
    const std::string probes =
        probe_findings > 0 ? fmt::format(", {} of them by probes", probe_findings) : std::string();
    const std::string text =
        fmt::format("{} in {}{}", counted(findings, "finding"), counted(all.cases, "case"), probes);
    if (shown == 0) {
      fmt::print("{}, all of them expected (normcheck check IMPL, or --verbose, shows them)\n",
                 style.red(text));
    } else {
      fmt::print("{}, {} shown above, the worst of its regime first{}\n", style.red(text), shown,
                 static_cast<std::int64_t>(shown) < findings ? " (--verbose shows more)" : "");
    }
  } else {
    fmt::print("{} in {}\n", code == Exit::well ? style.green("no finding") : "no finding",
               counted(all.cases, "case"));
  }
  if (code == Exit::nothing_proved)
    fmt::print("{}\n", style.yellow("nothing was proved: no element lay inside a bound that says something"));
  fmt::print("exit {}\n", static_cast<int>(code));
}

/// Refuses, before anything is run, what could not be written after it.
void require_outputs(const Options& options) {
  require_writable(options.out, "--out");
  require_file(options.json, "--json");
  require_file(options.junit, "--junit");
}

/// What became of the list, and what to add to it where the finding is to be accepted.
void print_baseline(const BaselineResult& result, const Options& options, const Style& style) {
  fmt::print("baseline {}: {} accepted, {} expected of the implementation\n", options.baseline,
             counted(result.accepted, "finding"), result.expected);
  for (const std::string& line : result.red) fmt::print("{}  {}\n", style.red("RED"), line);
  if (!result.blocks.empty()) {
    fmt::print(
        "to accept what is new, keep its case with the list, complete the entry (input: as seen from the "
        "list's folder; expires: YYYY-MM-DD) and add it:\n");
    for (const std::string& block : result.blocks) fmt::print("\n{}", block);
  }
  fmt::print("\n");
}

/// Runs the jobs and prints a table of each as it is ready, or, where `brief`, a line of one table.
std::vector<SweepEntry> run_and_print(const std::vector<SweepJob>& jobs, const SweepPlan& plan, bool brief,
                                      const Style& style) {
  std::vector<SweepEntry> entries;
  std::map<DType, std::string> blind;
  const auto blind_text = [&](DType dtype) {
    std::string& zone = blind[dtype];
    if (zone.empty()) zone = blind_zone(dtype);
    return fmt::format("{}: naive's error is allowed at  {}\n", brief ? dtype_name(dtype) : "blind zone",
                       zone);
  };
  if (brief) {
    fmt::print("contract {}; share: the largest part of its allowance that an error took\n{}",
               contract_name(plan.contract), entries_head(style));
  }
  Progress progress;
  const auto total = static_cast<double>(jobs.size());
  const auto label = [&](std::size_t i) {
    return fmt::format("{} {}", jobs[i].row->name, dtype_name(jobs[i].dtype));
  };
  progress.step(label(0), 0, total);
  sweep_all(jobs, plan, [&](std::size_t i, SweepEntry entry) {
    progress.clear();
    if (brief) {
      fmt::print("{}", entry_line(entry, style));
    } else {
      fmt::print("{}{}", i == 0 ? "" : "\n", entry_text(entry, style));
      fmt::print("{}", probes_text(entry, style));
      if (plan.contract.kind == ContractKind::stable) fmt::print("  {}", blind_text(entry.dtype));
    }
    std::fflush(stdout);
    entries.push_back(std::move(entry));
    if (i + 1 < jobs.size()) progress.step(label(i + 1), static_cast<double>(i + 1), total);
  });
  if (brief && plan.contract.kind == ContractKind::stable) {
    fmt::print("\nblind zone\n");
    std::set<DType> dtypes;
    for (const SweepJob& job : jobs) {
      if (dtypes.insert(job.dtype).second) fmt::print("  {}", blind_text(job.dtype));
    }
  }
  return entries;
}

/// What is judged where it is not of this build, and what it is held to.
void print_plugins(const SweepPlan& plan) {
  for (const auto& [row, contract] : plan.contracts) {
    const Peer* peer = peer_of(*row);
    fmt::print("{:<8} {}, held to {}\n", peer == nullptr ? "plug-in" : "peer", plugin_title(*row),
               contract_name(contract));
    if (peer != nullptr) fmt::print("{}", known_text(*peer));
    for (const std::string& note : claim_notes(*row)) fmt::print("NOTE  {}: {}\n", row->name, note);
  }
  if (!plan.contracts.empty()) fmt::print("\n");
}

/// Corpus cases that say of an implementation that it fails there, and it did not: how many.
std::size_t print_unexpected_passes(const std::vector<SweepEntry>& entries) {
  std::size_t passes = 0;
  for (const SweepEntry& entry : entries) {
    for (const std::string& file : entry.unexpected_passes) {
      fmt::print("NOTE  corpus/{} says that {} fails there, and it did not\n", file, entry.row->name);
      ++passes;
    }
  }
  return passes;
}

void write_json(const Options& options, const SweepPlan& plan, const std::vector<SweepEntry>& entries,
                const std::vector<const Finding*>& shown) {
  std::string lines;
  for (const SweepEntry& entry : entries) lines += check_lines(entry, plan);
  for (const Finding* finding : shown) lines += finding_line(*finding);
  write_asked_file(options.json, "--json", lines);
}

void write_junit(const Options& options, std::vector<SweepEntry>& entries, const BaselineResult* baseline,
                 const std::vector<BaselineEntry>& list) {
  // A failure is shown with its replay line: the worst of each regime has its file.
  for (SweepEntry& entry : entries) {
    for (std::size_t i = 0; i < entry.findings.size(); ++i) {
      const bool first = i == 0 || entry.findings[i].regime != entry.findings[i - 1].regime;
      if (first && entry.findings[i].replay.empty())
        keep_finding(entry.findings[i], std::filesystem::path(options.out) / "found");
    }
  }
  write_asked_file(options.junit, "--junit", junit_xml(entries, baseline, list));
}

}  // namespace

Exit run_check(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Style style{colour_wanted()};
  const std::vector<SweepJob> jobs = make_jobs(options);
  SweepPlan plan = make_plan(options, 4000);
  // A long row costs as much as all others of a small budget; over all implementations there are enough.
  if (options.names.empty()) plan.long_rows = std::min<std::int64_t>(plan.long_rows, 2);
  require_outputs(options);
  std::vector<BaselineEntry> list;
  if (!options.baseline.empty()) {
    if (!std::filesystem::exists(options.baseline))
      throw InputError(fmt::format(
          "--baseline: {}: no such file; an empty one accepts nothing, and is a list", options.baseline));
    list = read_baseline(options.baseline);
  }
  if (plan.corpus_missing)
    fmt::print("NOTE  no corpus folder was found; generated cases alone (--corpus names one)\n\n");

  if (!options.no_timing && !is_brief(options))
    plan.first_look = [](const std::string& text) { fmt::print(stderr, "first look: {}\n", text); };
  print_plugins(plan);
  std::vector<SweepEntry> entries = run_and_print(jobs, plan, is_brief(options), style);
  Tally all;
  std::int64_t probe_findings = 0;
  for (const SweepEntry& entry : entries) {
    all.add(entry.total());
    probe_findings += entry.probe_findings();
  }
  const auto shown = show_findings(entries, options, style);
  fmt::print("\n");
  if (!is_brief(options)) print_causes(entries);
  const std::size_t unexpected_passes = print_unexpected_passes(entries);
  std::string notes;
  for (const SweepEntry& entry : entries) notes += entry_notes(entry);
  fmt::print("{}", notes);
  if (unexpected_passes + print_notes(all) + notes.size() > 0) fmt::print("\n");

  const bool crashed = std::any_of(shown.begin(), shown.end(), [](const Finding* f) {
    return f->judgement.verdict == Verdict::crash || f->judgement.verdict == Verdict::timeout;
  });
  if (options.verbose || crashed) fmt::print("{}", plugin_output());

  std::optional<BaselineResult> baseline;
  if (!options.baseline.empty()) {
    baseline =
        compare_with_baseline(list, entries, plan, std::filesystem::path(options.out) / "found",
                              std::filesystem::absolute(options.baseline).parent_path(), today_by_clock());
    print_baseline(*baseline, options, style);
  }

  Exit code = Exit::well;
  if (baseline ? !baseline->red.empty()
               : all.findings() + probe_findings > 0 || (options.strict && unexpected_passes > 0)) {
    code = Exit::finding;
  } else if (all.counts.proved == 0) {
    code = Exit::nothing_proved;
  }
  if (!options.json.empty()) write_json(options, plan, entries, shown);
  if (!options.junit.empty()) write_junit(options, entries, baseline ? &*baseline : nullptr, list);
  print_summary(all, probe_findings, jobs.size(), shown.size(), code, style);
  if (!options.no_timing) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::fflush(stdout);
    fmt::print(stderr, "took {:.1f} s\n", took.count());
  }
  return code;
}

}  // namespace normcheck
