// normcheck replay: runs cases again and judges them.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "impl/semantics.h"
#include "reports/commands.h"
#include "reports/dump_problem.h"
#include "reports/named_case.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/probe_run.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

/// The rows that the case says it violates, if this build has one; else all right rows of the dtype.
std::vector<const Row*> rows_for(const Case& c) {
  std::vector<const Row*> rows;
  for (const std::string& name : c.violates) {
    if (const Row* row = find_row(name)) {
      rows.push_back(row);
    } else {
      fmt::print("NOTE  {}: violates '{}', which this build does not have\n", c.id, name);
    }
  }
  if (!rows.empty()) return rows;
  for (const Row& row : table()) {
    if (is_right(row) && (offers(row, c.x.dtype) || !is_float(c.x.dtype))) rows.push_back(&row);
  }
  return rows;
}

void print_good(const Row& row, const Case& c, const Judgement& j, const Style& style) {
  fmt::print("{}  {}  {}  case {}  eps {}\n", verdict_text(j.verdict, style), row.name, problem_text(c), c.id,
             exact_decimal(c.eps));
  if (!j.reason.empty()) fmt::print("  reason   {}\n", j.reason);
  if (j.counts.elements > 0 && j.verdict != Verdict::refused && j.verdict != Verdict::unsupported) {
    fmt::print("  error    {}\n  elements {}\n", errors_text(c, j), shares_text(j.counts));
  }
  if (!j.range_class.empty())
    fmt::print("  range    outside the safe range; what came out: {}\n", j.range_class);
  for (const std::string& name : c.violates) {
    if (name == row.name)
      fmt::print("  NOTE     the case says that {} fails here, and it did not\n", row.name);
  }
}

/// A case, and what `replay` is to be given to read it again.
struct Played {
  Case c;
  std::string file;
  std::string arguments;
};

/// All are read before any is run: an unreadable one is exit 2 and nothing else.
std::vector<Played> read_cases(const Options& options) {
  std::vector<Played> out;
  std::vector<std::string> dumps;
  std::string how;
  for (const std::string& file : options.names) {
    if (!is_dump_name(file)) {
      out.push_back({read_case_or_make(file), file, ""});
      continue;
    }
    dumps.push_back(file);
    how += (dumps.size() > 1 ? " " : "") + shell_word(file);
  }
  if (dumps.empty()) return out;
  if (!options.map.empty()) how += " --map " + shell_word(options.map);
  if (options.eps) how += " --eps " + exact_decimal(*options.eps);
  if (options.norm_ndim) how += fmt::format(" --norm-ndim {}", *options.norm_ndim);
  for (const std::string& dtype : options.dtypes) how += " --dtype " + shell_word(dtype);
  for (const ProblemSource& source : find_problems(dumps, options, false))
    out.push_back({read_problem(source, options).c, dumps[0], how});
  return out;
}

std::string arguments_of(const Played& played, const Row& row, const std::string& contract) {
  std::string out = replay_arguments(played.file, row.name, contract);
  const std::string word = shell_word(played.file);
  if (!played.arguments.empty()) out.replace(out.find(word), word.size(), played.arguments);
  return out;
}

bool replay(const Row& row, const Played& played, const Options& options, const Style& style) {
  const Case& c = played.c;
  const Contract contract = contract_of(row, options.contract);
  Judgement j = run_and_judge(row, c, contract, oracle_named(options.oracle));
  const bool failed = is_finding(j.verdict);
  const std::vector<std::string> notes = j.notes;
  const std::string truth = options.verbose ? truth_text(c, j) : std::string();
  if (failed) {
    Finding finding = make_finding(row, c, std::move(j), contract);
    finding.replay = arguments_of(played, row, finding.asked);
    explain(finding);
    fmt::print("{}", finding_text(finding, options.program, style));
  } else {
    print_good(row, c, j, style);
  }
  for (const std::string& note : notes) fmt::print("  NOTE     {}\n", note);
  if (options.verbose && !refusal(c) && offers(row, c.x.dtype)) {
    fmt::print("{}", truth);
    try {
      fmt::print("{}", trace_text(row, c));
    } catch (const InputError& e) {
      fmt::print("  no trace: {}\n", e.what());
    }
  }
  return failed;
}

/// Runs one probe on the case; whether it found something.
bool replay_probe(const Row& row, const Probe& probe, const Played& played, const Options& options,
                  const Style& style) {
  const Case& c = played.c;
  const Contract contract = contract_of(row, options.contract);
  ProbePlan plan;
  plan.strict = options.strict;
  plan.oracle = oracle_named(options.oracle);
  ProbeResults results = run_probe(row, probe, c, contract, plan);
  for (Finding& finding : results.findings) {
    finding.replay = arguments_of(played, row, finding.asked) + probe_arguments(finding);
    fmt::print("{}", finding_text(finding, options.program, style));
  }
  const ProbeTally& tally = results.tallies.front();
  if (results.findings.empty())
    fmt::print("{}  {}  probe {}  {}  case {}: {}\n", style.green("no finding"), row.name, probe.name,
               problem_text(c), c.id, counted(tally.calls(), "call"));
  for (const std::string& note : tally.notes) fmt::print("  NOTE     {}\n", note);
  return !results.findings.empty();
}

}  // namespace

Exit run_replay(const Options& options) {
  const Style style{colour_wanted()};
  const Row* named = options.impl.empty() ? nullptr : &row_named(options.impl, options);
  const Probe* probe = options.probe.empty() ? nullptr : &probe_named(options.probe);
  if (probe != nullptr && (named == nullptr || named->outside == nullptr))
    throw InputError("--probe: probes are for plug-ins; expected --impl ./libmine.so or --impl exec:COMMAND");
  oracle_named(options.oracle);
  parse_contract(options.contract, &table().front());
  bool failed = false;
  for (const Played& played : read_cases(options)) {
    const auto rows = named != nullptr ? std::vector<const Row*>{named} : rows_for(played.c);
    if (rows.empty())
      fmt::print("NOT RUN  {}: no right implementation offers {}\n", played.c.id,
                 dtype_name(played.c.x.dtype));
    for (const Row* row : rows)
      failed |= probe != nullptr ? replay_probe(*row, *probe, played, options, style)
                                 : replay(*row, played, options, style);
  }
  return failed ? Exit::finding : Exit::well;
}

}  // namespace normcheck
