// Draws cases by number, runs one implementation on them, and counts what the judge says.
#include "reports/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "impl/plugin/plugin.h"
#include "reports/draw_length.h"
#include "reports/four.h"
#include "reports/in_order.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

GenRequest draw_request(const SweepPlan& plan, DType dtype, std::uint64_t item) {
  CounterRng rng = CounterRng(plan.seed, 0x73776565).fork(item);  // its own stream: "swee"
  GenRequest request;
  request.dtype = dtype;
  if (!plan.shapes.empty()) {
    std::tie(request.rows, request.n) = plan.shapes[item / plan.regimes.size() % plan.shapes.size()];
  } else {
    const auto& list = plan.lengths.list;
    request.n = list.empty() ? draw_length(rng, plan.lengths.lo, plan.lengths.hi)
                             : list[item / plan.regimes.size() % list.size()];
    // Few rows where they are long: a row more says less than a case more.
    request.rows = rng.between(1, request.n < 256 ? 8 : request.n < 1024 ? 2 : 1);
  }
  request.norm_ndim = plan.norm_ndim.value_or(rng.coin(0.7) ? 1 : rng.between(2, 3));
  if (plan.eps) {
    request.eps = *plan.eps;
    request.fixed_eps = true;
  }
  return request;
}

/// Half of all calls ask for neither statistic, as most callers do.
Wanted draw_wanted(std::uint64_t item) {
  constexpr std::array<Wanted, 8> choices = {
      {{}, {true, true}, {}, {true, false}, {}, {false, true}, {}, {true, true}}};
  return choices[(item * 0x9E3779B97F4A7C15U) >> 61];
}

/// Larger is worse: a wrong class first, then by the multiple of the allowance, then the smaller case.
struct Severity {
  bool wrong_class;
  double ratio;
  std::int64_t size;
  friend bool operator<(const Severity& a, const Severity& b) {
    if (a.wrong_class != b.wrong_class) return b.wrong_class;
    if (a.ratio != b.ratio) return a.ratio < b.ratio;
    return a.size > b.size;
  }
};

Severity severity(const Finding& finding) {
  Severity out{true, 0, finding.problem.x.size()};
  if (const auto& worst = finding.judgement.worst) {
    out.wrong_class = !std::isfinite(worst->error_ulp);
    if (!out.wrong_class && worst->allowed_ulp > 0)
      out.ratio = std::fabs(worst->error_ulp) / worst->allowed_ulp;
  }
  return out;
}

/// Collects one implementation at one dtype.
class Sweeper {
 public:
  Sweeper(const Row& row, DType dtype, const SweepPlan& plan) : row_(row), plan_(plan) {
    entry_.row = &row;
    entry_.dtype = dtype;
    for (const Regime* regime : plan.regimes)
      entry_.regimes.push_back({.regime = std::string(regime->name), .keeps_cases = plan.keeps_cases});
    contract_ = held_to(plan, row);
    implementation_ = dynamic_cast<Implementation*>(row.outside);
    if (implementation_ != nullptr && plan.probes.run) implementation_->share = 0.5;
    entry_.contract = contract_name(contract_);
  }

  Verdict run(std::size_t slot, const Case& c, Wanted wanted, double* max_ulp = nullptr) {
    Tally& tally = entry_.regimes[slot];
    const auto begin = std::chrono::steady_clock::now();
    Observation observed = run_case(row_, c, wanted);
    in_kernel_ += std::chrono::steady_clock::now() - begin;
    const Judgement j = judge(c, observed, contract_, plan_.oracle);
    if (is_finding(j.verdict)) {
      found_ = true;
      // The statistics that this call did not ask for may be worse still: show what replay will show.
      // Of a kernel from outside, which need not do the same again, what was seen is what is shown.
      Finding finding = make_finding(
          row_, c, row_.outside != nullptr ? j : run_and_judge(row_, c, contract_, plan_.oracle), contract_);
      finding.regime = tally.regime;
      if (row_.outside != nullptr) finding.output = std::move(observed.y);
      entry_.unexpected_findings += finding.expected ? 0 : 1;
      keep(slot, std::move(finding));
    }
    tally.count(j, c);
    if (max_ulp != nullptr) *max_ulp = j.errors.judged > 0 ? j.errors.max_ulp : -1;
    return j.verdict;
  }

