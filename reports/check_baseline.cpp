// Matches findings with entries by name, and runs each entry's input again.
#include "reports/check_baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "reports/render_text.h"

namespace normcheck {
namespace {

/// Of the findings of an implementation at a dtype.
std::string name_head(std::string_view impl, DType dtype) {
  return fmt::format("check-{}.{}.", file_stem(impl), dtype_name(dtype));
}

/// The case of an entry under the implementation that it names, as it comes out now: by itself, or with a
/// probe or as a row of evidence where it was found so.
std::optional<Finding> run_again(const Case& c, std::string_view where, const SweepEntry& entry,
                                 const SweepPlan& plan) {
  const Contract contract = held_to(plan, *entry.row);
  if (where.starts_with(probe_regime)) {
    const std::string probe(where.substr(probe_regime.size()));
    ProbeResults results = run_probe(*entry.row, probe_named(probe), c, contract, plan.probes);
    if (results.findings.empty()) return std::nullopt;
    return std::move(results.findings.front());
  }
  if (where == evidence_name) {
    const EvidenceResult result = run_evidence(*entry.row, entry.dtype, contract, plan.evidence);
    for (const EvidenceCase& of : result.cases) {
      if (of.judged && is_finding(of.judgement.verdict) && (of.problem.id == c.id || result.evidence))
        return evidence_finding(*entry.row, result, of, contract, plan.evidence);
    }
    return std::nullopt;
  }
  Judgement now = run_and_judge(*entry.row, c, contract, plan.oracle);
  if (!is_finding(now.verdict)) return std::nullopt;
  return make_finding(*entry.row, c, std::move(now), contract);
}

Replayed replay_entry(const BaselineEntry& listed, const std::vector<SweepEntry>& entries,
                      const SweepPlan& plan) {
  Replayed out;
  out.finding = listed.finding;
  const auto at = std::find_if(entries.begin(), entries.end(), [&](const SweepEntry& entry) {
    return listed.finding.starts_with(name_head(entry.row->name, entry.dtype));
  });
  if (at == entries.end()) return out;
  out.ran = true;
  const std::string where = listed.finding.substr(name_head(at->row->name, at->dtype).size());
  if (const auto finding = run_again(read_case(listed.input), where, *at, plan)) {
    out.failed = true;
    // Where a case came from is not in it: under this implementation and dtype, it is the one that is listed.
    out.now = listed.finding;
    out.says = baseline_says(*finding);
  }
  return out;
}

}  // namespace

std::string baseline_name(const Finding& finding) {
  std::string out = name_head(finding.impl, finding.problem.x.dtype) + finding.regime;
  if (finding.regime.starts_with("corpus/")) out += "." + finding.problem.id;
  return out;
}

std::string baseline_says(const Finding& finding) {
  // Its rows and distances differ from run to run of another seed; what it is does not.
  if (finding.evidence) return fmt::format("SUSPECT: {}", finding.evidence->hypothesis);
  const std::string text = finding_text(finding, "normcheck", Style{});
  const std::size_t from = text.find_first_not_of(" ", text.find('\n') + 1);
  return text.substr(from, text.find('\n', from) - from);
}

BaselineResult compare_with_baseline(const std::vector<BaselineEntry>& list, std::vector<SweepEntry>& entries,
                                     const SweepPlan& plan, const std::filesystem::path& found,
                                     const std::filesystem::path& beside, std::string_view today) {
  BaselineResult out;
  std::vector<std::string> met;
  for (SweepEntry& entry : entries) {
    std::vector<std::string> blocks;
    std::string of_all;  // the block that accepts whatever it does wrong
    for (std::size_t i = 0; i < entry.findings.size(); ++i) {
      Finding& finding = entry.findings[i];
      const std::string name = baseline_name(finding);
      if (std::find(met.begin(), met.end(), name) != met.end()) continue;
      met.push_back(name);
      const std::int64_t times = finding.regime.starts_with("corpus/") ? 1 : entry.of_regime[i];
      if (finding.expected) {
        out.expected += times;
      } else if (accepts(list, name)) {
        out.accepted += times;
      } else {
        keep_finding(finding, found);
        out.red.push_back(fmt::format("new: {}: {}", name, baseline_says(finding)));
        const auto again = run_again(finding.base.value_or(finding.problem), finding.regime, entry, plan);
        if (again) {
          const std::string input = std::filesystem::proximate(finding.kept, beside).string();
          blocks.push_back(baseline_block(name, input, baseline_says(*again)));
          if (of_all.empty() && finding.probe.empty())
            of_all = baseline_block(name_head(finding.impl, entry.dtype) + "*", input, baseline_says(*again));
        } else {
          out.red.back() += " (it did not come again when its case was run alone)";
        }
      }
    }
    // One mistake is wrong in many regimes: nobody writes an entry for each.
    constexpr std::size_t most_blocks = 3;
    if (blocks.size() > most_blocks && !of_all.empty()) blocks = {of_all};
    out.blocks.insert(out.blocks.end(), blocks.begin(), blocks.end());
    for (const std::string& file : entry.unexpected_passes) {
      out.red.push_back(
          fmt::format("unexpectedly passing: corpus/{} says that {} fails there", file, entry.row->name));
    }
  }
  std::vector<Replayed> replayed;
  std::vector<BaselineEntry> found_inputs;
  for (const BaselineEntry& listed : list) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(listed.input, error)) {
      out.red.push_back(fmt::format(
          "{}: stopped running: its case is not there: {} (a list names cases that are kept with it)",
          listed.finding, listed.input.string()));
      continue;
    }
    found_inputs.push_back(listed);
    try {
      replayed.push_back(replay_entry(listed, entries, plan));
    } catch (const InputError& e) {
      out.red.push_back(fmt::format("{}: its input cannot be read: {}", listed.finding, e.what()));
      replayed.emplace_back().finding = listed.finding;
    }
  }
  const auto complaints = baseline_complaints(found_inputs, replayed, today);
  out.red.insert(out.red.end(), complaints.begin(), complaints.end());
  return out;
}

}  // namespace normcheck
