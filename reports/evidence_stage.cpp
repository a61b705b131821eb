// Makes the rows, runs and judges them, and hands the ones that pass to be weighed.
#include "reports/evidence_stage.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "corpus/replay_line.h"

namespace normcheck {
namespace {

/// Shorter rows are judged by bounds that see as much.
constexpr std::int64_t least_length = 1024, most_length = std::int64_t{1} << 20;
constexpr std::size_t most_lengths = 4;
/// From a length to the next that is looked at beside it; odd, so that one of them has a tail.
constexpr std::int64_t to_next_length = 7;

}  // namespace

EvidencePlan plan_evidence(const Lengths& lengths, const std::vector<std::int64_t>& of_shapes) {
  EvidencePlan out;
  if (!lengths.given) {
    out.lengths = evidence_lengths();
    return out;
  }
  std::vector<std::int64_t> asked = of_shapes.empty() ? lengths.list : of_shapes;
  if (asked.empty()) {
    for (const std::int64_t n : evidence_lengths()) {
      if (n >= lengths.lo && n <= lengths.hi) asked.push_back(n);
    }
    if (asked.size() < 2 && lengths.hi - to_next_length >= lengths.lo)
      asked = {lengths.hi - to_next_length, lengths.hi};
    if (asked.empty()) asked = {lengths.hi};
  }
  std::sort(asked.begin(), asked.end());
  asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
  std::erase_if(asked, [](std::int64_t n) { return n < least_length || n > most_length; });
  if (asked.size() > most_lengths) asked.erase(asked.begin(), asked.end() - most_lengths);
  if (asked.size() == 1) out.unjudged = asked.front() + to_next_length;
  out.lengths = std::move(asked);
  return out;
}

EvidenceResult run_evidence(const Row& row, DType dtype, const Contract& contract, const EvidencePlan& plan) {
  EvidenceResult out;
  EvidenceRequest request{.dtype = dtype, .parameters = dtype, .eps = plan.eps, .seed = plan.seed};
  std::vector<std::int64_t> lengths = plan.lengths;
  if (plan.unjudged) lengths.push_back(*plan.unjudged);
  for (const std::int64_t n : lengths) {
    request.n = n;
    for (int kind = 0; kind < evidence_kinds; ++kind) {
      EvidenceCase now{.problem = evidence_case(request, kind)};
      now.judged = n != plan.unjudged;
      now.seen = run_case(row, now.problem);
      if (now.seen.status == Status::unsupported && is_half(dtype) && request.parameters == dtype) {
        request.parameters = DType::f32;
        now.problem = evidence_case(request, kind);
        now.seen = run_case(row, now.problem);
      }
      now.judgement = judge(now.problem, now.seen, contract, plan.oracle);
      const bool answered = now.seen.status == Status::ok;
      out.cases.push_back(std::move(now));
      if (!answered) break;
    }
  }
  std::vector<Witness> rows;
  std::vector<std::size_t> of;
  for (std::size_t k = 0; k < out.cases.size(); ++k) {
    const EvidenceCase& c = out.cases[k];
    if (c.seen.status != Status::ok || is_finding(c.judgement.verdict) || c.judgement.counts.elements == 0)
      continue;
    rows.push_back({&c.problem, &c.seen.y});
    of.push_back(k);
  }
  out.evidence = weigh_evidence(rows, contract);
  if (!out.evidence) return out;
  for (std::size_t& k : out.evidence->rows) {
    k = of[k];
    Judgement& j = out.cases[k].judgement;
    j.verdict = Verdict::suspect;
    std::fill(j.rows.begin(), j.rows.end(), Verdict::suspect);
    j.reason = evidence_text(*out.evidence);
  }
  return out;
}

Finding evidence_finding(const Row& row, const EvidenceResult& result, const EvidenceCase& of,
                         const Contract& contract, const EvidencePlan& plan) {
  Finding out = make_finding(row, of.problem, of.judgement, contract);
  out.regime = evidence_name;
  if (row.outside != nullptr) out.output = of.seen.y;
  if (of.judgement.verdict != Verdict::suspect) return out;
  out.evidence = result.evidence;
  out.stage.reset();  // each step keeps its bound
  out.explanations = {
      {result.evidence->hypothesis, "", false, row_length(of.problem), row_length(of.problem)}};
  for (const std::string& other : result.evidence->others)
    out.explanations.push_back({other, "", false, row_length(of.problem), row_length(of.problem)});
  out.cause = result.evidence->hypothesis;
  // A row alone is no evidence: what is run again is the stage.
  out.again = fmt::format("check {} --dtype {} --regime {}", shell_word(out.impl),
                          dtype_name(of.problem.x.dtype), evidence_name);
  if (out.asked != "stable") out.again += " --contract " + shell_word(out.asked);
  if (plan.seed != 1) out.again += fmt::format(" --seed {}", plan.seed);
  if (plan.eps) out.again += fmt::format(" --eps {}", *plan.eps);
  return out;
}

}  // namespace normcheck