  /// Up to this share of the budget; the next call goes on from there.
  void run_generated(double share = 1) {
    if (plan_.regimes.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    in_kernel_ = {};
    std::int64_t& evaluations = entry_.generated;
    const auto most = static_cast<std::int64_t>(share * static_cast<double>(plan_.budget.evaluations));
    // A program may compile for each shape: equal ones come one after the other.
    const std::size_t together = implementation_ == nullptr || !implementation_->is_program ? 1
                                 : plan_.budget.seconds > 0                                 ? 32
                                                                                            : 1024;
    std::vector<std::pair<std::uint64_t, Case>> waiting;
    const auto run_waiting = [&] {
      std::map<std::pair<std::int64_t, std::vector<std::int64_t>>, std::size_t>
          first;  // in order of appearance
      const auto place = [&](const Case& c) {
        return first.emplace(std::pair(c.norm_ndim, c.x.shape), first.size()).first->second;
      };
      for (const auto& [of, c] : waiting) place(c);
      std::stable_sort(waiting.begin(), waiting.end(),
                       [&](const auto& a, const auto& b) { return place(a.second) < place(b.second); });
      for (const auto& [of, c] : waiting) run(of % plan_.regimes.size(), c, draw_wanted(of));
      waiting.clear();
    };
    for (std::uint64_t& item = next_item_; !is_done(); ++item) {
      if (is_slow()) {
        is_too_slow_for(fmt::format("all but {} of {} evaluations", evaluations, plan_.budget.evaluations));
        break;
      }
      std::int64_t most_rows = std::numeric_limits<std::int64_t>::max();
      if (plan_.budget.seconds > 0) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
        if (spent.count() >= plan_.budget.seconds) break;
      } else {
        if (evaluations >= most) break;
        most_rows = plan_.budget.evaluations - evaluations;
      }
      Case c = generated_case(plan_, entry_.dtype, item, most_rows);
      evaluations += std::max<std::int64_t>(1, row_count(c));
      waiting.emplace_back(item, std::move(c));
      if (waiting.size() == together) run_waiting();
    }
    run_waiting();
  }

  /// Widths between the usual ones and the long ones, then batches larger than the usual ones.
  void run_wide_and_tall() {
    const std::size_t size = plan_.regimes.size();
    if (size == 0) return;
    CounterRng rng = CounterRng(plan_.seed, 0x77696465).fork(static_cast<std::uint64_t>(entry_.dtype));
    std::uint64_t index = std::uint64_t{1} << 33;
    for (std::int64_t i = 0; i < plan_.long_rows * (wide_per_long + tall_per_long); ++i, ++index) {
      const bool is_tall = i >= plan_.long_rows * wide_per_long;
      const std::int64_t rows = is_tall ? draw_length(rng, 9, 4096) : 1;
      const std::int64_t n =
          is_tall ? draw_length(rng, 1, std::max<std::int64_t>(1, std::min<std::int64_t>(64, 32768 / rows)))
                  : draw_between(rng, 4097, 65536);
      // Every regime has its turn over two seeds and the four dtypes.
      const std::size_t first = rng.below(size);
      for (std::size_t tried = 0; tried < size && !is_done(); ++tried) {
        const std::size_t slot = (first + tried) % size;
        if (is_too_slow_for("long rows and large batches")) return;
        const Case c = long_case(slot, rows, n, index);
        if (row_length(c) < n / 2 || row_count(c) < rows / 2 || row_count(c) == 0) continue;
        run(slot, c, draw_wanted(index));
        break;
      }
    }
  }

