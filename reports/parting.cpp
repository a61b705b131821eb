// Searches for the row of data on which two implementations part most.
#include "reports/parting.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "oracles/bound.h"
#include "oracles/row_input.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

/// Row `row` of a case as a case.
Case one_row(const Case& c, std::int64_t row) {
  Case out = c;
  out.x.shape = normalized_shape(c);
  out.x.shape.insert(out.x.shape.begin(), 1);
  const auto bytes =
      static_cast<std::ptrdiff_t>(row_length(c)) * static_cast<std::ptrdiff_t>(size_of(c.x.dtype));
  out.x.data.assign(c.x.data.begin() + row * bytes, c.x.data.begin() + (row + 1) * bytes);
  out.generated.reset();
  out.expect = Expect::bound;
  out.nan_rows.clear();
  out.violates.clear();
  out.notes.clear();
  return out;
}

double gamma_at(const Case& c, std::int64_t i) { return c.gamma ? c.gamma->value(i) : 1; }
double beta_at(const Case& c, std::int64_t i) { return c.beta ? c.beta->value(i) : 0; }

/// Where in a row of two outputs they part most, and by how much.
struct Gap {
  double apart = 0;
  std::int64_t column = 0;
};
Gap widest_gap(const Case& c, const Tensor& a, const Tensor& b, std::int64_t row) {
  Gap out;
  const std::int64_t n = row_length(c);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t at = row * n + i;
    if (a.bits(at) == b.bits(at)) continue;
    const double gamma = gamma_at(c, i), beta = beta_at(c, i);
    if (!std::isfinite(gamma) || !std::isfinite(beta)) continue;
    const double apart = apart_ulp(c.x.dtype, a.value(at), b.value(at), gamma, beta);
    if (apart > out.apart) out = {apart, i};
  }
  return out;
}

class Search {
 public:
  Search(const Row& a, const Row& b, DType dtype, const SweepPlan& plan)
      : a_(a), b_(b), dtype_(dtype), plan_(plan) {}

  /// Both on every row of a case; the rows that part them more than any before are kept.
  void run(const Case& c, const std::string& from) {
    const Observation ya = run_case(a_, c), yb = run_case(b_, c);
    if (ya.status != Status::ok || yb.status != Status::ok) return;
    ++out_.cases;
    out_.rows += row_count(c);
    out_.all.add(compare_outputs(c, ya.y, yb.y, plan_.oracle));
    for (std::int64_t row = 0; row < row_count(c) && row_length(c) > 0; ++row) {
      const Gap gap = widest_gap(c, ya.y, yb.y, row);
      if (!parts_more(gap, row_length(c))) continue;
      Case single = one_row(c, row);
      if (counts(single, gap.column))
        out_.most = {std::move(single), gap.column, gap.apart, from, gap.apart, 0};
    }
  }

  /// Small steps from the best row; a step that parts the two more is kept.
  void climb(std::int64_t tries) {
    if (!out_.most) return;
    CounterRng rng = CounterRng(plan_.seed, 0x70617274).fork(static_cast<std::uint64_t>(dtype_));  // "part"
    for (std::int64_t i = 0; i < tries && std::isfinite(out_.most->apart_ulp); ++i) {
      Case next = step(out_.most->problem, rng);
      ++out_.rows;
      const Observation ya = run_case(a_, next), yb = run_case(b_, next);
      const Gap gap = widest_gap(next, ya.y, yb.y, 0);
      if (!(gap.apart > out_.most->apart_ulp) || !counts(next, gap.column)) continue;
      out_.most->problem = std::move(next);
      out_.most->column = gap.column;
      out_.most->apart_ulp = gap.apart;
      ++out_.most->steps;
    }
  }

  PartingSearch& result() { return out_; }

 private:
  /// Of two rows on which one gives a number and the other none, the shorter says more.
  bool parts_more(const Gap& gap, std::int64_t n) const {
    if (!out_.most) return gap.apart > 0;
    if (gap.apart != out_.most->apart_ulp) return gap.apart > out_.most->apart_ulp;
    return std::isinf(gap.apart) && n < row_length(out_.most->problem);
  }

