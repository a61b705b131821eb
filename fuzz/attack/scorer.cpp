// The filter's errors over the allowances of the bound.
#include "fuzz/attack/scorer.h"

#include <algorithm>
#include <cmath>

#include "fuzz/attack/moves.h"
#include "impl/layer_norm.h"
#include "oracles/filter/filter.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr std::string_view names[] = {"share", "ulp", "normwise", "distance"};
/// Upper bounds out of estimates that are good to 2^-49 (filter.h).
constexpr double up = 1 + 0x1p-40;

void take(const std::optional<Tensor>& tensor, std::vector<double>& values, std::vector<double>& columns) {
  const std::size_t n = tensor ? static_cast<std::size_t>(tensor->size()) : 0;
  values.resize(n);
  columns.resize(n);
  if (n == 0) return;
  tensor->values(0, static_cast<std::int64_t>(n), values.data());
  filter::columns(values.data(), static_cast<std::int64_t>(n), columns.data());
}

double largest(const std::vector<double>& values, double absent) {
  double out = values.empty() ? absent : 0;
  for (const double v : values) out = std::max(out, std::fabs(v));
  return out;
}

}  // namespace

std::string_view objective_name(Objective objective) { return names[static_cast<std::size_t>(objective)]; }

std::optional<Objective> objective_named(std::string_view name) {
  const auto at = std::find(std::begin(names), std::end(names), name);
  if (at == std::end(names)) return std::nullopt;
  return static_cast<Objective>(at - std::begin(names));
}

Scorer::Scorer(const Row& row, const Contract& contract, Objective objective, const Row* against,
               ScoreLimits limits)
    : row_(row), contract_(contract), objective_(objective), against_(against), limits_(limits) {}

bool Scorer::run(const Row& row, const Case& c, Tensor& y) {
  if (row.outside != nullptr) {
    Observation observed = run_case(row, c);
    if (observed.status != Status::ok || !observed.faults.empty() || observed.y.dtype != c.x.dtype ||
        observed.y.shape != c.x.shape) {
      if (observed.status != Status::unsupported && observed.status != Status::not_run)
        broken_ = std::move(observed);
      return false;
    }
    y = std::move(observed.y);
    return true;
  }
  if (y.dtype != c.x.dtype || y.shape != c.x.shape) y = Tensor(c.x.dtype, c.x.shape);
  LayerNormCall call = call_on(c);
  call.y = y.data.data();
  row.run(call);
  return true;
}

void Scorer::score(const Case& c, std::vector<Score>& out, double floor) {
  out.assign(static_cast<std::size_t>(row_count(c)), {});
  if (!run(row_, c, y_)) return;
  if (against_ != nullptr && !run(*against_, c, other_)) return;
  const auto n = static_cast<std::size_t>(row_length(c));
  for (auto* v : {&x_, &reference_, &error_, &uncertainty_, &absolute_}) v->resize(n);
  if (against_ != nullptr) {
    other_error_.resize(n);
    other_uncertainty_.resize(n);
  }
  take(c.gamma, gamma_, columns_gamma_);
  take(c.beta, beta_, columns_beta_);
  for (std::size_t r = 0; r < out.size(); ++r) out[r] = score_row(c, static_cast<std::int64_t>(r), floor);
}

ElementFacts Scorer::element(std::size_t i, double rstd) const {
  ElementFacts e;
  e.deviation = condition_.facts().deviation[i];
  e.gamma_abs = gamma_.empty() ? 1 : std::fabs(gamma_[i]);
  e.beta_abs = beta_.empty() ? 0 : std::fabs(beta_[i]);
  e.x_hat_abs = e.deviation * rstd;
  return e;
}

/// The largest error, or distance, over u times the row's largest |gamma*x_hat|+|beta|.
double Scorer::normwise(const Case& c, double rstd, Score& out) {
  const DType dtype = c.x.dtype;
  double largest_error = 0, largest_size = power_of_two(format_of(dtype).emin), apart = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double error = std::fabs(error_[i]);
    if (!(uncertainty_[i] < 0.25) || !std::isfinite(error)) continue;
    const ElementFacts e = element(i, rstd);
    largest_error = std::max(largest_error, absolute_[i]);
    largest_size = std::max(largest_size, e.gamma_abs * e.x_hat_abs + e.beta_abs);
    if (against_ == nullptr || !(other_uncertainty_[i] < 0.25)) continue;
    const double distance = std::fabs(error_[i] - other_error_[i]) * ulp(dtype, reference_[i]);
    if (std::isfinite(distance)) apart = std::max(apart, distance);
  }
  const double u = unit_roundoff(c.x.dtype);
  out.normwise_u = largest_error / (u * largest_size);
  return objective_ == Objective::distance ? apart / (u * largest_size) : out.normwise_u;
}

