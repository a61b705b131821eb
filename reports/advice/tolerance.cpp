// Runs right rows and known mistakes on the same rows, and sees which of them a tolerance tells apart.
#include "reports/advice/tolerance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/error.h"
#include "corpus/generate.h"
#include "impl/defects/defect.h"
#include "reports/kappa_sweep.h"
#include "reports/numbers.h"
#include "reports/plugins.h"

namespace normcheck {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

/// That of torch.testing.assert_close (torch/testing/_comparison.py).
double torch_rtol(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return 1e-3;
    case DType::bf16:
      return 1.6e-2;
    case DType::f32:
      return 1.3e-6;
    default:
      return 1e-7;
  }
}

void add_affine(Case& c) {
  const std::int64_t n = row_length(c);
  CounterRng rng(1, 0x746f6cU);  // "tol"
  c.gamma = Tensor(c.x.dtype, {n});
  c.beta = Tensor(c.x.dtype, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    c.gamma->set_value(i, 0.5 + rng.uniform());
    c.beta->set_value(i, rng.uniform() - 0.5);
  }
}

/// The kernels, with the subject of each.
struct Kernels {
  std::vector<Compared> compared;
  std::vector<Subject> subjects;
  OpenedPlugin plugin;  ///< whose rows the mistakes are
  std::int64_t not_run = 0;
};

void collect(Kernels& out, DType dtype, std::size_t rtols) {
  const auto add = [&](const Row& row, std::string name, std::string kind, bool right) {
    const Contract contract = right ? Contract{ContractKind::own, &row, nullptr} : Contract{};
    out.subjects.push_back({&row, contract});
    out.compared.push_back(
        {std::move(name), std::move(kind), right, std::vector<double>(rtols), std::vector<double>(rtols)});
  };
  for (const Row& row : table()) {
    if (is_right(row) && offers(row, dtype)) add(row, std::string(row.name), "", true);
  }
  Options options;
  options.in_process = true;
  open_into(out.plugin, std::string(defect_prefix), options);
  for (const Row& row : out.plugin.rows) {
    const std::string id(row.name.substr(std::min(row.name.size(), defect_prefix.size())));
    const Defect* defect = find_defect(id);
    if (defect == nullptr ||
        std::find(defect->dtypes.begin(), defect->dtypes.end(), dtype) == defect->dtypes.end())
      continue;
    if (defect->own_process) {
      ++out.not_run;
    } else {
      add(row, id, std::string(defect->kind), false);
    }
  }
}

/// What one row asks of an absolute tolerance, beside each rtol.
class RowWeigher {
 public:
  RowWeigher(const RowTruth& truth, const std::vector<double>& rtols, const Tensor* ref, std::int64_t first,
             const std::optional<Subject>& ref_subject)
      : truth_(truth), rtols_(rtols), ref_(ref), first_(first) {
    if (ref_subject) ref_bounded_ = truth.bounds(ref_subject->contract, ref_bounds_);
  }
  double expected(std::int64_t i) const { return ref_ ? ref_->value(first_ + i) : truth_.y(i); }
  void raise(std::vector<double>& needed, std::int64_t i, double difference) const {
    const double size = std::fabs(expected(i));
    for (std::size_t k = 0; k < rtols_.size(); ++k) {
      const double need = std::isfinite(size) ? difference - rtols_[k] * size : none;
      needed[k] = std::max(needed[k], std::isnan(need) ? none : need);
    }
  }
  /// Returns the row's largest error against the exact y.
  double observe(const Tensor& y, std::vector<double>& needed) const {
    double largest = 0;
    for (std::int64_t i = 0; i < truth_.size(); ++i) {
      const double error = truth_.error(i, y.bits(first_ + i));
      largest = std::max(largest, error);
      raise(needed, i, ref_ ? std::fabs(y.value(first_ + i) - expected(i)) : error);
    }
    return largest;
  }
  /// False where there is no bound.
  bool prove(const Contract& contract, std::vector<double>& needed) {
    const bool bounded = truth_.bounds(contract, bounds_) && (ref_ == nullptr || ref_bounded_);
    for (std::int64_t i = 0; i < truth_.size() && bounded; ++i) {
      const auto k = static_cast<std::size_t>(i);
      raise(needed, i, bounds_[k] + (ref_ ? ref_bounds_[k] : 0));
    }
    if (!bounded) std::fill(needed.begin(), needed.end(), none);
    return bounded;
  }

 private:
  const RowTruth& truth_;
  const std::vector<double>& rtols_;
  const Tensor* ref_;
  std::int64_t first_;
  bool ref_bounded_ = false;
  std::vector<double> ref_bounds_, bounds_;
};

