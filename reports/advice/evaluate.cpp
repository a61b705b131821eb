// Measures errors by the estimate with its proven error, and by exact arithmetic where that is too coarse.
#include "reports/advice/evaluate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();
/// An estimate that is good to this share of an ulp is good enough to be shown.
constexpr double fine = 0x1p-8;

}  // namespace

bool RowTruth::load(RowInput& input, std::int64_t row, bool prefixes) {
  input_ = &input;
  if (!input.load(row, prefixes)) return false;
  const auto n = static_cast<std::int64_t>(input.x.size());
  if (!input.estimate->usable() && input.exact_row().degenerate()) return false;
  const DType dtype = input.problem->x.dtype;
  elements_.clear();
  fine_.clear();
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (!std::isfinite(input.gamma_at(i)) || !std::isfinite(input.beta_at(i))) return false;
    RowInput::Element e = input.element(i);
    fine_.push_back(e.y.error <= fine * ulp(dtype, e.y.value.hi));
    if (!fine_.back())
      e.y.value = {input.exact_row().y(i, input.gamma_at(i), input.beta_at(i)).to_double(), 0};
    largest = std::max(largest, std::fabs(e.y.value.hi));
    elements_.push_back(e);
  }
  unit_ = ulp(dtype, largest);
  return true;
}

double RowTruth::error(std::int64_t i, std::uint64_t got) const {
  const DType dtype = input_->problem->x.dtype;
  const double value = to_double(dtype, got);
  if (!std::isfinite(value)) return none;
  const Estimated& y = elements_[static_cast<std::size_t>(i)].y;
  if (fine_[static_cast<std::size_t>(i)]) return std::fabs(signed_distance(y, value));
  const ExactValue exact = input_->exact_row().y(i, input_->gamma_at(i), input_->beta_at(i));
  return std::fabs(exact.error_ulp(dtype, got)) * std::ldexp(1.0, exact.ulp_exponent(dtype));
}

bool RowTruth::bounds(const Contract& contract, std::vector<double>& out) const {
  const Case& c = *input_->problem;
  const RowAllowance allowance(contract, c.x.dtype, facts(), c.eps);
  if (!allowance.in_range() || allowance.voided() ||
      !allowance.in_range(input_->gamma_largest, input_->beta_largest))
    return false;
  out.clear();
  for (const RowInput::Element& e : elements_) out.push_back(allowance.y_error(e.facts));
  return true;
}

double RowTruth::bound(const Contract& contract) const {
  std::vector<double> each;
  return bounds(contract, each) ? *std::max_element(each.begin(), each.end()) : none;
}

void Evaluated::take(const Evaluated& other) {
  if (rows == 0 || other.error_ulp > error_ulp) error_case = other.error_case;
  error_abs = std::max(error_abs, other.error_abs);
  error_ulp = std::max(error_ulp, other.error_ulp);
  bound_abs = std::max(bound_abs, other.bound_abs);
  bound_ulp = std::max(bound_ulp, other.bound_ulp);
  rows += other.rows;
  void_rows += other.void_rows;
  exceeded += other.exceeded;
}

std::int64_t evaluate(const Case& c, std::span<const Subject> subjects, std::span<Evaluated> out) {
  std::vector<Observation> observed;
  bool prefixes = false;
  for (const Subject& s : subjects) {
    observed.push_back(run_case(*s.row, c));
    prefixes |= s.contract.reads_prefixes();
  }
  RowInput input(c);
  RowTruth truth;
  std::int64_t measured = 0;
  std::vector<double> allowed;
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    if (!truth.load(input, r, prefixes)) continue;
    ++measured;
    for (std::size_t s = 0; s < subjects.size(); ++s) {
      if (observed[s].status != Status::ok) continue;
      Evaluated here;
      here.rows = 1;
      here.error_case = c.id;
      const bool bounded = truth.bounds(subjects[s].contract, allowed);
      here.void_rows = bounded ? 0 : 1;
      for (std::int64_t i = 0; i < truth.size(); ++i) {
        const double error = truth.error(i, observed[s].y.bits(r * truth.size() + i));
        here.error_abs = std::max(here.error_abs, error);
        if (!bounded) continue;
        const double bound = allowed[static_cast<std::size_t>(i)];
        here.bound_abs = std::max(here.bound_abs, bound);
        // What the estimate leaves open is no verdict: that is the judge's.
        if (error > bound * (1 + 0x1p-20) + fine * truth.unit()) here.exceeded = 1;
      }
      here.error_ulp = here.error_abs / truth.unit();
      here.bound_ulp = here.bound_abs / truth.unit();
      out[s].take(here);
    }
  }
  return measured;
}

}  // namespace normcheck
