// Holds an output against each hypothesis, then against what narrower arithmetic can do.
#include "oracles/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/semantics.h"
#include "oracles/diagnose_line.h"
#include "oracles/hypotheses.h"
#include "oracles/judge.h"
#include "oracles/row_input.h"

namespace normcheck {
namespace {

constexpr std::int64_t most_rows = 8;
constexpr std::int64_t most_elements = 256;

bool is_number(Quad v) { return v - v == 0; }

using Sample = DiagnosisSample;

/// Evenly spread, with the first and the last elements: tails hide there.
std::vector<std::int64_t> sampled_columns(std::int64_t n) {
  std::vector<std::int64_t> out;
  if (n <= most_elements) {
    for (std::int64_t i = 0; i < n; ++i) out.push_back(i);
    return out;
  }
  constexpr std::int64_t ends = most_elements / 8;
  for (std::int64_t i = 0; i < ends; ++i) out.push_back(i);
  const std::int64_t inner = most_elements - 2 * ends;
  for (std::int64_t k = 0; k < inner; ++k) out.push_back(ends + k * (n - 2 * ends) / inner);
  for (std::int64_t i = n - ends; i < n; ++i) out.push_back(i);
  return out;
}

/// How far y lies from a hypothesis, over the samples that it says something of.
struct Fit {
  std::int64_t elements = 0;
  std::int64_t explained = 0;   ///< within the allowance
  std::int64_t near = 0;        ///< so, or a sixteenth as far as from the exact y
  double squares = 0;           ///< of the distances, in units of the allowance
  double plain_squares = 0;     ///< likewise, in units of the exact y's
  double squares_of_exact = 0;  ///< of the same samples from the exact y
};

/// A row that is looked at.
struct SampledRow {
  std::int64_t row = 0;
  std::vector<Sample> samples;
  std::vector<double> of_exact;  ///< squared distances
};

class Diagnosis {
 public:
  Diagnosis(const Case& c, const Observation& observed, const Contract& contract)
      : c_(c), observed_(observed), contract_(contract), row_(c) {
    y_alone_.y = observed.y;
  }

  std::vector<Explanation> run() {
    RowInput input(c_);
    for (const std::int64_t r : looked_at()) {
      if (input.load(r, contract_.reads_prefixes()) && row_.load(r)) sample(input, r);
    }
    if (rows_.empty()) return of_no_numbers();
    Fit of_exact;
    for (SampledRow& row : rows_) {
      if (row_.load(row.row)) add(exact_, row, of_exact, &row.of_exact);
    }
    // An infinity may be right where no number is said to be (the allowance reaches beyond the largest): that
    // the judge knows.
    // Of a constant row more may be claimed than the bound says, and of a full range.
    const bool within = of_exact.explained == elements_;
    const bool judged_right =
        (within || numbers_ < elements_) &&
        !is_finding(judge(c_, y_alone_, contract_, OracleChoice::automatic, Detail::verdict).verdict);
    const bool right = judged_right;
    const bool wrong = !within && !judged_right;
    std::vector<Explanation> out;
    if (!right && numbers_ == 0 && row_length(c_) == 1 && elements_ > 0)
      return {
          {"divisor n-1 (unbiased variance)", ": 0/0 in a row of one element", false, elements_, elements_}};
    // NaN for NaN is no evidence.
    if (!right && 2 * numbers_ >= elements_) {
      out = by_formula();
      if (!out.empty()) {
        for (Explanation& e : by_coarse_root(lines_)) out.push_back(std::move(e));
      }
    }
    if (out.empty()) out = by_rounding(lines_, c_, observed_, right, wrong);
    if (out.empty() && !right) out = of_constant_rows();
    if (out.empty() && !judged_right && elements_ == 0) out = of_overflow();
    return out;
  }

