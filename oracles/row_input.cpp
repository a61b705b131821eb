// Loads rows, and makes what the judge asks of them.
#include "oracles/row_input.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/filter_row.h"

namespace normcheck {

namespace {

void take(const std::optional<Tensor>& tensor, std::vector<double>& out, double absent, double& largest) {
  largest = tensor ? 0 : absent;
  out.clear();
  if (!tensor) return;
  out.resize(static_cast<std::size_t>(tensor->size()));
  tensor->values(0, tensor->size(), out.data());
  for (const double v : out) {
    const double size = std::fabs(v);
    if (size <= std::numeric_limits<double>::max()) largest = std::max(largest, size);
  }
}

}  // namespace

void RowInput::start(const Case& c) {
  problem = &c;
  loaded_ = -1;
  x.resize(static_cast<std::size_t>(row_length(c)));
  take(c.gamma, gamma, 1, gamma_largest);
  take(c.beta, beta, 0, beta_largest);
  filtered_.gamma.resize(gamma.size());
  filtered_.beta.resize(beta.size());
  filter::columns(gamma.data(), static_cast<std::int64_t>(gamma.size()), filtered_.gamma.data());
  filter::columns(beta.data(), static_cast<std::int64_t>(beta.size()), filtered_.beta.data());
}

bool RowInput::take_row(std::int64_t row) {
  loaded_ = row;
  const auto n = static_cast<std::int64_t>(x.size());
  problem->x.values(row * n, n, x.data());
  finite_ = std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); });
  exact.reset();
  wide.reset();
  estimate.reset();
  filter_holds_ = false;
  return finite_;
}

bool RowInput::load(std::int64_t row, bool prefixes) {
  if (row == loaded_ && (loaded_prefixes_ || !prefixes) && (!finite_ || estimate)) return finite_;
  loaded_prefixes_ = prefixes;
  if (!take_row(row)) return false;
  condition.fill(x.data(), static_cast<std::int64_t>(x.size()), prefixes);
  estimate.emplace(condition, problem->eps);
  return true;
}

bool RowInput::load_filtered(std::int64_t row, bool prefixes, const Tensor& y) {
  const auto n = static_cast<std::int64_t>(x.size());
  if (!take_row(row)) return load(row, prefixes);
  for (auto* v : {&filtered_.reference, &filtered_.error_ulp, &filtered_.uncertainty}) v->resize(x.size());
  filter::RowStatistics found;
  filter::run(filter::row_of(problem->x, y, row, n, problem->eps, filtered_.gamma, filtered_.beta),
              {filtered_.reference.data(), filtered_.error_ulp.data(), filtered_.uncertainty.data()}, &found);
  if (found.path != filter::Path::exact_sums && found.path != filter::Path::pairs) {
    loaded_ = -1;
    return load(row, prefixes);
  }
  const filter::Certified &mean = found.mean, &variance = found.variance;
  condition.fill_from({{mean.hi, mean.lo}, {variance.hi, variance.lo}, mean.error, variance.error}, x.data(),
                      n, prefixes);
  loaded_prefixes_ = prefixes;
  filter_holds_ = true;
  filtered_.rstd = (found.rstd.hi + std::fabs(found.rstd.lo) + found.rstd.error) * (1 + 0x1p-50);
  return true;
}

const RowEstimate& RowInput::estimated() {
  if (!estimate) {
    precise_.fill(x.data(), static_cast<std::int64_t>(x.size()), false);
    estimate.emplace(precise_, problem->eps);
  }
  return *estimate;
}

const ExactRow& RowInput::exact_row() {
  if (!exact) exact.emplace(x.data(), static_cast<std::int64_t>(x.size()), problem->eps);
  return *exact;
}

const WideRow& RowInput::wide_row() {
  if (!wide) wide.emplace(x.data(), static_cast<std::int64_t>(x.size()), problem->eps);
  return *wide;
}

RowInput::Element RowInput::element(std::int64_t i, OracleChoice oracle) const {
  const double g = gamma_at(i), b = beta_at(i);
  const RowEstimate::Element values = estimate->element(i, g, b);
  Element e;
  e.facts.x_abs = std::fabs(x[static_cast<std::size_t>(i)]);
  e.facts.deviation = condition.facts().deviation[i];
  e.facts.gamma_abs = std::fabs(g);
  e.facts.beta_abs = std::fabs(b);
  e.facts.x_hat_abs = e.facts.deviation == 0 ? 0 : values.x_hat.magnitude();
  e.facts.y_abs = values.y.magnitude();
  e.y = values.y;
  if (oracle != OracleChoice::automatic) e.y.error = std::numeric_limits<double>::infinity();
  return e;
}

}  // namespace normcheck
