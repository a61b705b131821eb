// Evaluates the candidates and chooses.
#include "reports/advice/advise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/error.h"
#include "reports/kappa_sweep.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
/// Found by a search: the usual ones; what it finds is given to all.
constexpr std::string_view searched_algorithms[] = {"naive", "two_pass", "pairwise", "welford",
                                                    "compensated_mean"};
/// A dearer candidate is sharper where its bound is smaller by this.
constexpr double worth = 0.95;
constexpr std::int64_t longest_break = std::int64_t{1} << 17;

double bound_at(const Subject& subject, const Setting& setting, const Limit& limit) {
  double most = 0;
  RowTruth truth;
  bool any = false;
  for (const Case& c : few_rows(setting)) {
    RowInput input(c);
    if (!truth.load(input, 0, subject.contract.reads_prefixes())) continue;
    any = true;
    const double bound = truth.bound(subject.contract);
    most = std::max(most, limit.in_ulp ? bound / truth.unit() : bound);
  }
  return any ? most : none;
}

/// The least kappa, to about a fifth (of long rows to a factor of 2), at which the bound is above `level`; 0:
/// none that the format reaches. It is monotone as far as this goes: what is told is "about".
double kappa_past(const Subject& subject, const Setting& setting, const Limit& limit, double level) {
  const auto past = [&](double kappa) {
    Setting there = setting;
    there.kappa = kappa;
    const double bound = bound_at(subject, there, limit);
    return std::isfinite(level) ? bound > level : std::isinf(bound);
  };
  double high = 1;
  while (kappa_reachable(setting.dtype, setting.n, high * 2) && high < 1e16) high *= 2;
  double low = 1;
  if (past(low)) return low;
  if (!past(high)) return 0;
  // A long row takes its time.
  const double close = setting.n > 16384 ? 2 : 1.2;
  while (high / low > close) {
    const double middle = std::sqrt(low * high);
    (past(middle) ? high : low) = middle;
  }
  return high;
}

std::vector<Subject> to_search(const std::vector<Candidate>& all, DType natural) {
  std::vector<Subject> out;
  for (const Candidate& c : all) {
    const Row& row = *c.subject.row;
    const bool wanted = std::find(std::begin(searched_algorithms), std::end(searched_algorithms),
                                  row.algorithm) != std::end(searched_algorithms);
    if (!wanted || row.accumulate != natural || row.variant.finish != Finish::direct) continue;
    // Where its own bound is void there is nothing to climb: then `stable` says which rows count.
    out.push_back(is_right(row) ? c.subject : Subject{&row, {}});
  }
  return out;
}

void choose(Advice& a) {
  const DType natural = stable_accumulate(a.plan.setting.dtype);
  const auto index = [&](const Advised& x) { return static_cast<int>(&x - a.table.data()); };
  const auto bound = [&](const Advised& x) {
    if (!x.built.proven() || (x.mine && x.mine->rows > 0 && !x.mine->proven())) return none;
    return std::max(a.limit.of_bound(x.built), x.mine ? a.limit.of_bound(*x.mine) : 0);
  };
  for (const Advised& x : a.table) {
    if (!x.allowed || !x.candidate.counter.empty()) continue;
    const double error =
        std::max(a.limit.of_error(x.built), x.mine && x.mine->rows > 0 ? a.limit.of_error(*x.mine) : 0);
    if (a.use < 0 && x.proven(a.limit)) a.use = index(x);
    if (a.steady < 0 && x.proven(a.limit) && is_right(*x.candidate.subject.row)) a.steady = index(x);
    if (a.known < 0 && x.built.rows > 0 && error <= a.limit.value) a.known = index(x);
    if (x.candidate.subject.row->accumulate == natural && std::isfinite(bound(x)) &&
        (a.sharpest < 0 || bound(x) < worth * bound(a.table[static_cast<std::size_t>(a.sharpest)])))
      a.sharpest = index(x);
  }
}

}  // namespace

std::string Limit::text() const {
  return in_ulp ? fmt::format("{} ulp of max|y|", short_number(value)) : short_number(value);
}

Breaks breaks_of(const Subject& subject, const Setting& setting, const Limit& limit) {
  Breaks out;
  out.kappa_over = kappa_past(subject, setting, limit, limit.value);
  out.kappa_void = kappa_past(subject, setting, limit, none);
  Setting longer = setting;
  for (out.n_tried = setting.n; out.n_over == 0; out.n_tried = longer.n) {
    if (bound_at(subject, longer, limit) > limit.value) out.n_over = longer.n;
    if (out.n_over != 0 || longer.n * 2 > longest_break) break;
    longer.n *= 2;
  }
  return out;
}

Advice advise(AdvicePlan plan) {
  Advice a;
  a.plan = std::move(plan);
  const Setting& s = a.plan.setting;
  std::vector<Case> rows = advice_rows(s);
  if (rows.empty() || !kappa_reachable(s.dtype, s.n, s.kappa)) {
    throw InputError(fmt::format("--kappa: no row of {} numbers in {} has a kappa of {}; expected less", s.n,
                                 dtype_name(s.dtype), short_number(s.kappa)));
  }
  a.limit = a.plan.limit.value_or(Limit{});
  const std::vector<Candidate> all = candidates(s.dtype);
  std::vector<Subject> subjects;
  for (const Candidate& c : all) {
    subjects.push_back(c.subject);
    a.table.push_back({c, {}, std::nullopt, a.plan.passes == 0 || c.passes <= a.plan.passes});
  }
  std::vector<Case> found = searched_rows(s, to_search(all, stable_accumulate(s.dtype)), rows);
  a.searched = static_cast<std::int64_t>(found.size());
  for (Case& c : found) rows.push_back(std::move(c));
  std::vector<Evaluated> out(subjects.size());
  for (const Case& c : rows) a.rows += evaluate(c, subjects, out);
  for (std::size_t i = 0; i < out.size(); ++i) a.table[i].built = out[i];
  if (!a.plan.layers.empty()) {
    std::vector<Evaluated> mine(subjects.size());
    for (LayerMeasure& layer : a.plan.layers) {
      if (layer.worst_row < 0 || layer.dtype != s.dtype) continue;
      std::vector<Evaluated> here(subjects.size());
      a.mine_rows += evaluate(layer.kept, subjects, here);
      for (std::size_t i = here.size(); i-- > 0;) {
        mine[i].take(here[i]);
        if (a.table[i].allowed && all[i].counter.empty() && a.limit.proven(here[i]))
          layer.cheapest = all[i].subject.row->name;
      }
    }
    for (std::size_t i = 0; i < mine.size(); ++i) a.table[i].mine = mine[i];
  }
  choose(a);
  const int told = a.use >= 0 ? a.use : a.sharpest;
  if (told >= 0)
    a.use_breaks = breaks_of(a.table[static_cast<std::size_t>(told)].candidate.subject, s, a.limit);
  const auto naive = std::find_if(a.table.begin(), a.table.end(), [&](const Advised& x) {
    const Row& row = *x.candidate.subject.row;
    return row.algorithm == "naive" && row.accumulate == stable_accumulate(s.dtype);
  });
  if (naive != a.table.end()) a.naive_breaks = breaks_of(naive->candidate.subject, s, a.limit);
  return a;
}

}  // namespace normcheck