/// The largest |error|/allowance.
double Scorer::share(const Case& c, const RowAllowance& allowance, double rstd) {
  const DType dtype = c.x.dtype;
  double value = 0;
  const auto ask = [&](std::size_t i) {
    ElementFacts e = element(i, rstd);
    e.x_abs = std::fabs(x_[i]);
    e.y_abs = std::fabs(reference_[i]) * up + ulp(dtype, reference_[i]) * uncertainty_[i];
    const double allowed = allowance.y_error(e);
    if (!(allowed > 0 && std::isfinite(allowed) && absolute_[i] > value * allowed * (1 - 0x1p-50))) return;
    const double of_it = absolute_[i] / allowed;
    if (of_it <= value) return;
    value = of_it;
    likely_ = i;
  };
  // No allowance is below that of an element at the mean: it grows with each of the facts, but for the 2^-40
  // that y_error may add. The element that was worst last, asked first, is likely to spare most others.
  ElementFacts least;
  least.gamma_abs = gamma_.empty() ? 1 : 0;
  const double smallest = allowance.y_error(least) * (1 - 0x1p-39);
  const std::size_t first = likely_ < x_.size() ? likely_ : 0;
  if (absolute_[first] > 0) ask(first);
  for (std::size_t i = 0; i < x_.size(); ++i) {
    // The last rounding alone is allowed half an ulp: what is no larger than that share of it can be no
    // record.
    if (absolute_[i] <= value * smallest || 2 * std::fabs(error_[i]) <= value || absolute_[i] == 0 ||
        i == first)
      continue;
    ask(i);
  }
  return value;
}

Score Scorer::score_row(const Case& c, std::int64_t row, double floor) {
  const auto n = static_cast<std::int64_t>(x_.size());
  const std::size_t size = size_of(c.x.dtype), first = static_cast<std::size_t>(row * n) * size;
  filter::Rows rows;
  rows.dtype = c.x.dtype;
  rows.x = c.x.data.data() + first;
  rows.got = y_.data.data() + first;
  rows.gamma = gamma_.empty() ? nullptr : columns_gamma_.data();
  rows.beta = beta_.empty() ? nullptr : columns_beta_.data();
  rows.rows = 1;
  rows.n = n;
  rows.eps = c.eps;
  filter::RowStatistics statistics;
  filter::run(rows, {reference_.data(), error_.data(), uncertainty_.data()}, &statistics);
  if (statistics.path != filter::Path::exact_sums && statistics.path != filter::Path::pairs) return {};
  if (against_ != nullptr) {
    rows.got = other_.data.data() + first;
    filter::run(rows, {nullptr, other_error_.data(), other_uncertainty_.data()}, nullptr);
  }
  Score out;
  const DType dtype = c.x.dtype;
  double largest_ulp = 0;
  for (std::size_t i = 0; i < x_.size(); ++i) {
    const double error = std::fabs(error_[i]);
    if (!(uncertainty_[i] < 0.25) || !std::isfinite(error)) {
      out.nonfinite = out.nonfinite || !std::isfinite(y_.value(row * n + static_cast<std::int64_t>(i)));
      absolute_[i] = 0;
      continue;
    }
    largest_ulp = std::max(largest_ulp, error);
    absolute_[i] = error * ulp(dtype, reference_[i]);
  }
  if (objective_ == Objective::ulp && !out.nonfinite && largest_ulp <= floor) {
    out.value = largest_ulp;
    return out;
  }
  c.x.values(row * n, n, x_.data());
  const filter::Certified &mean = statistics.mean, &variance = statistics.variance;
  const RowCondition::Known known{{mean.hi, mean.lo}, {variance.hi, variance.lo}, mean.error, variance.error};
  // Prefix facts cost more than all the others.
  const bool at_once = objective_ == Objective::share && contract_.reads_prefixes();
  condition_.fill_from(known, x_.data(), n, at_once);
  const RowFacts& facts = condition_.facts();
  out.kappa = facts.kappa;
  const bool nonfinite = out.nonfinite;
  out.nonfinite = false;
  if (facts.constant) return out;
  if (limits_.kappa > 0 && !(facts.kappa <= limits_.kappa && facts.variance_lo >= c.eps)) return out;
  const double rstd = statistics.rstd.hi * up;
  double value = largest_ulp;
  if (objective_ == Objective::normwise || objective_ == Objective::distance) {
    value = normwise(c, rstd, out);
    if (!nonfinite && value <= floor) {
      out.value = value;
      return out;
    }
  }
  if (contract_.reads_prefixes() && !at_once) condition_.fill_from(known, x_.data(), n, true);
  const RowAllowance allowance(contract_, c.x.dtype, facts, c.eps);
  if (!allowance.in_range() || allowance.voided() ||
      !allowance.in_range(largest(gamma_, 1), largest(beta_, 0)))
    return out;
  out.nonfinite = nonfinite;
  out.value = objective_ == Objective::share ? share(c, allowance, rstd) : value;
  return out;
}

}  // namespace normcheck
