// Counts explanations over findings.
#include "reports/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace normcheck {

CommonCause common_cause(SweepEntry& entry) {
  struct Candidate {
    std::string group;
    std::string name;  ///< empty: it differs from case to case
    bool convention;
    int explained = 0;
    int first = 0;  ///< findings that it explains best
    int bits = 0;   ///< the least
  };
  std::vector<Candidate> candidates;
  CommonCause out;
  for (Finding& finding : entry.findings) {
    if (!finding.probe.empty() || !finding.judgement.worst || !finding.judgement.faults.empty()) continue;
    explain(finding);
    ++out.findings;
    std::vector<std::string> said;
    for (std::size_t k = 0; k < finding.explanations.size(); ++k) {
      const Explanation& e = finding.explanations[k];
      const std::string& group = e.group.empty() ? e.name : e.group;
      if (std::find(said.begin(), said.end(), group) != said.end()) continue;
      said.push_back(group);
      auto at = std::find_if(candidates.begin(), candidates.end(),
                             [&](const Candidate& c) { return c.group == group; });
      if (at == candidates.end()) at = candidates.insert(at, {group, e.name, e.convention, 0, 0, e.bits});
      if (at->name != e.name) at->name.clear();
      at->bits = std::min(at->bits, e.bits);
      ++at->explained;
      at->first += k == 0;
    }
  }
  const auto most = std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.explained, a.first) < std::pair(b.explained, b.first);
  });
  // What explains few of them is a coincidence.
  if (most == candidates.end() || 2 * most->explained < out.findings || out.findings < 2) return out;
  out.name = most->bits > 0       ? fmt::format("a reciprocal root good to {} bits", most->bits)
             : most->name.empty() ? most->group
                                  : most->name;
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