 private:
  /// Evenly spread, and the row of the largest error with its element.
  std::vector<std::int64_t> looked_at() {
    const std::int64_t rows = row_count(c_);
    std::vector<std::int64_t> out;
    for (std::int64_t k = 0; k < std::min(rows, most_rows); ++k)
      out.push_back(rows <= most_rows ? k : k * rows / most_rows);
    if (rows > most_rows || row_length(c_) > most_elements) {
      const Judgement j = judge(c_, y_alone_, contract_);
      if (j.worst && j.worst->output == Output::y) {
        worst_row_ = j.worst->row;
        worst_column_ = j.worst->column;
        if (std::find(out.begin(), out.end(), worst_row_) == out.end()) out.push_back(worst_row_);
      }
    }
    return out;
  }

  void sample(RowInput& input, std::int64_t r) {
    const RowAllowance allowance(contract_, c_.x.dtype, input.condition.facts(), c_.eps);
    SampledRow out{r, {}, {}};
    if (!allowance.in_range()) return rows_.push_back(std::move(out));
    const Hypothesis::Statistics exact = exact_.statistics(row_, 0);
    std::vector<std::int64_t> columns = sampled_columns(row_.n);
    if (r == worst_row_ && std::find(columns.begin(), columns.end(), worst_column_) == columns.end())
      columns.push_back(worst_column_);
    for (const std::int64_t i : columns) {
      const double got = observed_.y.value(r * row_.n + i);
      if (!std::isfinite(row_.gamma(i)) || !std::isfinite(row_.beta(i))) continue;
      ElementAllowance allowed;
      if (!allowance.voided()) allowed = allowance.y(input.element(i).facts);
      out.samples.push_back({i, got, exact_.y(row_, exact, i), allowed.in_range ? allowed.y : INFINITY});
    }
    const std::size_t before = lines_.size();
    fit_line(row_, out.samples, input, c_, observed_.y.dtype, lines_);
    if (lines_.size() > before && lines_.back().implies) {
      implied_.push_back(
          {r, lines_.back().mean, lines_.back().variance, static_cast<double>(row_.exact.variance)});
    }
    std::erase_if(out.samples,
                  [](const Sample& s) { return !std::isfinite(s.allowed) || !is_number(s.exact); });
    elements_ += static_cast<std::int64_t>(out.samples.size());
    numbers_ += std::count_if(out.samples.begin(), out.samples.end(),
                              [](const Sample& s) { return std::isfinite(s.got); });
    rows_.push_back(std::move(out));
  }

  /// Adds how far a hypothesis is off on the row that is loaded; `each`: squared, of each sample.
  void add(const Hypothesis& h, const SampledRow& row, Fit& fit, std::vector<double>* each) const {
    const std::vector<Quad> all = h.whole ? h.whole(row_) : std::vector<Quad>();
    Hypothesis::Statistics s;
    if (!h.whole && !h.by_element) s = h.statistics(row_, 0);
    for (std::size_t k = 0; k < row.samples.size(); ++k) {
      const Sample& sample = row.samples[k];
      if (h.by_element) s = h.statistics(row_, sample.column);
      const Quad y = h.whole ? all[static_cast<std::size_t>(sample.column)] : h.y(row_, s, sample.column);
      const bool number =
          is_number(y) &&
          std::isfinite(to_double(observed_.y.dtype, round_to(observed_.y.dtype, static_cast<double>(y))));
      if (h.silent && !is_number(y) && std::isfinite(sample.got)) continue;
      ++fit.elements;
      double squared = 0;
      if (!number || !std::isfinite(sample.got)) {
        // A formula without a value explains an output that is none.
        const bool fits = !number && !std::isfinite(sample.got);
        fit.explained += fits;
        fit.near += fits;
        squared = fits ? 0 : 1e30;
        fit.plain_squares += squared;
      } else {
        const std::int64_t before = fit.explained;
        const double distance = distance_of(y, sample, each == nullptr, fit.explained);
        squared = std::min(distance * distance, 1e30);
        // By the exact y's allowance: that of a formula grows with its own size.
        const double plain = static_cast<double>(abs(y - sample.got)) /
                             std::max(sample.allowed, std::numeric_limits<double>::min());
        const double plain_squared = std::min(plain * plain, 1e30);
        fit.plain_squares += plain_squared;
        fit.near += fit.explained > before || (each == nullptr && 256 * plain_squared <= row.of_exact[k]);
      }
      fit.squares += squared;
      if (each != nullptr) each->push_back(squared);
      fit.squares_of_exact += each != nullptr ? squared : row.of_exact[k];
    }
  }

