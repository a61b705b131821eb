// Counts judged cases.
#include "reports/tally.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace normcheck {
namespace {

void add_counts(ElementCounts& sum, const ElementCounts& more) {
  sum.elements += more.elements;
  sum.proved += more.proved;
  sum.failed += more.failed;
  sum.voided += more.voided;
  sum.vacuous += more.vacuous;
  sum.skipped += more.skipped;
}

bool count_largest(LargestError& largest, const Judgement& j, const Case& c, const std::string& regime) {
  if (j.errors.judged == 0 || !(j.errors.max_ulp > largest.ulp)) return false;
  largest = {};
  largest.ulp = j.errors.max_ulp;
  largest.n = row_length(c);
  largest.regime = regime;
  largest.case_id = c.id;
  largest.kappa = j.kappa;
  if (j.worst && j.worst->output == Output::y && std::fabs(j.worst->error_ulp) == j.errors.max_ulp) {
    largest.allowed_ulp = j.worst->allowed_ulp;
  }
  return true;
}

}  // namespace

void Tally::count(const Judgement& j, const Case& c) {
  ++cases;
  evaluations += row_count(c);
  ++verdicts[static_cast<std::size_t>(j.verdict)];
  add_counts(counts, j.counts);
  judged += j.errors.judged;
  not_correctly_rounded += j.errors.not_correctly_rounded;
  max_share_of_bound = std::max(max_share_of_bound, j.errors.max_share_of_bound);
  sketch.add(j.errors.sketch);
  std::shared_ptr<const Case> kept;
  const auto keep = [&](std::shared_ptr<const Case>& source) {
    if (!keeps_cases) return;
    if (!kept) kept = std::make_shared<const Case>(c);
    source = kept;
  };
  if (count_largest(largest, j, c, regime)) keep(largest.source);
  if (std::isfinite(j.errors.max_ulp) && count_largest(largest_finite, j, c, regime))
    keep(largest_finite.source);
  if (j.errors.judged > 0 && std::isfinite(j.errors.max_normwise_u) && j.errors.max_normwise_u > normwise.u) {
    normwise = {j.errors.max_normwise_u, row_length(c), regime, c.id};
    keep(normwise.source);
  }
  if (!j.range_class.empty()) ++out_of_range[j.range_class];
  for (const std::string& note : j.notes) ++notes[note];
}

std::int64_t Tally::findings() const {
  std::int64_t sum = 0;
  for (std::size_t v = 0; v < verdicts.size(); ++v)
    sum += is_finding(static_cast<Verdict>(v)) ? verdicts[v] : 0;
  return sum;
}

Verdict Tally::worst() const {
  std::size_t worst = verdicts.size();
  for (std::size_t v = 0; v < verdicts.size(); ++v) {
    const bool ranks = static_cast<Verdict>(v) < Verdict::refused;
    if (verdicts[v] > 0 && ranks) worst = v;
  }
  if (worst == verdicts.size())
    worst = static_cast<std::size_t>(std::max_element(verdicts.begin(), verdicts.end()) - verdicts.begin());
  return static_cast<Verdict>(worst);
}

void Tally::add(const Tally& other) {
  cases += other.cases;
  evaluations += other.evaluations;
  for (std::size_t v = 0; v < verdicts.size(); ++v) verdicts[v] += other.verdicts[v];
  add_counts(counts, other.counts);
  judged += other.judged;
  not_correctly_rounded += other.not_correctly_rounded;
  max_share_of_bound = std::max(max_share_of_bound, other.max_share_of_bound);
  sketch.add(other.sketch);
  if (other.largest.ulp > largest.ulp) largest = other.largest;
  if (other.largest_finite.ulp > largest_finite.ulp) largest_finite = other.largest_finite;
  if (other.normwise.u > normwise.u) normwise = other.normwise;
  for (const auto& [name, times] : other.out_of_range) out_of_range[name] += times;
  for (const auto& [note, times] : other.notes) notes[note] += times;
}

}  // namespace normcheck
