// Replaces exact steps by computed ones, one after another, and sees how far y moves.
#include "reports/explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "corpus/error.h"
#include "impl/semantics.h"
#include "impl/trace.h"
#include "oracles/exact.h"
#include "oracles/hypotheses.h"
#include "oracles/judge.h"
#include "oracles/quad.h"
#include "oracles/ulp.h"
#include "reports/finding.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

/// What an implementation gave at each step, as far as it tells; of a row.
struct Told {
  std::optional<double> mean, variance, rstd;
  std::vector<double> centre, normalize, scale_shift;  ///< empty: not formed, or not told
};

double finite_double(Quad v) { return static_cast<double>(v); }

class SixSteps {
 public:
  SixSteps(const Row& row, const Case& c, std::int64_t r, std::int64_t i, Told told, double y)
      : row_(row), data_(c), told_(std::move(told)), y_(y), i_(i) {
    if (!data_.load(r))
      throw InputError(fmt::format("explain: row {} of {} holds no numbers alone", r, c.id));
    gamma_ = data_.gamma(i);
    beta_ = data_.beta(i);
    y_unit_ = std::ldexp(1.0, ulp_exponent(c.x.dtype, finite_double(exact_y())));
  }

  std::vector<ExplainedStep> steps() {
    const Case& c = data_.problem();
    const std::string one = shape_text(statistics_shape(c)), all = shape_text(c.x.shape);
    Quad before = exact_y();
    const auto add = [&](std::string_view name, const std::string& shape, Quad exact,
                         std::optional<double> got, Quad function, DType unit) {
      ExplainedStep s;
      s.name = name;
      s.shape = shape;
      s.unit = unit;
      s.exact = finite_double(exact);
      s.formed = got.has_value();
      if (got) {
        const double spacing = ulp(unit, s.exact);
        s.got = *got;
        s.own_ulp = finite_double(*got - function) / spacing;
        s.inherited_ulp = finite_double(function - exact) / spacing;
        const Quad behind = y_now();
        s.of_y_ulp = finite_double(behind - before) / y_unit_;
        before = behind;
      }
      out_.push_back(std::move(s));
    };
    const DType acc = row_.outside == nullptr ? row_.accumulate : stable_accumulate(c.x.dtype);
    const Quad x = data_.x[static_cast<std::size_t>(i_)];
    const Moments2 exact = data_.exact;
    const Quad exact_rstd = reciprocal_root_of(exact.variance + data_.eps);

    mean_ = told_.mean;
    add(step_names[0], one, exact.mean, told_.mean, exact.mean, acc);
    const Quad centre_in = x - mean();
    if (!told_.centre.empty()) centre_ = told_.centre[static_cast<std::size_t>(i_)], centred_ = true;
    add(step_names[1], all, x - exact.mean, centre_, centre_in, acc);
    const Quad variance_in = variance();
    variance_ = told_.variance;
    add(step_names[2], one, exact.variance, told_.variance, variance_in, acc);
    const Quad rstd_in = rstd();
    rstd_ = told_.rstd;
    add(step_names[3], one, exact_rstd, told_.rstd, rstd_in, acc);
    const Quad x_hat_in = x_hat();
    if (!told_.normalize.empty()) x_hat_ = told_.normalize[static_cast<std::size_t>(i_)];
    add(step_names[4], all, (x - exact.mean) * exact_rstd, x_hat_, x_hat_in, acc);
    const Quad shift_in = y_now();
    if (!told_.scale_shift.empty()) shifted_ = told_.scale_shift[static_cast<std::size_t>(i_)];
    add(step_names[5], all, exact_y(), shifted_, shift_in, acc);
    const Quad stored_in = y_now();
    stored_ = y_;
    add("y", all, exact_y(), y_, stored_in, c.x.dtype);
    return std::move(out_);
  }

  Quad exact_y() const {
    const Quad d = data_.x[static_cast<std::size_t>(i_)] - data_.exact.mean;
    return d * reciprocal_root_of(data_.exact.variance + data_.eps) * gamma_ + beta_;
  }
  const HypothesisRow& data() const { return data_; }

