// normcheck replay: runs cases again and judges them.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "impl/semantics.h"
#include "reports/commands.h"
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

bool replay(const Row& row, const Case& c, const std::string& file, const Options& options,
            const Style& style) {
  const Contract contract = contract_of(row, options.contract);
  Judgement j = run_and_judge(row, c, contract, oracle_named(options.oracle));
  const bool failed = is_finding(j.verdict);
  const std::vector<std::string> notes = j.notes;
  const std::string truth = options.verbose ? truth_text(c, j) : std::string();
  if (failed) {
    Finding finding = make_finding(row, c, std::move(j), contract);
    finding.replay = replay_arguments(file, row.name, finding.asked);
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
bool replay_probe(const Row& row, const Probe& probe, const Case& c, const std::string& file,
                  const Options& options, const Style& style) {
  const Contract contract = contract_of(row, options.contract);
  ProbePlan plan;
  plan.strict = options.strict;
  plan.oracle = oracle_named(options.oracle);
  ProbeResults results = run_probe(row, probe, c, contract, plan);
  for (Finding& finding : results.findings) {
    finding.replay = replay_arguments(file, row.name, finding.asked) + probe_arguments(finding);
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
  std::vector<Case> cases;  // all are read before any is run: an unreadable one is exit 2 and nothing else
  for (const std::string& file : options.names) cases.push_back(read_case(file));
  bool failed = false;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto rows = named != nullptr ? std::vector<const Row*>{named} : rows_for(cases[i]);
    if (rows.empty())
      fmt::print("NOT RUN  {}: no right implementation offers {}\n", cases[i].id,
                 dtype_name(cases[i].x.dtype));
    for (const Row* row : rows)
      failed |= probe != nullptr ? replay_probe(*row, *probe, cases[i], options.names[i], options, style)
                                 : replay(*row, cases[i], options.names[i], options, style);
  }
  return failed ? Exit::finding : Exit::well;
}

}  // namespace normcheck
