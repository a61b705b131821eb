// Opens the plug-in once more for each try.
#include "reports/confirm.h"

#include <fmt/format.h>

#include <stdexcept>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "reports/plugins.h"
#include "reports/probes.h"
#include "reports/select.h"

namespace normcheck {
namespace {

/// Whether the case, with this probe or by itself, is a finding.
bool comes_again(const Finding& finding, const Case& c, const std::string& probe, const Options& options) {
  bool found = false;
  with_fresh_row(finding.impl, options, [&](const Row& row) {
    const Contract contract = contract_of(row, options.contract);
    ProbePlan plan;
    plan.strict = options.strict;
    plan.oracle = oracle_named(options.oracle);
    found = probe.empty() ? is_finding(run_and_judge(row, c, contract, plan.oracle).verdict)
                          : !run_probe(row, probe_named(probe), c, contract, plan).findings.empty();
  });
  return found;
}

}  // namespace

void confirm(Finding& finding, const Options& options) {
  if (options.in_process || finding.judgement.verdict == Verdict::timeout) return;
  if (finding.evidence) return;  // its row alone is none, and several gave the same
  try {
    const Case c = read_case(finding.kept.string());
    if (comes_again(finding, c, finding.probe, options)) return;
    if (finding.probe != "state" && is_float(c.x.dtype) && comes_again(finding, c, "state", options)) {
      finding.replay =
          replay_arguments(finding.kept.string(), finding.impl, finding.asked) + " --probe state";
      return;
    }
  } catch (const std::runtime_error&) {
    return;  // it cannot be opened again, or the case cannot be read: the line stays
  }
  finding.replay.clear();
  finding.not_repeated =
      fmt::format("not repeated when run alone, nor in many calls; the case is {}", finding.kept.string());
}

}  // namespace normcheck