 private:
  Quad mean() const { return mean_ ? Quad(*mean_) : data_.exact.mean; }
  Quad centre_at(std::size_t i) const { return centred_ ? Quad(told_.centre[i]) : data_.x[i] - mean(); }
  /// The exact variance of what the steps before gave: about the mean that was computed, or, of
  /// E[x^2]-E[x]^2, less its square.
  Quad variance() const {
    if (variance_) return *variance_;
    const auto n = static_cast<Quad>(data_.n);
    Quad sum = 0;
    if (one_pass()) {
      for (const double v : data_.x) sum += Quad(v) * v;
      return sum / n - mean() * mean();
    }
    for (std::size_t i = 0; i < data_.x.size(); ++i) sum += centre_at(i) * centre_at(i);
    return sum / n;
  }
  Quad rstd() const { return rstd_ ? Quad(*rstd_) : reciprocal_root_of(variance() + data_.eps); }
  Quad x_hat() const { return x_hat_ ? Quad(*x_hat_) : centre_at(static_cast<std::size_t>(i_)) * rstd(); }
  Quad y_now() const {
    if (stored_) return *stored_;
    return shifted_ ? Quad(*shifted_) : x_hat() * gamma_ + beta_;
  }
  bool one_pass() const { return row_.outside == nullptr && row_.algorithm.starts_with("naive"); }

  const Row& row_;
  HypothesisRow data_;
  Told told_;
  double y_;
  std::int64_t i_;
  double gamma_ = 1, beta_ = 0, y_unit_ = 1;
  std::optional<double> mean_, centre_, variance_, rstd_, x_hat_, shifted_, stored_;
  bool centred_ = false;
  std::vector<ExplainedStep> out_;
};

double bits_of(double ratio) { return ratio > 0 ? std::max(0.0, -std::log2(ratio)) : 0; }

/// Why the step lost what it lost.
std::string sentence(const Row& row, const ExplainedStep& s, const HypothesisRow& data, double kappa) {
  const Case& c = data.problem();
  const std::string_view acc = dtype_name(s.unit);
  const auto variance = finite_double(data.exact.variance), mean = finite_double(data.exact.mean);
  const std::string size = short_number(finite_double(data.max_abs));
  if (s.name == "mean") {
    if (!std::isfinite(s.got))
      return fmt::format("the sum of {} numbers of up to {} passes the largest of {}", data.n, size, acc);
    return fmt::format(
        "the sum of {} numbers of up to {} is rounded in {}; the mean outweighs the spread {} times (kappa), "
        "and x - mean "
        "lets all of its error through",
        data.n, size, acc, short_number(kappa));
  }
  if (s.name == "centre") return fmt::format("x - mean is rounded in {}", acc);
  if (s.name == "variance") {
    if (!std::isfinite(s.got))
      return fmt::format("a square, or the sum of {} squares, passes the largest number of {}", data.n, acc);
    if (row.outside == nullptr && row.algorithm.starts_with("naive")) {
      const double second = variance + mean * mean;
      return fmt::format(
          "E[x^2] = {} less E[x]^2 = {} cancels: about {:.0f} of the {} bits of {} are gone before the "
          "difference is "
          "taken{}",
          fmt::format("{:.9g}", second), fmt::format("{:.9g}", mean * mean), bits_of(variance / second),
          format_of(s.unit).precision, acc, s.got < 0 ? ", and it comes out negative" : "");
    }
    return fmt::format("the sum of {} squares is rounded in {}", data.n, acc);
  }
  if (s.name == "rstd" && row.outside != nullptr) {
    return fmt::format("rstd is good to {:.0f} bits; of the variance behind it nothing is told",
                       bits_of(std::fabs(s.own_ulp) * ulp(s.unit, s.exact) / std::fabs(s.exact)));
  }
  if (s.name == "rstd") {
    return fmt::format("1/sqrt(var + eps) is good to {:.0f} bits",
                       bits_of(std::fabs(s.own_ulp) * ulp(s.unit, s.exact) / std::fabs(s.exact)));
  }
  if (s.name == "normalize")
    return fmt::format("(x - mean)*rstd is rounded{}",
                       row.outside == nullptr && row.variant.x_hat_storage
                           ? fmt::format(" to {} before gamma", dtype_name(c.x.dtype))
                           : fmt::format(" in {}", acc));
  if (s.name == "y" && row.outside != nullptr)
    return "what lies between the statistics and y: x - mean, the product with rstd, gamma and beta, and the "
           "last rounding";
  if (s.name == "y") return fmt::format("y is rounded to {}", acc);
  return "gamma*x_hat + beta is rounded; where the two nearly cancel, an ulp of them is many of y";
}

Told told_of(const Row& row, const Case& c, const Observation& o, std::int64_t r) {
  Told told;
  if (row.outside == nullptr) {
    const RowTrace trace = trace_row(row, c, r);
    return {trace.mean, trace.variance, trace.rstd, trace.centre, trace.normalize, trace.scale_shift};
  }
  if (o.mean && o.mean->size() == row_count(c)) told.mean = o.mean->value(r);
  if (o.rstd && o.rstd->size() == row_count(c)) told.rstd = o.rstd->value(r);
  return told;
}

