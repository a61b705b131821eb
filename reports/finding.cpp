// Makes a finding from a failed case, and keeps it as a file that replays it.
#include "reports/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "impl/semantics.h"
#include "reports/select.h"

namespace normcheck {

Judgement run_and_judge(const Row& row, const Case& c, const Contract& contract, OracleChoice oracle) {
  return judge(c, run_case(row, c, {.mean = true, .rstd = true}), contract, oracle);
}

namespace {

/// Of a plug-in without what it claims itself: claims that are not understood are let pass there alone.
std::string asked_contract(const Row& row, const std::string& contract) {
  const std::string_view made = row.outside != nullptr ? row.outside->claims_text() : std::string_view();
  if (made.empty() || !(contract + ";").starts_with(std::string(made) + ";")) return contract;
  return "stable" + contract.substr(made.size());
}

}  // namespace

Finding make_finding(const Row& row, const Case& c, Judgement judgement, const Contract& contract) {
  Finding finding;
  finding.impl = row.name;
  finding.row = &row;
  finding.held = contract;
  finding.contract = contract_name(contract);
  finding.asked = asked_contract(row, finding.contract);
  finding.problem = c;
  finding.judgement = std::move(judgement);
  const bool named = std::find(c.violates.begin(), c.violates.end(), row.name) != c.violates.end();
  // `expect` and `violates` speak of `stable`: its own bound is a promise of every row.
  finding.expected = contract.kind != ContractKind::own && (!is_right(row) || named);
  if (finding.judgement.worst && !refusal(c)) {
    finding.stage = first_wrong_stage(c, row, finding.judgement.worst->row, contract);
  }
  return finding;
}

void explain(Finding& finding) {
  if (!finding.cause.empty() || finding.judgement.verdict != Verdict::fail || !finding.judgement.worst ||
      !finding.judgement.faults.empty())
    return;
  Observation observed;
  const bool of_statistics = finding.judgement.worst->output != Output::y;
  if (of_statistics && finding.row != nullptr) {
    // y is right: the statistics are asked for once more.
    observed = run_case(*finding.row, finding.problem, {.mean = true, .rstd = true});
    finding.explanations = diagnose_statistics(finding.problem, observed, finding.held);
    finding.cause = explanation_text(finding.explanations);
    return;
  }
  if (finding.output) {
    observed.y = *finding.output;
  } else if (finding.row != nullptr) {
    observed = run_case(*finding.row, finding.problem);
  }
  finding.explanations = diagnose(finding.problem, observed, finding.held);
  finding.cause = explanation_text(finding.explanations);
}

std::string file_stem(std::string_view impl) {
  constexpr std::size_t longest = 80;
  if (impl.starts_with('.') || impl.starts_with('/')) impl.remove_prefix(impl.rfind('/') + 1);
  std::string out(impl.substr(0, longest));
  for (char& c : out) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("._+-").find(c) != std::string_view::npos;
    if (!plain) c = '-';
  }
  return out;
}

void keep_finding(Finding& finding, const std::filesystem::path& folder) {
  if (finding.probe.empty()) explain(finding);
  Case kept = finding.base.value_or(finding.problem);
  auto& violates = kept.violates;
  // A name of the table means the same everywhere; that of a kernel from outside only where it lies.
  if (is_finding(finding.judgement.verdict) && find_row(finding.impl) != nullptr &&
      std::find(violates.begin(), violates.end(), finding.impl) == violates.end())
    violates.push_back(finding.impl);
  const std::string text = format_case(kept);
  const std::string stem = file_stem(finding.impl);
  const auto path = folder / fmt::format("{}-{}.case", stem, sha256_hex(text).substr(0, 8));
  make_folder(folder, "--out");
  write_file_atomically(path, text);
  finding.kept = path;
  finding.replay = replay_arguments(path.string(), finding.impl, finding.asked);
  finding.replay += probe_arguments(finding);
  if (!finding.again.empty()) finding.replay = finding.again;
}

std::string probe_arguments(const Finding& finding) {
  return finding.probe.empty()
             ? std::string()
             : fmt::format(" --probe {}{}", finding.probe, finding.strict ? " --strict" : "");
}

}  // namespace normcheck
