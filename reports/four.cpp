// Puts the four layer norms side by side.
#include "reports/four.h"

#include <algorithm>

#include "oracles/exact.h"

namespace normcheck {

std::optional<Family> family_of(const Row& row) {
  if (is_half(row.accumulate)) return Family::half;
  for (const Family family : {Family::naive, Family::two_pass, Family::welford}) {
    if (row.algorithm != family_names[static_cast<std::size_t>(family)]) continue;
    // A variant that is expected to fail, with a coarse root, says nothing of the algorithm.
    return is_right(row) == is_right(*family_row(family, DType::f32)) ? std::optional(family) : std::nullopt;
  }
  return std::nullopt;
}

const Row* family_row(Family family, DType storage) {
  if (family == Family::half) {
    if (storage == DType::f16) return find_row("two_pass/f16");
    return storage == DType::bf16 ? find_row("two_pass/bf16") : nullptr;
  }
  const std::string name(family_names[static_cast<std::size_t>(family)]);
  return find_row(name + (storage == DType::f64 ? "/f64" : "/f32"));
}

std::vector<FamilyResult> family_results(const std::vector<SweepEntry>& entries) {
  std::vector<FamilyResult> results;
  for (const Family family : {Family::naive, Family::two_pass, Family::welford, Family::half}) {
    FamilyResult result{};
    result.family = family;
    for (const SweepEntry& entry : entries) {
      if (family_of(*entry.row) != family) continue;
      const Tally total = entry.total();
      if (total.normwise.u > result.total.normwise.u) result.of_normwise = &entry;
      result.total.add(total);
      ++result.rows_by_dtype;
      if (entry.dtype == entry.row->accumulate) {
        result.largest_share = std::max(result.largest_share, total.max_share_of_bound);
        auto& of = result.share_of;
        if (std::find(of.begin(), of.end(), entry.dtype) == of.end()) of.push_back(entry.dtype);
      }
      result.expected_to_fail |= !is_right(*entry.row);
    }
    if (result.rows_by_dtype > 0) results.push_back(std::move(result));
  }
  return results;
}

const KappaCurve* family_curve(Family family, std::int64_t n, const std::vector<KappaCurve>& curves) {
  const DType dtype = family == Family::half ? DType::f16 : DType::f32;
  const Row* row = family_row(family, dtype);
  const auto found = std::find_if(curves.begin(), curves.end(), [&](const KappaCurve& curve) {
    return curve.row == row && curve.dtype == dtype && curve.n == n;
  });
  return found == curves.end() ? nullptr : &*found;
}

std::vector<PublicInput> public_inputs(const std::vector<SweepEntry>& entries, const SweepPlan& plan) {
  std::vector<PublicInput> inputs;
  for (std::size_t i = 0; i < plan.corpus.size(); ++i) {
    const CorpusCase& known = plan.corpus[i];
    if (known.group != "corpus/public") continue;
    PublicInput input{&known, {}, {}};
    for (std::size_t f = 0; f < 4; ++f) {
      const Row* row = family_row(static_cast<Family>(f), known.problem.x.dtype);
      if (row == nullptr) continue;
      input.rows[f] = row->name;
      for (const SweepEntry& entry : entries) {
        if (entry.row != row) continue;
        for (const CorpusResult& result : entry.corpus) {
          if (result.index == i) input.results[f] = result;
        }
      }
    }
    inputs.push_back(input);
  }
  return inputs;
}

HalfSum half_sum(OracleChoice oracle) {
  constexpr std::int64_t n = 4096;
  Case c;
  c.id = "half-sum";
  c.x = Tensor(DType::f16, {1, n});
  std::vector<double> x(n);
  for (std::int64_t i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = i < n / 2 ? 1 : 2;
    c.x.set_value(i, x[static_cast<std::size_t>(i)]);
  }
  HalfSum out;
  const Row* half = family_row(Family::half, DType::f16);
  const Row* single = family_row(Family::two_pass, DType::f16);
  if (half == nullptr || single == nullptr) return out;
  const Observation observed = run_case(*half, c, {.mean = true});
  const Observation wide = run_case(*single, c, {.mean = true});
  const Judgement j = judge(c, observed, {}, oracle);
  out.impl = half->name;
  out.mean = observed.mean ? observed.mean->value(0) : 0;
  out.mean_f32 = wide.mean ? wide.mean->value(0) : 0;
  out.exact_mean = ExactRow(x.data(), n, c.eps).mean().to_double();
  out.verdict = j.verdict;
  out.max_ulp = j.errors.max_ulp;
  return out;
}

}  // namespace normcheck
