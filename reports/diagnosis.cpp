// Counts explanations over findings.
#include "reports/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace normcheck {

namespace {

/// What some findings have in common.
struct Candidate {
  std::string word;  ///< a group or a kind
  std::string name;  ///< empty: it differs from case to case
  bool convention = false;
  int explained = 0;
  int first = 0;  ///< findings that it explains best
  int bits = 0;   ///< the least
};

/// Counts the explanations of one finding, each word once.
void count(std::vector<Candidate>& candidates, const std::vector<Explanation>& explanations,
           const std::function<std::string(const Explanation&)>& word_of) {
  std::vector<std::string> said;
  for (std::size_t k = 0; k < explanations.size(); ++k) {
    const Explanation& e = explanations[k];
    const std::string word = word_of(e);
    if (word.empty() || std::find(said.begin(), said.end(), word) != said.end()) continue;
    said.push_back(word);
    auto at = std::find_if(candidates.begin(), candidates.end(),
                           [&](const Candidate& c) { return c.word == word; });
    if (at == candidates.end()) at = candidates.insert(at, {word, e.name, e.convention, 0, 0, e.bits});
    if (at->name != e.name) at->name.clear();
    at->bits = std::min(at->bits, e.bits);
    ++at->explained;
    at->first += k == 0;
  }
}

/// The one that explains most, of at least half of the findings: what explains few is a coincidence.
const Candidate* most_of(const std::vector<Candidate>& candidates, int findings) {
  const auto most = std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return std::pair(a.explained, a.first) < std::pair(b.explained, b.first);
  });
  return most == candidates.end() || 2 * most->explained < findings ? nullptr : &*most;
}

}  // namespace

CommonCause common_cause(SweepEntry& entry) {
  std::vector<Candidate> groups, kinds;
  CommonCause out;
  for (Finding& finding : entry.findings) {
    if (!finding.probe.empty() || !finding.judgement.worst || !finding.judgement.faults.empty()) continue;
    explain(finding);
    ++out.findings;
    count(groups, finding.explanations,
          [](const Explanation& e) { return e.group.empty() ? e.name : e.group; });
    count(kinds, finding.explanations, [](const Explanation& e) { return e.kind; });
  }
  if (out.findings < 2) return out;
  const Candidate* most = most_of(groups, out.findings);
  if (most == nullptr) most = most_of(kinds, out.findings);
  if (most == nullptr) return out;
  out.name = most->bits > 0       ? fmt::format("a reciprocal root good to {} bits", most->bits)
             : most->name.empty() ? most->word
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