  /// In units of the allowance; adds to `explained` where it is within that.
  double distance_of(Quad y, const Sample& sample, bool with_slack, std::int64_t& explained) const {
    const double beta = std::fabs(row_.beta(sample.column));
    const double size = static_cast<double>(abs(y)) + beta,
                 of_exact = static_cast<double>(abs(sample.exact)) + beta;
    // What is right is within the allowance, and not a hair more.
    const double slack = with_slack ? unit_roundoff(observed_.y.dtype) : 0;
    const double allowed = sample.allowed * std::max(1.0, of_exact > 0 ? size / of_exact : 1.0) +
                           slack * static_cast<double>(abs(y));
    const double least = std::max(allowed, std::numeric_limits<double>::min());
    const double away = static_cast<double>(abs(y - sample.got)) / least;
    explained += away <= 1;
    // A half's own rounding would hide how much nearer one formula is than another: each is rounded first.
    const double as_half =
        is_half(observed_.y.dtype)
            ? to_double(observed_.y.dtype, round_to(observed_.y.dtype, static_cast<double>(y)))
            : std::numeric_limits<double>::infinity();
    return std::isfinite(as_half) ? std::fabs(as_half - sample.got) / least : away;
  }

  /// The formulas, the more usual first, and behind them those with a number that fits these rows.
  std::vector<const Hypothesis*> candidates() {
    std::vector<const Hypothesis*> out;
    for (const Hypothesis& h : hypotheses()) out.push_back(&h);
    if (is_half(c_.x.dtype)) {
      for (const Hypothesis& h : narrow_hypotheses()) out.push_back(&h);
    }
    if (!implied_.empty()) {
      // Of the row that is farthest from right, as it tells most.
      const auto off = [](const Implied& i) {
        return std::fabs(std::log(std::max(i.variance, 1e-300) / i.exact));
      };
      const Implied& most = *std::max_element(implied_.begin(), implied_.end(),
                                              [&](const auto& a, const auto& b) { return off(a) < off(b); });
      if (row_.load(most.row)) fitted_ = fitted_hypotheses(row_, most.mean, most.variance);
      add_free_numbers();
      for (const Hypothesis& h : fitted_) out.push_back(&h);
    }
    return out;
  }

  /// A real number can be chosen to fit a row: two rows of unlike variance must agree on it.
  void add_free_numbers() {
    const auto [low, high] = std::minmax_element(
        implied_.begin(), implied_.end(), [](const auto& a, const auto& b) { return a.exact < b.exact; });
    if (!(high->exact > 2 * low->exact)) return;
    Hypothesis h;
    const double eps = low->variance + c_.eps - low->exact;
    if (eps > 0) {
      h.name = fmt::format("eps taken as {:.4g}", eps);
      h.group = "another eps than was asked for";
      h.root = [eps](const HypothesisRow&, Quad v) { return reciprocal_root_of(v + eps); };
      fitted_.push_back(h);
    }
    const double factor = high->variance / high->exact;
    if (factor > 0) {
      h.name = fmt::format("the variance times {:.6g}", factor);
      h.group = "the variance times a constant";
      h.root = [factor](const HypothesisRow& r, Quad v) { return reciprocal_root_of(v * factor + r.eps); };
      fitted_.push_back(h);
    }
  }

