// Holds an output against each hypothesis, then against what narrower arithmetic can do.
#include "oracles/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/semantics.h"
#include "oracles/hypotheses.h"
#include "oracles/judge.h"
#include "oracles/row_input.h"

namespace normcheck {
namespace {

constexpr std::int64_t most_rows = 8;
constexpr std::int64_t most_elements = 256;

bool is_number(Quad v) { return v - v == 0; }

/// An element that is looked at.
struct Sample {
  std::int64_t column = 0;
  double got = 0;
  Quad exact = 0;
  double allowed = 0;  ///< finite
};

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

/// How far y lies from a hypothesis, over all samples.
struct Fit {
  std::int64_t explained = 0;
  double squares = 0;  ///< of the distances, in units of the allowance
};

class Diagnosis {
 public:
  Diagnosis(const Case& c, const Observation& observed, const Contract& contract)
      : c_(c), observed_(observed), contract_(contract), row_(c), fits_(hypotheses().size()) {}

  std::vector<Explanation> run() {
    RowInput input(c_);
    const std::int64_t rows = row_count(c_);
    for (std::int64_t k = 0; k < std::min(rows, most_rows); ++k) {
      const std::int64_t r = rows <= most_rows ? k : k * rows / most_rows;
      if (input.load(r, contract_.reads_prefixes()) && row_.load(r)) look_at(input, r);
    }
    // An infinity may be right where no number is said to be (the allowance reaches beyond the largest): that
    // the judge knows.
    Observation y_alone;
    y_alone.y = observed_.y;
    const bool judged_right =
        of_exact_.explained < elements_ && numbers_ < elements_ &&
        !is_finding(judge(c_, y_alone, contract_, OracleChoice::automatic, Detail::verdict).verdict);
    const bool right = elements_ > 0 && (of_exact_.explained == elements_ || judged_right);
    const bool wrong = of_exact_.explained < elements_ && !judged_right;
    // NaN for NaN is no evidence.
    if (2 * numbers_ < elements_) return by_rounding(right, wrong);
    std::vector<Explanation> out;
    if (!right) out = by_formula();
    if (out.empty()) out = by_rounding(right, wrong);
    return out;
  }

 private:
  void look_at(RowInput& input, std::int64_t r) {
    const RowAllowance allowance(contract_, c_.x.dtype, input.condition.facts(), c_.eps);
    if (!allowance.in_range()) return;
    const Hypothesis::Statistics exact = exact_.statistics(row_, 0);
    std::vector<Sample> samples;
    for (const std::int64_t i : sampled_columns(row_.n)) {
      const double got = observed_.y.value(r * row_.n + i);
      if (!std::isfinite(row_.gamma(i)) || !std::isfinite(row_.beta(i))) continue;
      ElementAllowance allowed;
      if (!allowance.voided()) allowed = allowance.y(input.element(i).facts);
      samples.push_back({i, got, exact_.y(row_, exact, i), allowed.in_range ? allowed.y : INFINITY});
    }
    fit_line(samples, input);
    std::erase_if(samples, [](const Sample& s) { return !std::isfinite(s.allowed) || !is_number(s.exact); });
    add(exact_, samples, of_exact_);
    for (std::size_t h = 0; h < fits_.size(); ++h) {
      const Hypothesis& hypothesis = hypotheses()[h];
      if (hypothesis.applies && !hypothesis.applies(row_)) {
        add(exact_, samples, fits_[h]);  // there it is no other than the exact one
      } else {
        add(hypothesis, samples, fits_[h]);
      }
    }
    elements_ += static_cast<std::int64_t>(samples.size());
    numbers_ +=
        std::count_if(samples.begin(), samples.end(), [](const Sample& s) { return std::isfinite(s.got); });
  }

  void add(const Hypothesis& h, const std::vector<Sample>& samples, Fit& fit) const {
    Hypothesis::Statistics s = h.statistics(row_, 0);
    for (const Sample& sample : samples) {
      if (h.by_element) s = h.statistics(row_, sample.column);
      const Quad y = h.y(row_, s, sample.column);
      if (!is_number(y) || !std::isfinite(sample.got)) {
        // A formula without a value explains an output that is none.
        const bool fits = !is_number(y) && !std::isfinite(sample.got);
        fit.explained += fits;
        fit.squares += fits ? 0 : 1e30;
        continue;
      }
      const double beta = std::fabs(row_.beta(sample.column));
      const double size = static_cast<double>(abs(y)) + beta,
                   of_exact = static_cast<double>(abs(sample.exact)) + beta;
      // What is right is within the allowance, and not a hair more.
      const double slack = &fit == &of_exact_ ? 0 : unit_roundoff(observed_.y.dtype);
      const double allowed = sample.allowed * std::max(1.0, of_exact > 0 ? size / of_exact : 1.0) +
                             slack * static_cast<double>(abs(y));
      const double away =
          static_cast<double>(abs(y - sample.got)) / std::max(allowed, std::numeric_limits<double>::min());
      fit.explained += away <= 1;
      // A half's own rounding would hide how much nearer one formula is than another: each is rounded first.
      const double as_half =
          is_half(observed_.y.dtype)
              ? to_double(observed_.y.dtype, round_to(observed_.y.dtype, static_cast<double>(y)))
              : std::numeric_limits<double>::infinity();
      const double rounded_away =
          std::fabs(as_half - sample.got) / std::max(allowed, std::numeric_limits<double>::min());
      const double distance = std::isfinite(as_half) ? rounded_away : away;
      fit.squares += std::min(distance * distance, 1e30);
    }
  }