  /// Whether both are judged on this row, and one of them has a bound.
  bool counts(const Case& c, std::int64_t column) const {
    RowInput input(c);
    if (!input.load(0, a_.reads_prefixes || b_.reads_prefixes) || !input.estimate->usable()) return false;
    bool bounded = false;
    for (const Row* row : {&a_, &b_}) {
      const RowAllowance allowance({ContractKind::own, row}, c.x.dtype, input.condition.facts(), c.eps);
      if (!allowance.in_range()) return false;
      if (allowance.voided()) continue;
      if (!allowance.y(input.element(column).facts).in_range) return false;
      bounded = true;
    }
    return bounded;
  }

  Case step(const Case& from, CounterRng& rng) const {
    Case c = from;
    const std::int64_t n = row_length(c);
    const auto any = [&] { return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(n))); };
    const auto put = [&](std::int64_t i, double v) {
      const double omega = largest_finite(dtype_);
      c.x.set_value(i, std::clamp(v, -omega, omega));
    };
    const std::int64_t i = any(), j = any();
    switch (rng.below(5)) {
      case 0: {  // a few elements by a few ulp
        for (std::int64_t k = rng.between(1, 4); k > 0; --k) {
          const std::int64_t at = any();
          const double v = c.x.value(at),
                       by = std::ldexp(ulp(dtype_, v), static_cast<int>(rng.between(0, 10)));
          put(at, rng.coin() ? v + by : v - by);
        }
        break;
      }
      case 1: {
        const double v = c.x.value(i);
        put(i, c.x.value(j));
        put(j, v);
        break;
      }
      case 2:
        put(i, c.x.value(j));
        break;
      case 3: {  // the mean, away from the spread
        const double by = std::ldexp(c.x.value(i), -static_cast<int>(rng.between(0, 6)));
        for (std::int64_t k = 0; k < n; ++k) put(k, c.x.value(k) + by);
        break;
      }
      default: {  // towards one element
        const double to = c.x.value(i);
        for (std::int64_t k = 0; k < n; ++k) put(k, to + (c.x.value(k) - to) / 2);
      }
    }
    return c;
  }

  const Row& a_;
  const Row& b_;
  DType dtype_;
  const SweepPlan& plan_;
  PartingSearch out_;
};

}  // namespace

double apart_ulp(DType dtype, double a, double b, double gamma, double beta) {
  if (std::isfinite(a) != std::isfinite(b)) return std::numeric_limits<double>::infinity();
  if (!std::isfinite(a)) return 0;
  const double made = std::min(std::fabs(gamma) + std::fabs(beta), std::numeric_limits<double>::max());
  const double size = std::max(made, std::min(std::fabs(a), std::fabs(b)));
  return std::min(std::fabs(a - b) / ulp(dtype, size), std::numeric_limits<double>::max());
}

PartingSearch search_parting(const Row& a, const Row& b, DType dtype, const SweepPlan& plan,
                             const std::function<void(double)>& seen) {
  Search search(a, b, dtype, plan);
  for (const CorpusCase& known : plan.corpus) {
    if (known.problem.x.dtype == dtype) search.run(known.problem, known.group);
  }
  const std::int64_t steps = plan.budget.evaluations / 4, rows = plan.budget.evaluations - steps;
  std::int64_t done = 0;
  for (std::uint64_t item = 0; done < rows && !plan.regimes.empty(); ++item) {
    const Case c = generated_case(plan, dtype, item, rows - done);
    search.run(c, std::string(plan.regimes[item % plan.regimes.size()]->name));
    done += std::max<std::int64_t>(1, row_count(c));
    seen(static_cast<double>(done) / static_cast<double>(plan.budget.evaluations));
  }
  search.climb(steps);
  return std::move(search.result());
}

}  // namespace normcheck