  /// Spread evenly over the regimes, those passed over that make no row of that length.
  void run_long() {
    const std::size_t size = plan_.regimes.size();
    if (size == 0) return;
    std::uint64_t index = std::uint64_t{1} << 32;  // apart from the numbers of the short cases
    for (std::size_t k = 0; k < long_lengths.size(); ++k) {
      for (std::int64_t i = 0; i < plan_.long_rows; ++i, ++index) {
        const std::size_t first =
            static_cast<std::size_t>(i) * size / static_cast<std::size_t>(plan_.long_rows) + k;
        if (is_too_slow_for("long rows")) return;
        for (std::size_t tried = 0; tried < size && !is_done(); ++tried) {
          const std::size_t slot = (first + tried) % size;
          const Case c = long_case(slot, 1, long_lengths[k], index);
          if (row_length(c) < long_lengths[k] / 2 || row_count(c) == 0) continue;
          run(slot, c, draw_wanted(index));
          break;
        }
      }
    }
  }

  void run_corpus() {
    const auto names_row = [&](const CorpusCase& known) {
      const auto& violates = known.problem.violates;
      return std::find(violates.begin(), violates.end(), row_.name) != violates.end();
    };
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < plan_.corpus.size(); ++i) {
      const Case& problem = plan_.corpus[i].problem;
      // An integer x belongs to no row; it is to be refused, and is asked of each row once.
      const bool here = problem.x.dtype == entry_.dtype ||
                        (!is_float(problem.x.dtype) && entry_.dtype == row_.storages.front());
      if (here) order.push_back(i);
    }
    const double seconds = plan_.corpus_seconds;
    const bool hurries = seconds > 0;
    if (hurries) {
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const CorpusCase &one = plan_.corpus[a], &other = plan_.corpus[b];
        return std::tuple(!names_row(one), one.problem.x.size()) <
               std::tuple(!names_row(other), other.problem.x.size());
      });
    }
    bool is_family = false;
    for (const Family family : {Family::naive, Family::two_pass, Family::welford, Family::half})
      is_family = is_family || family_row(family, entry_.dtype) == &row_;
    const auto start = std::chrono::steady_clock::now();
    std::int64_t left_out = 0;
    for (const std::size_t i : order) {
      if (is_done()) break;
      const CorpusCase& known = plan_.corpus[i];
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
      const bool is_public = is_family && known.group == "corpus/public";
      if (hurries && spent.count() > seconds && !names_row(known) && !is_public) {
        ++left_out;
        continue;
      }
      double max_ulp = -1;
      const Verdict verdict = run(slot_of(known.group), known.problem, {}, &max_ulp);
      entry_.corpus.push_back({i, verdict, max_ulp});
      if (names_row(known) && !is_finding(verdict) && plan_.contract.kind == ContractKind::stable)
        entry_.unexpected_passes.push_back(known.file);
    }
    if (left_out > 0)
      entry_.notes.push_back(fmt::format("the budget is short: {} of {} cases of the corpus were left out",
                                         left_out, order.size()));
  }

  void run_evidence() {
    if (is_done() || plan_.evidence.lengths.empty() || contract_.kind == ContractKind::own) return;
    if (is_too_slow_for("the rows of evidence")) return;
    const EvidenceResult result = normcheck::run_evidence(row_, entry_.dtype, contract_, plan_.evidence);
    const std::size_t slot = slot_of(std::string(evidence_name));
    for (const EvidenceCase& c : result.cases) {
      if (c.judged) entry_.regimes[slot].count(c.judgement, c.problem);
      if (!c.judged || !is_finding(c.judgement.verdict)) continue;
      Finding finding = evidence_finding(row_, result, c, contract_, plan_.evidence);
      entry_.unexpected_findings += finding.expected ? 0 : 1;
      keep(slot, std::move(finding));
    }
  }

  void run_probes() {
    if (implementation_ == nullptr || !plan_.probes.run || is_done()) return;
    implementation_->share = 1;
    probes_ =
        normcheck::run_probes(row_, entry_.dtype, contract_, plan_.probes, entry_.total().findings() > 0);
  }

  std::string first_look() const {
    const Tally so_far = entry_.total();
    return fmt::format("{} {}: {} in the {} of the corpus", row_.name, dtype_name(entry_.dtype),
                       so_far.findings() == 0 ? "no finding" : counted(so_far.findings(), "finding"),
                       counted(so_far.cases, "case"));
  }

  SweepEntry finish() {
    SweepEntry out = std::move(entry_);
    for (std::size_t slot = 0; slot < worst_.size(); ++slot) {
      for (Finding& finding : worst_[slot]) {
        out.findings.push_back(std::move(finding));
        out.of_regime.push_back(out.regimes[slot].findings());
      }
    }
    out.probes = std::move(probes_.tallies);
    for (Finding& finding : probes_.findings) {
      const auto of = std::find_if(out.probes.begin(), out.probes.end(),
                                   [&](const ProbeTally& t) { return t.probe->name == finding.probe; });
      out.findings.push_back(std::move(finding));
      out.of_regime.push_back(of->findings);
    }
    out.unexpected_findings += out.probe_findings();
    std::erase_if(out.regimes, [](const Tally& t) { return t.cases == 0; });
    return out;
  }

 private:
  /// A kernel of this build is not.
  bool is_slow() const {
    return implementation_ != nullptr && plan_.patience > 0 && in_kernel_.count() > plan_.patience;
  }

  /// Where it is: the rest is not run, which is said once.
  bool is_too_slow_for(const std::string& rest) {
    if (is_slow() && !told_slow_) {
      entry_.notes.push_back(
          fmt::format("its calls are slow: {} and what comes behind were left out (--budget {} "
                      "runs all)",
                      rest, plan_.budget.evaluations));
      told_slow_ = true;
    }
    return is_slow();
  }

  bool is_done() const {
    if (!plan_.stop_at_first) return false;
    return found_ || std::any_of(probes_.tallies.begin(), probes_.tallies.end(),
                                 [](const ProbeTally& t) { return t.findings > 0; });
  }

  Case long_case(std::size_t slot, std::int64_t rows, std::int64_t n, std::uint64_t index) const {
    GenRequest request{.dtype = entry_.dtype, .rows = rows, .n = n};
    request.norm_ndim = plan_.norm_ndim.value_or(1);
    if (plan_.eps) {
      request.eps = *plan_.eps;
      request.fixed_eps = true;
    }
    return make_case(*plan_.regimes[slot], request, plan_.seed, index);
  }

  std::size_t slot_of(const std::string& group) {
    for (std::size_t i = 0; i < entry_.regimes.size(); ++i) {
      if (entry_.regimes[i].regime == group) return i;
    }
    entry_.regimes.push_back({.regime = group, .keeps_cases = plan_.keeps_cases});
    return entry_.regimes.size() - 1;
  }

  void keep(std::size_t slot, Finding finding) {
    if (worst_.size() <= slot) worst_.resize(slot + 1);
    auto& kept = worst_[slot];
    const Severity s = severity(finding);
    auto at =
        std::find_if(kept.begin(), kept.end(), [&](const Finding& other) { return severity(other) < s; });
    kept.insert(at, std::move(finding));
    const bool known = entry_.regimes[slot].regime.starts_with("corpus/");
    if (!known && kept.size() > plan_.findings_a_regime) kept.pop_back();
  }

  const Row& row_;
  const SweepPlan& plan_;
  Contract contract_;
  SweepEntry entry_;
  std::vector<std::vector<Finding>> worst_;
  ProbeResults probes_;
  bool found_ = false;
  std::uint64_t next_item_ = 0;
  Implementation* implementation_ = nullptr;
  bool told_slow_ = false;
  std::chrono::duration<double> in_kernel_{};  ///< since the generated cases began
};

}  // namespace