  std::vector<Explanation> by_formula() const {
    std::vector<Explanation> out;
    std::vector<std::size_t> nearest;
    for (std::size_t h = 0; h < fits_.size(); ++h) {
      if (elements_ > 0 && 20 * fits_[h].explained >= 19 * elements_ &&
          16 * fits_[h].squares <= of_exact_.squares)
        nearest.push_back(h);
    }
    std::stable_sort(nearest.begin(), nearest.end(),
                     [&](std::size_t a, std::size_t b) { return fits_[a].squares < fits_[b].squares; });
    for (const std::size_t h : nearest) {
      if (fits_[h].squares > 4 * fits_[nearest.front()].squares) break;
      out.push_back({hypotheses()[h].name, "", hypotheses()[h].convention, fits_[h].explained, elements_});
    }
    // Of those that are one on these data, the more usual first.
    if (out.size() > 1) {
      const double least = fits_[nearest.front()].squares;
      std::vector<std::size_t> same;
      for (std::size_t k = 0; k < out.size(); ++k) {
        if (fits_[nearest[k]].squares <= 1.21 * least) same.push_back(nearest[k]);
      }
      const std::size_t usual = *std::min_element(same.begin(), same.end());
      const auto at = std::find(nearest.begin(), nearest.end(), usual) - nearest.begin();
      std::rotate(out.begin(), out.begin() + at, out.begin() + at + 1);
    }
    return out;
  }

  /// y as an affine function of x: its slope and offset say which mean and variance were used.
  struct Line {
    std::int64_t elements = 0;
    bool none = false;                                ///< every y is NaN or infinite
    bool straight = false;                            ///< the rest of it is rounding
    double relative_root = 0;                         ///< rstd over the exact one, less 1
    bool coarse = false;                              ///< and that is more than y's own rounding
    bool in_one_pass = false, one_pass_only = false;  ///< within the bound of one pass; beyond the contract's
    bool clamped = false;                             ///< its variance is 0
  };

