// Zeroes the subnormal x of a row and sets its allowance beside that of the row as it is.
#include "oracles/flushed_row.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace normcheck {
namespace {

bool is_subnormal(DType dtype, double v) {
  return v != 0 && std::fabs(v) < std::ldexp(1.0, format_of(dtype).emin);
}

Tensor flat(const Tensor& t) {
  Tensor out = t;
  out.shape = {t.size()};
  return out;
}

/// An upper bound of the distance of the two numbers that are estimated.
Upward apart(const Estimated& a, const Estimated& b) {
  const Pair d = two_sum(a.value.hi, -b.value.hi);
  const double distance = std::fabs(d.hi + (d.lo + (a.value.lo - b.value.lo)));
  return Upward(distance) * Upward(1 + 0x1p-40) + Upward(a.error) + Upward(b.error);
}

double covering(double allowance, double other, const Estimated& as_is, const Estimated& flushed) {
  return std::max(allowance, (Upward(other) + apart(as_is, flushed)).value());
}

}  // namespace

std::unique_ptr<FlushedRow> FlushedRow::of(const RowInput& as_is, const Contract& contract) {
  const DType dtype = as_is.problem->x.dtype;
  if (std::none_of(as_is.x.begin(), as_is.x.end(), [&](double v) { return is_subnormal(dtype, v); }))
    return nullptr;
  Case row;
  row.eps = as_is.problem->eps;
  row.x = Tensor(dtype, {1, static_cast<std::int64_t>(as_is.x.size())});
  for (std::size_t i = 0; i < as_is.x.size(); ++i)
    row.x.set_value(static_cast<std::int64_t>(i), is_subnormal(dtype, as_is.x[i]) ? 0 : as_is.x[i]);
  if (as_is.problem->gamma) row.gamma = flat(*as_is.problem->gamma);
  if (as_is.problem->beta) row.beta = flat(*as_is.problem->beta);
  return std::unique_ptr<FlushedRow>(new FlushedRow(std::move(row), contract));
}

FlushedRow::FlushedRow(Case row, const Contract& contract) : problem_(std::move(row)), input_(problem_) {
  input_.load(0, contract.reads_prefixes());
  allowance_.emplace(contract, problem_.x.dtype, input_.condition.facts(), problem_.eps);
}

bool FlushedRow::bounded() const {
  return allowance_->in_range() && !allowance_->voided() && input_.estimate->usable();
}

double FlushedRow::y(double allowance, std::int64_t i, const Estimated& as_is) const {
  if (!bounded()) return Upward::infinity();
  const RowInput::Element e = input_.element(i);
  const ElementAllowance own = allowance_->y(e.facts);
  if (!own.in_range) return Upward::infinity();
  return covering(allowance, (Upward(own.y) + Upward(flushed_parameters(problem_, i, e.facts))).value(),
                  as_is, e.y);
}

double FlushedRow::move(std::int64_t i, const Estimated& as_is) const {
  if (!input_.estimate->usable()) return Upward::infinity();
  const RowInput::Element e = input_.element(i);
  return (apart(as_is, e.y) + Upward(flushed_parameters(problem_, i, e.facts))).value();
}

double FlushedRow::mean(double allowance, const Estimated& as_is) const {
  if (!allowance_->in_range()) return Upward::infinity();
  return covering(allowance, allowance_->mean(), as_is, input_.estimate->mean());
}

double FlushedRow::rstd(double allowance, const Estimated& as_is) const {
  if (!bounded()) return Upward::infinity();
  return covering(allowance, allowance_->rstd(), as_is, input_.estimate->rstd());
}

// With a gamma of 0 the exact y moves by |gamma X|, with a beta of 0 by |beta|; the bound about the y of the
// moved problem grows with |gamma|, |beta| and |y|, and the last is not above |y| and both together.
double flushed_parameters(const Case& c, std::int64_t i, const ElementFacts& e) {
  Upward moved = 0.0;
  if (c.gamma && is_subnormal(c.gamma->dtype, c.gamma->value(i)))
    moved += Upward(e.gamma_abs) * Upward(e.x_hat_abs);
  if (c.beta && is_subnormal(c.beta->dtype, c.beta->value(i))) moved += Upward(e.beta_abs);
  return (Upward(2.0) * moved).value();
}

}  // namespace normcheck