Contract held_to(const SweepPlan& plan, const Row& row) {
  Contract out = plan.contract;
  for (const auto& [of, contract] : plan.contracts) {
    if (of == &row) out = contract;
  }
  if (out.kind == ContractKind::own) out.row = &row;
  return out;
}

Tally SweepEntry::total() const {
  Tally sum;
  for (const Tally& tally : regimes) sum.add(tally);
  return sum;
}

std::int64_t SweepEntry::probe_findings() const {
  std::int64_t sum = 0;
  for (const ProbeTally& tally : probes) sum += tally.findings;
  return sum;
}

Case generated_case(const SweepPlan& plan, DType dtype, std::uint64_t item, std::int64_t most_rows) {
  GenRequest request = draw_request(plan, dtype, item);
  request.rows = std::min(request.rows, most_rows);
  const std::size_t regimes = plan.regimes.size();
  return make_case(*plan.regimes[item % regimes], request, plan.seed, item / regimes);
}

namespace {

/// Rows x n, what says most first.
constexpr std::pair<std::int64_t, std::int64_t> telling_shapes[] = {
    {4, 64},  {2, 1000}, {5, 33},   {1, 4096}, {8, 16}, {3, 257}, {6, 7},    {2, 768}, {1, 2047}, {7, 3},
    {2, 128}, {3, 511},  {1, 1025}, {4, 100},  {8, 2},  {5, 12},  {2, 1536}, {3, 48},  {1, 3000}, {6, 31}};

/// The plan for a kernel that takes few shapes: a quarter of them for its generated cases.
SweepPlan within_shapes(const SweepPlan& plan, std::int64_t shapes) {
  SweepPlan out = plan;
  const auto most = std::clamp<std::int64_t>(shapes / 4, 1, std::size(telling_shapes));
  if (out.shapes.empty() && out.lengths.list.empty() && !out.lengths.given)
    out.shapes.assign(telling_shapes, telling_shapes + most);
  if (!out.norm_ndim) out.norm_ndim = 1;
  return out;
}

}  // namespace