  void fit_line(const std::vector<Sample>& samples, const RowInput& input) {
    Line line;
    line.elements = static_cast<std::int64_t>(samples.size());
    const DType accumulate = stable_accumulate(c_.x.dtype);
    const RowFacts& facts = input.condition.facts();
    const Row* naive = find_row(fmt::format("naive/{}", dtype_name(accumulate)));
    if (samples.empty() || naive == nullptr || facts.constant) return;
    const MomentBound one_pass = naive->moments(facts, working(accumulate));
    const MomentBound careful = any_careful_form(facts, working(accumulate));
    const double bound = one_pass.variance.value(), of_careful = careful.variance.value();
    const double variance = static_cast<double>(row_.exact.variance);
    line.none =
        std::none_of(samples.begin(), samples.end(), [](const Sample& s) { return std::isfinite(s.got); });
    if (line.none) {
      // var + eps came out negative, or 0.
      line.in_one_pass = bound >= variance + c_.eps;
      line.one_pass_only = of_careful < variance + c_.eps;
      lines_.push_back(line);
      return;
    }
    // Weighted by gamma^2; z = y - beta against gamma (x - mean).
    long double aa = 0, ab = 0, bb = 0, az = 0, bz = 0;
    for (const Sample& s : samples) {
      if (!std::isfinite(s.got)) return lines_.push_back(line);
      const long double g = row_.gamma(s.column);
      const long double a =
          g * static_cast<long double>(row_.x[static_cast<std::size_t>(s.column)] - row_.exact.mean);
      const long double z = static_cast<long double>(s.got) - row_.beta(s.column);
      aa += a * a, ab += a * g, bb += g * g, az += a * z, bz += g * z;
    }
    const long double det = aa * bb - ab * ab;
    if (!(det > 0)) return;
    const long double slope = (az * bb - bz * ab) / det, offset = (aa * bz - ab * az) / det;
    if (!(slope > 0)) return lines_.push_back(line);  // no line of any variance
    const double u_out = unit_roundoff(observed_.y.dtype), u = unit_roundoff(accumulate);
    line.straight = true;
    double largest_noise = 0, largest = 0, largest_gamma = 0;
    for (const Sample& s : samples) {
      const double x = row_.x[static_cast<std::size_t>(s.column)], g = row_.gamma(s.column),
                   b = row_.beta(s.column);
      const long double a = static_cast<long double>(x - row_.exact.mean);
      const long double y = g * (slope * a + offset) + b;
      const double noise = 8 * (u_out * (std::fabs(s.got) + std::fabs(b)) +
                                u * std::fabs(g) * static_cast<double>(slope) *
                                    (std::fabs(x) + std::fabs(static_cast<double>(row_.exact.mean))));
      line.straight =
          line.straight && std::fabs(static_cast<double>(y - static_cast<long double>(s.got))) <= noise;
      largest_noise = std::max(largest_noise, noise);
      largest_gamma = std::max(largest_gamma, std::fabs(g));
      largest = std::max(largest, static_cast<double>(std::fabs(g * a * slope)));
    }
    const double implied = static_cast<double>(1 / (slope * slope)) - c_.eps;
    // How well y tells the slope.
    const double blur = largest > 0 ? 2 * largest_noise / largest : 1;
    const double variance_error = std::fabs(implied - variance);
    line.relative_root = static_cast<double>(slope / static_cast<long double>(
                                                         reciprocal_root_of(row_.exact.variance + c_.eps))) -
                         1;
    const double seen = 2 * blur * (implied + c_.eps);
    const double mean_error = std::fabs(static_cast<double>(offset / slope));
    const double mean_seen = 4 * largest_noise / (static_cast<double>(slope) * largest_gamma);
    line.in_one_pass = variance_error <= bound + seen && mean_error <= one_pass.mean.value() + mean_seen;
    line.one_pass_only = variance_error > of_careful + seen;
    line.clamped = std::fabs(implied) <= seen;
    line.coarse = std::fabs(line.relative_root) > 4 * blur;
    lines_.push_back(line);
  }

  std::vector<Explanation> by_rounding(bool right, bool wrong) const {
    std::int64_t elements = 0;
    bool one_pass = !lines_.empty(), beyond = false, clamped = false, none = false, straight = true,
         coarse = false;
    double root = 0;
    for (const Line& line : lines_) {
      elements += line.elements;
      straight = straight && line.straight;
      one_pass = one_pass && (line.none || line.straight) && line.in_one_pass;
      beyond = beyond || line.one_pass_only;
      clamped = clamped || line.clamped;
      none = none || line.none;
      coarse = coarse || line.coarse;
      root = std::max(root, std::fabs(line.relative_root));
    }
    if (one_pass && (beyond || (wrong && !is_half(c_.x.dtype)))) {
      return {{"one-pass variance E[x^2]-E[x]^2",
               none      ? " without a clamp (it came out negative)"
               : clamped ? ", clamped at 0"
                         : "",
               false, elements, elements}};
    }
    if (right) return {};
    for (const auto& [claim, name] : narrower()) {
      const Judgement j = judge(c_, observed_, parse_contract(claim, nullptr));
      if (!is_finding(j.verdict) && j.counts.proved > 0)
        return {{name, "", claim.starts_with("xhat"), j.counts.proved, j.counts.elements}};
    }
    if (straight && coarse && root < 0x1p-5 && !lines_.empty()) {
      return {{fmt::format("a reciprocal root good to {} bits", static_cast<int>(-std::log2(root))), "",
               false, elements, elements}};
    }
    return {};
  }

  /// Claims whose bound is wider, with what each says in words.
  std::vector<std::pair<std::string, std::string>> narrower() const {
    std::vector<std::pair<std::string, std::string>> out;
    if (is_half(c_.x.dtype))
      out.push_back({"xhat_rounding=storage", "x_hat rounded to the storage type before gamma"});
    if (c_.x.dtype == DType::f64) out.push_back({"accumulate=f32", "computed in f32"});
    if (c_.x.dtype == DType::f16) out.push_back({"accumulate=f16", "accumulated in f16"});
    if (c_.x.dtype == DType::bf16) out.push_back({"accumulate=bf16", "accumulated in bf16"});
    return out;
  }

  const Case& c_;
  const Observation& observed_;
  const Contract& contract_;
  HypothesisRow row_;
  Hypothesis exact_;
  Fit of_exact_;
  std::vector<Fit> fits_;
  std::vector<Line> lines_;
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
