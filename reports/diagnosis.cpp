// Counts explanations over findings.
#include "reports/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace normcheck {

CommonCause common_cause(SweepEntry& entry) {
  struct Candidate {
    std::string name;
    bool convention;
    int explained = 0;
    int first = 0;  ///< findings that it explains best
  };
  std::vector<Candidate> candidates;
  CommonCause out;
  for (Finding& finding : entry.findings) {
    if (!finding.probe.empty() || !finding.judgement.worst || !finding.judgement.faults.empty()) continue;
    explain(finding);
    ++out.findings;
    for (std::size_t k = 0; k < finding.explanations.size(); ++k) {
      const Explanation& e = finding.explanations[k];
      auto at = std::find_if(candidates.begin(), candidates.end(),
                             [&](const Candidate& c) { return c.name == e.name; });
      if (at == candidates.end()) at = candidates.insert(at, {e.name, e.convention});
      ++at->explained;
      at->first += k == 0;
    }
  }
  const auto most = std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.explained, a.first) < std::pair(b.explained, b.first);
  });
  // What explains few of them is a coincidence.
  if (most == candidates.end() || 2 * most->explained < out.findings || out.findings < 2) return out;
  out.name = most->name;
  out.convention = most->convention;
  out.explained = most->explained;
  return out;
}

std::string cause_text(const CommonCause& cause) {
  if (cause.name.empty()) return {};
  return fmt::format("{}{} (explains {} of the {} wrong outputs that were kept)", cause.name,
                     cause.convention ? ", a convention in use" : "", cause.explained, cause.findings);
}

}  // namespace normcheck
