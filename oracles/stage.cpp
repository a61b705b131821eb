// Finds the first of the six steps that is out of its own bound.
#include <cmath>

#include "impl/trace.h"
#include "oracles/row_input.h"

namespace normcheck {
namespace {

/// A step's computed values against exact ones; the first that is too far off.
class StageSearch {
 public:
  StageSearch(const Case& c, DType accumulate)
      : case_(c), to_double_(narrowing(working(accumulate), DType::f64)) {}

  void check(Step step, bool statistic, double got, const ExactValue& exact, double allowance) {
    if (found) return;
    // A trace is in doubles, to which a wider type is rounded.
    const double magnitude = std::nextafter(std::fabs(exact.to_double()), Upward::infinity());
    allowance = to_double_(Upward(allowance), Upward(magnitude)).value();
    const bool right =
        std::isfinite(got) ? std::isinf(allowance) || exact.within(got, allowance) : std::isinf(allowance);
    if (right) return;
    found = StageReport{std::string(step_names[static_cast<std::size_t>(step)]),
                        shape_text(statistic ? statistics_shape(case_) : case_.x.shape), got,
                        exact.to_double(), allowance};
  }

  std::optional<StageReport> found;

 private:
  const Case& case_;
  Narrowing to_double_;
};

}  // namespace

std::optional<StageReport> first_wrong_stage(const Case& c, const Row& row, std::int64_t row_index,
                                             const Contract& contract) {
  if (row.trace == nullptr) return std::nullopt;
  RowInput input(c);
  if (!input.load(row_index, contract.reads_prefixes())) return std::nullopt;
  const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
  const ExactRow& exact = input.exact_row();
  if (!allowance.in_range() || exact.degenerate()) return std::nullopt;
  const RowTrace trace = trace_row(row, c, row_index);
  const auto n = static_cast<std::int64_t>(input.x.size());

  StageSearch search(c, row.accumulate);
  search.check(Step::mean, true, trace.mean, exact.mean(), allowance.mean_step());
  for (std::int64_t i = 0; i < n && !search.found; ++i) {
    search.check(Step::centre, false, trace.centre[static_cast<std::size_t>(i)], exact.deviation(i),
                 allowance.centre(input.condition.facts().deviation[i]));
  }
  search.check(Step::variance, true, trace.variance, exact.variance(), allowance.variance_step());
  if (allowance.voided()) return search.found;
  search.check(Step::rstd, true, trace.rstd, exact.rstd(), allowance.rstd_step());
  for (std::int64_t i = 0; i < n && !search.found && !trace.normalize.empty(); ++i) {
    search.check(Step::normalize, false, trace.normalize[static_cast<std::size_t>(i)], exact.x_hat(i),
                 allowance.x_hat(input.element(i).facts));
  }
  for (std::int64_t i = 0; i < n && !search.found; ++i) {
    const double gamma = input.gamma_at(i), beta = input.beta_at(i);
    if (!std::isfinite(gamma) || !std::isfinite(beta)) continue;
    search.check(Step::scale_shift, false, trace.scale_shift[static_cast<std::size_t>(i)],
                 exact.y(i, gamma, beta), allowance.y(input.element(i).facts).y);
  }
  return search.found;
}

}  // namespace normcheck