SweepEntry sweep(const Row& row, DType dtype, const SweepPlan& plan) {
  const auto* implementation = dynamic_cast<const Implementation*>(row.outside);
  const bool few = implementation != nullptr && implementation->max_shapes.has_value();
  const SweepPlan own = few ? within_shapes(plan, *implementation->max_shapes) : SweepPlan{};
  Sweeper sweeper(row, dtype, few ? own : plan);
  if (!few) {
    sweeper.run_corpus();
    if (implementation != nullptr && plan.first_look) plan.first_look(sweeper.first_look());
  }
  if (plan.stop_at_first) {  // what only a probe shows is not to wait for all numbers
    sweeper.run_generated(0.125);
    sweeper.run_probes();
  }
  sweeper.run_generated();
  if (!few) sweeper.run_wide_and_tall();
  sweeper.run_long();
  if (!few) sweeper.run_evidence();
  if (few) sweeper.run_corpus();  // hardly two of its cases have one shape
  if (!plan.stop_at_first) sweeper.run_probes();
  return sweeper.finish();
}

void sweep_all(const std::vector<SweepJob>& jobs, const SweepPlan& plan,
               const std::function<void(std::size_t, SweepEntry)>& done) {
  // What a kernel from outside did last may matter to what it does next: its cases come in one order.
  const bool outside =
      std::any_of(jobs.begin(), jobs.end(), [](const SweepJob& job) { return job.row->outside != nullptr; });
  const std::size_t most = outside ? 1 : most_threads();
  in_order<SweepEntry>(
      jobs.size(), [&](std::size_t i) { return sweep(*jobs[i].row, jobs[i].dtype, plan); }, done, most);
}

}  // namespace normcheck
