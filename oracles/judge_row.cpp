// Judges the y of a row: class rules first, then every element against its allowance.
#include <algorithm>
#include <cmath>
#include <limits>

#include "oracles/row_judge.h"
#include "oracles/ulp.h"

namespace normcheck {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

ElementReport RowJudge::report(Output output, std::int64_t column, std::uint64_t got) const {
  ElementReport r;
  r.output = output;
  r.row = row_;
  r.column = column;
  r.dtype = output == Output::y ? observed_.y.dtype : statistics_dtype(contract_, input_.problem->x.dtype);
  r.got = got;
  r.allowed_ulp = r.allowed_abs = kInfinity;
  return r;
}

void RowJudge::wrong(ElementReport r) {
  wrong_ = true;
  const auto badness = [](const ElementReport& e) {
    const double size = std::fabs(e.error_ulp);
    return std::isnan(size) ? kInfinity
                            : (e.allowed_ulp > 0 && std::isfinite(size) ? size / e.allowed_ulp : size);
  };
  // A wrong y says more than a wrong statistic.
  const bool before = out_.worst_wrong.has_value();
  const bool same_kind = before && (r.output == Output::y) == (out_.worst_wrong->output == Output::y);
  if (!before || (same_kind ? badness(r) > badness(*out_.worst_wrong) : r.output == Output::y)) {
    out_.worst_wrong = std::move(r);
  }
}

void RowJudge::class_outcome(std::int64_t column, bool right, double want, const std::string& reason) {
  if (right) {
    ++out_.counts.proved;
    return;
  }
  ++out_.counts.failed;
  wrong_class(Output::y, y_bits(column), want, reason, column);
}

void RowJudge::wrong_class(Output output, std::uint64_t got, double want, const std::string& reason,
                           std::int64_t column) {
  ElementReport r = report(output, column, got);
  r.want = want;
  r.want_bits = round_to(r.dtype, want);
  r.error_ulp = kInfinity;
  r.allowed_ulp = r.allowed_abs = 0;
  r.of_class = true;
  r.reason = reason;
  wrong(std::move(r));
}

// A NaN or infinity in x: every y of the row is NaN, whatever gamma and beta are. Of infinities an infinity
// is let pass (max(var, 0) of a NaN may be 0), and beta where all x are equal, as a short cut for such rows,
// or for n = 1, gives it. No other number is.
void RowJudge::judge_nonfinite_row() {
  const std::vector<double>& x = input_.x;
  const bool infinite = std::any_of(x.begin(), x.end(), [](double v) { return std::isinf(v); });
  constant_ = n() == 1 || std::all_of(x.begin(), x.end(), [&](double v) { return v == x.front(); });
  for (std::int64_t i = 0; i < n(); ++i) {
    const double got = y_value(i);
    class_outcome(i, std::isnan(got) || (infinite && std::isinf(got)) || is_beta_of_constant(i),
                  std::numeric_limits<double>::quiet_NaN(), "the row holds a non-finite x, so its y is NaN");
  }
}

bool RowJudge::is_beta_of_constant(std::int64_t i) const {
  const DType dtype = observed_.y.dtype;
  return constant_ && y_value(i) == to_double(dtype, round_to(dtype, input_.beta_at(i)));
}

// A non-finite gamma_i or beta_i concerns column i alone, and does so whatever the statistics are. Of a
// constant row x_hat is 0, and 0 times such a gamma is not formed by a kernel that gives beta there at once.
void RowJudge::judge_special_column(std::int64_t i) {
  const double got = y_value(i);
  if (std::isinf(input_.gamma_at(i)) && !std::isnan(input_.beta_at(i))) {
    class_outcome(i, !std::isfinite(got) || is_beta_of_constant(i), kInfinity,
                  "gamma is infinite here, so y is not finite");
  } else {
    class_outcome(i, std::isnan(got) || is_beta_of_constant(i), std::numeric_limits<double>::quiet_NaN(),
                  "gamma or beta is NaN here");
  }
}

// An infinite beta is y where the scaled x_hat is finite; a form that overflows before it meets beta gives
// inf-inf, so there, and where x_hat has no bound, nothing is demanded.
void RowJudge::judge_infinite_beta(std::int64_t i) {
  input_.estimated();
  ElementFacts e = input_.element(i).facts;
  e.beta_abs = 0;
  if (allowance_->voided() || unbounded_ || flushed_ || !(full_range_ || allowance_->y(e).in_range)) {
    make_void();
  } else {
    const double beta = input_.beta_at(i);
    class_outcome(i, y_value(i) == beta, beta, "beta is infinite here and the scaled x_hat finite");
  }
}

// The number is not judged; NaN, and an infinity that nothing can reach, are still wrong where var^ >= 0.
void RowJudge::judge_void_element(std::int64_t i, const ElementFacts& e) {
  const double got = y_value(i);
  if (allowance_->class_demanded() && !flushed_) {
    const double limit = std::min(allowance_->largest_working(), largest_finite(observed_.y.dtype));
    const bool nan_possible = allowance_->void_intermediate(e) >= allowance_->largest_working();
    const bool inf_possible = nan_possible || allowance_->void_magnitude(e) >= limit;
    if ((std::isnan(got) && !nan_possible) || (std::isinf(got) && !inf_possible)) {
      class_outcome(i, false, input_.exact_row().y(i, input_.gamma_at(i), input_.beta_at(i)).to_double(),
                    "no bound holds here, but a variance that is not negative gives a finite y");
      return;
    }
  }
  make_void();
}

// Outside the safe range, and no bound holds: a number will do, and so will an infinity that is right or that
// the error of the mean can reach, but no NaN.
void RowJudge::judge_unbounded(std::int64_t i, const ElementFacts& e) {
  const double got = y_value(i);
  if (std::isfinite(got) || flushed_) {
    make_void();
    return;
  }
  const ExactValue exact = input_.exact_row().y(i, input_.gamma_at(i), input_.beta_at(i));
  const double limit = std::min(allowance_->largest_working(), largest_finite(observed_.y.dtype));
  if (exact.round(observed_.y.dtype) == y_bits(i) ||
      (std::isinf(got) && allowance_->voided() && allowance_->void_magnitude(e) >= limit)) {
    make_void();
  } else {
    class_outcome(i, false, exact.to_double(), "outside the safe range, where range=full demands a number");
  }
}

void RowJudge::judge_number(std::int64_t i, const RowInput::Element& e, double allowance) {
  const DType dtype = observed_.y.dtype;
  const std::uint64_t bits = y_bits(i);
  const double got = to_double(dtype, bits);
  const Estimated& estimate = e.y;
  RowInput& input = input_;
  const auto exact = [&input, i] { return input.exact_row().y(i, input.gamma_at(i), input.beta_at(i)); };
  const bool wide = oracle_ == OracleChoice::wide && !demand_.by_ulp() && !demand_.flush;
  const Measure m = wide ? measured_by_wide(input.wide_row().y(i, input.gamma_at(i), input.beta_at(i)), dtype,
                                            bits, allowance, exact)
                         : measure(dtype, bits, estimate, exact, allowance, demand_);

  const double share = e.facts.gamma_abs * e.facts.x_hat_abs;
  differs_from_beta_ = differs_from_beta_ || share > 0;
  ignorable_ = ignorable_ && allowance >= share;

  const double magnitude = std::fabs(m.error_ulp);
  if (errors_ != nullptr) errors_->push_back(magnitude);
  ++statistics_.judged;
  if (!m.correctly_rounded) ++statistics_.not_correctly_rounded;
  statistics_.max_ulp = std::max(statistics_.max_ulp, magnitude);
  const double size = share + e.facts.beta_abs;
  const double normwise = m.error_abs == 0 ? 0 : m.error_abs / (unit_roundoff_ * size);
  statistics_.max_normwise_u = std::max(statistics_.max_normwise_u, normwise);
  if (m.error_abs > 0 && std::isfinite(m.error_abs)) {
    statistics_.max_share_of_bound = std::max(statistics_.max_share_of_bound, m.error_abs / allowance);
  }
  if (m.within) {
    ++out_.counts.proved;
    if (!(magnitude > largest_)) return;
    largest_ = magnitude;
    largest_number_ = {i, estimate.value.hi, m.error_ulp, normwise, allowance};
    return;
  }
  ++out_.counts.failed;
  ElementReport r = report_of({i, estimate.value.hi, m.error_ulp, normwise, allowance});
  if (demand_.max_ulp && magnitude > *demand_.max_ulp) {
    // What is allowed says it.
  } else if (demand_.rounding == Claims::Rounding::correct) {
    r.reason = exact_constant_ ? "not beta, as it rounds" : "not the nearest number";
  } else if (demand_.rounding == Claims::Rounding::faithful) {
    r.reason = "no neighbour of the exact y";
  }
  if (std::isnan(got)) r.reason = "NaN where the exact y is a number";
  if (std::isinf(got)) r.reason = "an infinity where the exact y is finite";
  wrong(std::move(r));
}

ElementReport RowJudge::report_of(const Number& number) const {
  ElementReport r = report(Output::y, number.column, y_bits(number.column));
  r.want = number.want;
  r.error_ulp = number.error_ulp;
  r.normwise_u = number.normwise_u;
  r.allowed_abs = number.allowance;
  r.allowed_ulp = number.allowance / ulp(r.dtype, r.want);
  return r;
}

double RowJudge::allowance_of(std::int64_t i, const ElementFacts& e, double own) const {
  if (!contract_.flush()) return own;
  const double widened = (Upward(own) + Upward(flushed_parameters(*input_.problem, i, e))).value();
  return flushed_ ? flushed_->y(widened, i, input_.element(i).y) : widened;
}

void RowJudge::judge_element(std::int64_t i, bool row_fits) {
  if (filtered_ != nullptr && settled_by_filter(i, row_fits)) return;
  input_.estimated();
  const RowInput::Element e = input_.element(i, oracle_);
  const bool voided = allowance_->voided();
  if (demand_.by_ulp()) {
    const bool fits = voided || row_fits || exact_constant_ || allowance_->y(e.facts).in_range;
    if (!fits && !full_range_) {
      ++out_.counts.skipped;
      return;
    }
    if (contract_.flush()) {
      Upward move = flushed_parameters(*input_.problem, i, e.facts);
      if (flushed_) move += Upward(flushed_->move(i, input_.element(i).y));
      demand_.flush_move = move.value();
      if (!move.finite()) {
        make_void();
        return;
      }
    }
    const double want = input_.usable()
                            ? e.y.value.hi
                            : input_.exact_row().y(i, input_.gamma_at(i), input_.beta_at(i)).to_double();
    judge_number(i, e, demand_.allowance(observed_.y.dtype, want));
    return;
  }
  if (unbounded_) {
    make_void();
    return;
  }
  if (voided && in_range()) {
    judge_void_element(i, e.facts);
    return;
  }
  const ElementAllowance a =
      row_fits ? ElementAllowance{allowance_->y_error(e.facts), true} : allowance_->y(e.facts);
  if (!(a.in_range && in_range()) && !full_range_) {
    ++out_.counts.skipped;
    return;
  }
  const double allowance = voided ? kInfinity : allowance_of(i, e.facts, a.y);
  if (std::isfinite(allowance)) {
    judge_number(i, e, allowance);
  } else {
    judge_unbounded(i, e.facts);
  }
}

void RowJudge::judge_finite_row() {
  const RowFacts& facts = input_.condition.facts();
  allowance_.emplace(contract_, input_.problem->x.dtype, facts, input_.problem->eps);
  demand_ = demand_of(contract_, facts.constant);
  constant_ = facts.constant;
  exact_constant_ = facts.constant && contract_.claims && contract_.claims->constant_exact;
  if (contract_.flush()) flushed_ = FlushedRow::of(input_, contract_);
  out_.kappa = facts.kappa;
  const bool row_fits = in_range() && allowance_->in_range(input_.gamma_largest, input_.beta_largest);
  if (oracle_ == OracleChoice::automatic && in_range() && !degenerate() && !allowance_->voided() &&
      !unbounded_ && !contract_.flush() && !demand_.by_ulp()) {
    filtered_ = input_.filtered();
  }
  for (std::int64_t i = 0; i < n(); ++i) {
    const double gamma = input_.gamma_at(i), beta = input_.beta_at(i);
    if (std::isnan(gamma) || std::isnan(beta) || std::isinf(gamma)) {
      judge_special_column(i);
    } else if (!in_range() && !full_range_) {
      ++out_.counts.skipped;
    } else if (degenerate()) {
      // Demanded only where the computed mean is certainly exact. 0/0 is nothing, or what a short cut gives.
      if (allowance_->mean_exact()) {
        class_outcome(i, std::isnan(y_value(i)) || is_beta_of_constant(i),
                      std::numeric_limits<double>::quiet_NaN(),
                      "variance and eps are both 0, so y is NaN (or beta)");
      } else {
        make_void();
      }
    } else if (std::isinf(beta)) {
      judge_infinite_beta(i);
    } else {
      judge_element(i, row_fits);
    }
  }
}

// Outside the safe range only the kind of answer is reported.
void RowJudge::describe_range() {
  bool nan = false, inf = false, beta = true, exact = true;
  for (std::int64_t i = 0; i < n(); ++i) {
    const double got = y_value(i), b = input_.beta_at(i), g = input_.gamma_at(i);
    nan = nan || std::isnan(got);
    inf = inf || std::isinf(got);
    beta = beta && got == to_double(observed_.y.dtype, round_to(observed_.y.dtype, b));
    exact = exact && !degenerate() && std::isfinite(g) && std::isfinite(b) &&
            input_.exact_row().y(i, g, b).faithful(observed_.y.dtype, y_bits(i));
  }
  out_.range_class = nan ? "nan" : inf ? "inf" : exact ? "exact" : beta ? "beta" : "finite";
}

RowOutcome RowJudge::run() {
  const bool prefixes = contract_.reads_prefixes();
  const bool by_filter = oracle_ == OracleChoice::automatic && !unbounded_ && !contract_.flush();
  const bool finite =
      by_filter ? input_.load_filtered(row_, prefixes, observed_.y) : input_.load(row_, prefixes);
  out_.counts.elements = n();
  if (finite) {
    judge_finite_row();
  } else {
    judge_nonfinite_row();
  }
  if (largest_ >= 0) out_.largest = report_of(largest_number_);
  judge_statistics(finite);
  if (out_.counts.skipped > 0) describe_range();
  const bool vacuous = differs_from_beta_ && ignorable_ && out_.counts.proved > 0;
  if (vacuous) std::swap(out_.counts.vacuous, out_.counts.proved);
  out_.verdict = wrong_                               ? Verdict::fail
                 : voided_ || out_.counts.skipped > 0 ? Verdict::void_bound
                 : vacuous                            ? Verdict::vacuous
                                                      : Verdict::pass;
  return std::move(out_);
}

void settle_report(RowInput& input, ElementReport& r) {
  if (r.of_class) return;
  if (!input.load(r.row, false)) return;
  const ExactRow& exact = input.exact_row();
  if (exact.degenerate() && r.output != Output::mean) return;
  const ExactValue value = r.output == Output::mean ? exact.mean()
                           : r.output == Output::rstd
                               ? exact.rstd()
                               : exact.y(r.column, input.gamma_at(r.column), input.beta_at(r.column));
  r.want = value.to_double();
  r.want_bits = value.round(r.dtype);
  r.allowed_ulp = r.allowed_abs / std::ldexp(1.0, value.ulp_exponent(r.dtype));
}

RowOutcome judge_row(RowInput& input, std::int64_t row, const Observation& observed, const Contract& contract,
                     OracleChoice oracle, std::vector<double>* errors, ErrorStatistics& statistics) {
  return RowJudge(input, row, observed, contract, oracle, errors, statistics).run();
}

}  // namespace normcheck