void weigh_case(Weighed& w, Kernels& kernels, const Case& c) {
  std::vector<Observation> observed;
  for (const Subject& s : kernels.subjects) observed.push_back(run_case(*s.row, c));
  std::optional<Observation> ref;
  if (w.plan.ref) ref = run_case(*w.plan.ref->row, c);
  if (ref && ref->status != Status::ok)
    throw InputError(
        fmt::format("--ref: {} gave nothing on such rows: {}", w.plan.ref->row->name, ref->message));
  RowInput input(c);
  RowTruth truth;
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    if (!truth.load(input, r, true)) continue;
    ++w.rows;
    RowWeigher weigher(truth, w.rtols, ref ? &ref->y : nullptr, r * truth.size(), w.plan.ref);
    double right_most = 0;
    for (std::size_t k = 0; k < kernels.subjects.size(); ++k) {  // right rows come first
      Compared& kernel = kernels.compared[k];
      const Observation& o = observed[k];
      const bool gave = o.status == Status::ok && o.y.dtype == c.x.dtype && o.y.shape == c.x.shape;
      if (!gave && kernel.right) continue;
      const double error = gave ? weigher.observe(o.y, kernel.needed) : none;
      if (!gave) std::fill(kernel.needed.begin(), kernel.needed.end(), none);
      if (kernel.right) {
        right_most = std::max(right_most, error);
        if (!weigher.prove(kernels.subjects[k].contract, kernel.proven)) ++kernel.void_rows;
      } else {
        kernel.off |= error > 2 * right_most;
      }
    }
  }
}

Verdicts verdicts_of(const Weighed& w, std::string label, std::size_t rtol, double atol) {
  Verdicts out{std::move(label), {atol, w.rtols[rtol]}, {}, {}, {}};
  for (const Compared& kernel : w.kernels) {
    const bool passes = kernel.needed[rtol] <= atol;
    if (!kernel.right) {
      if (kernel.off && passes) out.let_through.push_back(&kernel);
    } else if (!passes) {
      out.false_alarms.push_back(&kernel);
    } else if (!(kernel.proven[rtol] <= atol)) {
      out.unproven.push_back(&kernel);
    }
  }
  return out;
}

/// From the last decade that every right row fails to the first past which nothing changes.
std::vector<Verdicts> curve_of(const Weighed& w) {
  std::vector<Verdicts> out;
  constexpr int least = -18, most = 6;
  for (int decade = least; decade <= most; ++decade) {
    Verdicts at = verdicts_of(w, "", 0, std::stod(fmt::format("1e{}", decade)));
    const bool all_fail = static_cast<std::int64_t>(at.false_alarms.size()) == w.right;
    if (all_fail && at.let_through.empty()) out.clear();
    const bool is_same = !out.empty() && !out.back().too_tight() && out.back().unproven.empty() &&
                         out.back().let_through.size() == at.let_through.size();
    out.push_back(std::move(at));
    if (is_same) break;
  }
  return out;
}

}  // namespace

double round_up(double value) {
  if (!(value > 0) || !std::isfinite(value)) return std::max(value, 0.0);
  const double step = std::pow(10, std::floor(std::log10(value)) - 1);
  double out = std::stod(fmt::format("{:.1e}", value));
  if (out < value) out = std::stod(fmt::format("{:.1e}", value + step / 2));
  return out < value ? value : out;
}

Weighed weigh_tolerance(TolerancePlan plan) {
  const Setting& s = plan.setting;
  const bool is_own = !plan.data.empty();
  std::vector<Case> cases = is_own ? plan.data : advice_rows(s);
  if (!is_own && (cases.empty() || !kappa_reachable(s.dtype, s.n, s.kappa)))
    throw InputError(fmt::format("--kappa: no row of {} numbers in {} has a kappa of {}; expected less", s.n,
                                 dtype_name(s.dtype), short_number(s.kappa)));
  Weighed w;
  w.rtols = {0, torch_rtol(s.dtype)};
  const bool given = plan.atol || plan.rtol;
  if (given) w.rtols.push_back(plan.rtol.value_or(0));
  w.plan = std::move(plan);
  Kernels kernels;
  collect(kernels, w.plan.setting.dtype, w.rtols.size());
  for (Case& c : cases) {
    if (!is_own) add_affine(c);
    weigh_case(w, kernels, c);
  }
  w.not_run = kernels.not_run;
  w.kernels = std::move(kernels.compared);
  double proven[2] = {0, 0}, seen[2] = {0, 0};
  for (const Compared& kernel : w.kernels) {
    if (!kernel.right) {
      ++(kernel.off ? w.off : w.not_off);
      continue;
    }
    ++w.right;
    for (std::size_t k = 0; k < 2; ++k) {
      proven[k] = std::max(proven[k], kernel.proven[k]);
      seen[k] = std::max(seen[k], kernel.needed[k]);
    }
    if (w.widest == nullptr || kernel.proven[0] > w.widest->proven[0]) w.widest = &kernel;
  }
  for (std::size_t k = 0; k < 2; ++k) w.lines.push_back(verdicts_of(w, "proven", k, round_up(proven[k])));
  for (std::size_t k = 0; k < 2; ++k) w.lines.push_back(verdicts_of(w, "known", k, round_up(seen[k])));
  if (given) w.lines.push_back(verdicts_of(w, "yours", 2, w.plan.atol.value_or(0)));
  w.curve = curve_of(w);
  return w;
}

}  // namespace normcheck