  std::vector<Explanation> by_formula() {
    const std::vector<const Hypothesis*> all = candidates();
    std::vector<Explanation> out = nearest_of(all, fitted_.size());
    if (!out.empty() || c_.x.dtype != DType::f32) return out;
    // Sums in a half are rare in a kernel of f32, and take long to try.
    std::vector<const Hypothesis*> narrow;
    for (const Hypothesis& h : narrow_hypotheses()) narrow.push_back(&h);
    return nearest_of(narrow, 0);
  }

  /// `fitted`: so many, at the end, were chosen to fit these rows.
  std::vector<Explanation> nearest_of(const std::vector<const Hypothesis*>& all, std::size_t fitted) {
    std::vector<Fit> fits(all.size());
    for (const SampledRow& row : rows_) {
      if (!row_.load(row.row)) continue;
      for (std::size_t h = 0; h < all.size(); ++h) {
        const bool other = !all[h]->applies || all[h]->applies(row_);
        add(other ? *all[h] : exact_, row, fits[h], nullptr);
      }
    }
    std::vector<std::size_t> nearest;
    for (std::size_t h = 0; h < fits.size(); ++h) {
      const Fit& fit = fits[h];
      if (fit.elements == 0 || 4 * fit.elements < elements_) continue;
      // One that was chosen to fit these rows must fit them better; so must one that leaves more than
      // rounding.
      const bool chosen = h >= all.size() - fitted;
      const bool within = 20 * fit.explained >= 19 * fit.elements;
      if (within && (chosen ? 1024 : 16) * fit.squares <= fit.squares_of_exact) nearest.push_back(h);
      if (!within && 20 * fit.near >= 19 * fit.elements &&
          1024 * std::max(fit.squares, fit.plain_squares) <= fit.squares_of_exact)
        nearest.push_back(h);
    }
    const auto squares = [&](std::size_t h) {
      return fits[h].squares / static_cast<double>(fits[h].elements);
    };
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::size_t a, std::size_t b) { return squares(a) < squares(b); });
    std::erase_if(nearest, [&, least = nearest.empty() ? 0 : squares(nearest.front())](std::size_t h) {
      return squares(h) > 4 * least;
    });
    if (nearest.empty()) return {};
    // Of those that are one on these data, the more usual first.
    const double least = squares(nearest.front());
    std::size_t usual = nearest.front();
    for (const std::size_t h : nearest) {
      if (squares(h) <= 1.21 * least) usual = std::min(usual, h);
    }
    const auto at = std::find(nearest.begin(), nearest.end(), usual);
    std::rotate(nearest.begin(), at, at + 1);
    std::vector<Explanation> out;
    for (const std::size_t h : nearest) {
      const Hypothesis& of = *all[h];
      const bool said = std::any_of(out.begin(), out.end(), [&](const auto& e) { return e.name == of.name; });
      if (said) continue;
      out.push_back(
          {of.name, "", of.convention, std::max(fits[h].explained, fits[h].near), fits[h].elements});
      out.back().group = of.group;
      out.back().kind = of.kind;
    }
    return out;
  }

  /// Of rows that are constant y is beta, and what is not tells how x - mean came out.
  std::vector<Explanation> of_constant_rows() const {
    std::int64_t elements = 0;
    bool alike = true, any = false;
    const double u = unit_roundoff(observed_.y.dtype);
    HypothesisRow row(c_);
    for (const SampledRow& sampled : rows_) {
      if (!row.load(sampled.row)) return {};
      if (std::any_of(row.x.begin(), row.x.end(), [&](double v) { return v != row.x.front(); })) return {};
      double first = 0, first_noise = 0;
      bool has_first = false;
      for (const Sample& s : sampled.samples) {
        if (!std::isfinite(s.got)) return {};
        const double gamma = row.gamma(s.column), beta = row.beta(s.column);
        ++elements;
        if (gamma == 0) continue;
        const double x_hat = (s.got - beta) / gamma;
        any = any || x_hat != 0;
        const double noise =
            4 * u * (std::fabs(x_hat) + (std::fabs(s.got) + std::fabs(beta)) / std::fabs(gamma));
        if (!has_first) first = x_hat, first_noise = noise, has_first = true;
        alike = alike && std::fabs(x_hat - first) <= noise + first_noise;
      }
    }
    if (!any || elements == 0) return {};
    return {{alike ? "the mean of a constant row is not its value"
                   : "x*rstd and mean*rstd rounded apart (folded)",
             "", false, elements, elements}};
  }

