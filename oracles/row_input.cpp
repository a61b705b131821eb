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
  if (!tensor) return;
  out.resize(static_cast<std::size_t>(tensor->size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = tensor->value(static_cast<std::int64_t>(i));
    const double size = std::fabs(out[i]);
    if (size <= std::numeric_limits<double>::max()) largest = std::max(largest, size);
  }
}

}  // namespace

RowInput::RowInput(const Case& c) : problem(&c), x(static_cast<std::size_t>(row_length(c))) {
  take(c.gamma, gamma, 1, gamma_largest);
  take(c.beta, beta, 0, beta_largest);
  for (auto* v : {&filtered_.reference, &filtered_.error_ulp, &filtered_.uncertainty}) v->resize(x.size());
  filtered_.gamma.resize(gamma.size());
  filtered_.beta.resize(beta.size());
  filter::columns(gamma.data(), static_cast<std::int64_t>(gamma.size()), filtered_.gamma.data());
  filter::columns(beta.data(), static_cast<std::int64_t>(beta.size()), filtered_.beta.data());
}

bool RowInput::load(std::int64_t row, bool prefixes) {
  if (row == loaded_ && (loaded_prefixes_ || !prefixes)) return finite_;
  loaded_ = row;
  loaded_prefixes_ = prefixes;
  finite_ = true;
  const auto n = static_cast<std::int64_t>(x.size());
  for (std::int64_t i = 0; i < n; ++i) {
    const double v = problem->x.value(row * n + i);
    x[static_cast<std::size_t>(i)] = v;
    finite_ = finite_ && std::isfinite(v);
  }
  exact.reset();
  wide.reset();
  estimate.reset();
  if (!finite_) return false;
  condition.fill(x.data(), n, prefixes);
  estimate.emplace(condition, problem->eps);
  return true;
}

const ExactRow& RowInput::exact_row() {
  if (!exact) exact.emplace(x.data(), static_cast<std::int64_t>(x.size()), problem->eps);
  return *exact;
}

const WideRow& RowInput::wide_row() {
  if (!wide) wide.emplace(x.data(), static_cast<std::int64_t>(x.size()), problem->eps);
  return *wide;
}

const RowInput::Filtered* RowInput::filter(const Tensor& y) {
  const filter::Rows rows = filter::row_of(problem->x, y, loaded_, static_cast<std::int64_t>(x.size()),
                                           problem->eps, filtered_.gamma, filtered_.beta);
  filter::RowStatistics row;
  filter::run(rows, {filtered_.reference.data(), filtered_.error_ulp.data(), filtered_.uncertainty.data()},
              &row);
  return row.path == filter::Path::exact_sums || row.path == filter::Path::pairs ? &filtered_ : nullptr;
}

RowInput::Element RowInput::element(std::int64_t i, OracleChoice oracle) const {
  const double g = gamma_at(i), b = beta_at(i);
  const RowEstimate::Element estimated = estimate->element(i, g, b);
  Element e;
  e.facts.x_abs = std::fabs(x[static_cast<std::size_t>(i)]);
  e.facts.deviation = condition.facts().deviation[i];
  e.facts.gamma_abs = std::fabs(g);
  e.facts.beta_abs = std::fabs(b);
  e.facts.x_hat_abs = e.facts.deviation == 0 ? 0 : estimated.x_hat.magnitude();
  e.facts.y_abs = estimated.y.magnitude();
  e.y = estimated.y;
  if (oracle != OracleChoice::automatic) e.y.error = std::numeric_limits<double>::infinity();
  return e;
}

}  // namespace normcheck