/// Where nothing is held to a number: the element that is farthest off, in ulp, of the first rows.
void find_worst(const Case& c, const Tensor& y, std::int64_t& row, std::int64_t& column) {
  constexpr std::int64_t most_rows = 64;
  HypothesisRow data(c);
  double most = -1;
  for (std::int64_t r = 0; r < std::min(row_count(c), most_rows); ++r) {
    if (!data.load(r)) continue;
    const Quad rstd = reciprocal_root_of(data.exact.variance + data.eps);
    for (std::int64_t i = 0; i < data.n; ++i) {
      const Quad exact =
          (data.x[static_cast<std::size_t>(i)] - data.exact.mean) * rstd * data.gamma(i) + data.beta(i);
      const double off =
          std::fabs(finite_double(y.value(r * data.n + i) - exact)) / ulp(c.x.dtype, finite_double(exact));
      if (off > most) most = off, row = r, column = i;
    }
  }
}

}  // namespace

Explained explain_case(const Row& row, const Case& c, const Contract& contract) {
  if (const auto why = refusal(c))
    throw InputError(fmt::format("explain: {} is a call to be refused: {}", c.id, *why));
  if (c.x.size() == 0) throw InputError(fmt::format("explain: {} has no elements", c.id));
  Observation o = run_case(row, c, {.mean = row.outside != nullptr, .rstd = row.outside != nullptr});
  if (o.status == Status::unsupported && row.outside != nullptr) o = run_case(row, c);
  if (o.status != Status::ok)
    throw InputError(fmt::format("explain: {} gives no y for {}{}{}", row.name, c.id,
                                 o.message.empty() ? "" : ": ", o.message));
  Observation y_alone;
  y_alone.y = o.y;
  const Judgement j = judge(c, y_alone, contract);
  Explained out;
  out.impl = row.name;
  out.tells_steps = row.outside == nullptr;
  out.problem = c;
  if (j.worst && j.worst->output == Output::y) {
    out.row = j.worst->row;
    out.column = j.worst->column;
    out.error_ulp = j.worst->error_ulp;
    out.allowed_ulp = j.worst->allowed_ulp;
  } else {
    out.allowed_ulp = std::numeric_limits<double>::infinity();
    find_worst(c, o.y, out.row, out.column);
  }
  out.kappa = j.kappa;
  out.verdict = verdict_name(j.verdict);
  const double y = o.y.value(out.row * row_length(c) + out.column);
  SixSteps six(row, c, out.row, out.column, told_of(row, c, o, out.row), y);
  const Moments2& exact = six.data().exact;
  out.kappa = finite_double(exact.variance) > 0
                  ? std::sqrt(1 + finite_double(exact.mean * exact.mean / exact.variance))
                  : std::numeric_limits<double>::infinity();
  out.steps = six.steps();
  out.error_ulp = finite_double(y - six.exact_y()) / ulp(c.x.dtype, finite_double(six.exact_y()));
  // The first that makes no number of one, or a variance that has no root; else the one that moves y most.
  const ExplainedStep* most = nullptr;
  const auto breaks = [&](const ExplainedStep& s) {
    const bool no_root = s.name == step_names[2] && !(s.got + c.eps > 0) && s.exact + c.eps > 0;
    return s.formed && (!std::isfinite(s.got) || no_root) && std::isfinite(s.exact);
  };
  const bool is_number = std::isfinite(y);
  for (const ExplainedStep& s : out.steps) {
    if (!s.formed) continue;
    if (!is_number && breaks(s)) {
      most = &s;
      break;
    }
    if (is_number && (most == nullptr || std::fabs(s.of_y_ulp) > std::fabs(most->of_y_ulp))) most = &s;
  }
  if (!is_number) out.error_ulp = std::numeric_limits<double>::infinity();
  if (most == nullptr || (std::fabs(out.error_ulp) <= 0.5)) {
    out.why = "y is correctly rounded here: no step lost anything that shows";
  } else if (row.outside != nullptr && most->name == "y" && !out.steps[0].formed && !out.steps[3].formed) {
    out.why =
        "the kernel tells y alone, neither mean nor rstd: its steps cannot be told apart (`check` names the "
        "likely cause)";
  } else {
    out.step = most->name;
    out.why = sentence(row, *most, six.data(), out.kappa);
  }
  return out;
}

}  // namespace normcheck