  /// Rows whose sums or squares leave the range of the accumulate type, with what comes of that.
  std::vector<Explanation> of_overflow() {
    const DType accumulate = stable_accumulate(c_.x.dtype);
    const double largest = largest_finite(accumulate);
    std::int64_t elements = 0;
    bool sums = true, squares = true;
    for (const SampledRow& sampled : rows_) {
      if (!row_.load(sampled.row)) continue;
      const auto n = static_cast<Quad>(row_.n);
      sums = sums && n * row_.max_abs > largest;
      squares = squares && n * (row_.exact.variance + row_.exact.mean * row_.exact.mean) > largest;
      for (std::int64_t i = 0; i < row_.n; ++i) {
        const double got = observed_.y.value(sampled.row * row_.n + i);
        // An infinite mean makes NaN or infinities, an infinite variance alone a rstd of 0.
        sums = sums && !std::isfinite(got);
        squares = squares && (!std::isfinite(got) || got == row_.beta(i));
      }
      elements += row_.n;
    }
    if (elements == 0 || (!sums && !squares)) return {};
    return {
        {fmt::format("{} in {}", sums ? "the sum overflows" : "the squares overflow", dtype_name(accumulate)),
         "", false, elements, elements}};
  }

  /// No row of numbers was there to be looked at.
  std::vector<Explanation> of_no_numbers() {
    std::int64_t finite = 0, elements = 0;
    for (std::int64_t r = 0; r < row_count(c_); ++r) {
      if (row_.load(r)) continue;
      for (std::int64_t i = 0; i < row_.n; ++i) finite += std::isfinite(observed_.y.value(r * row_.n + i));
      elements += row_.n;
    }
    if (finite == 0) return {};
    return {{"a NaN or an infinity in x does not reach y", "", false, finite, elements}};
  }

  /// What the y of a row implies, and the exact variance.
  struct Implied {
    std::int64_t row;
    double mean, variance, exact;
  };

  const Case& c_;
  const Observation& observed_;
  const Contract& contract_;
  Observation y_alone_;
  HypothesisRow row_;
  Hypothesis exact_;
  std::vector<SampledRow> rows_;
  std::vector<FittedLine> lines_;
  std::vector<Implied> implied_;
  std::vector<Hypothesis> fitted_;
  std::int64_t worst_row_ = -1, worst_column_ = -1;
  std::int64_t elements_ = 0;
  std::int64_t numbers_ = 0;  ///< among what came out of them
};

}  // namespace

std::vector<Explanation> diagnose(const Case& c, const Observation& observed, const Contract& contract) {
  if (observed.status != Status::ok || refusal(c) || observed.y.shape != c.x.shape ||
      observed.y.dtype != c.x.dtype || c.x.size() == 0)
    return {};
  return Diagnosis(c, observed, contract).run();
}

std::string explanation_text(const std::vector<Explanation>& explanations) {
  if (explanations.empty()) return {};
  const Explanation& first = explanations.front();
  std::string out =
      fmt::format("{}{} explains {} of {} elements{}", first.name, first.detail, first.explained,
                  first.elements, first.convention ? " (a convention in use)" : "");
  for (std::size_t k = 1; k < std::min<std::size_t>(explanations.size(), 3); ++k)
    out += fmt::format("{} {}", k == 1 ? "; so does, on these data:" : ",", explanations[k].name);
  return out;
}

}  // namespace normcheck
