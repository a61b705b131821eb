// Fits lines to rows of y, and holds them against the bounds of roundings.
#include "oracles/diagnose_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "impl/table.h"
#include "oracles/judge.h"

namespace normcheck {
namespace {

std::optional<Tensor> narrowed(const std::optional<Tensor>& t, DType dtype) {
  if (!t) return std::nullopt;
  Tensor out(dtype, t->shape);
  for (std::int64_t i = 0; i < t->size(); ++i) out.set_value(i, t->value(i));
  return out;
}

/// Whether every y is a number of the narrower type, and right for the case rounded to that type: then all of
/// it was computed there, and widened.
bool computed_in(DType dtype, const Case& c, const Observation& observed, std::int64_t& proved) {
  std::int64_t numbers = 0;
  for (std::int64_t i = 0; i < observed.y.size(); ++i) {
    const double v = observed.y.value(i);
    numbers += std::isfinite(v);
    if (std::isfinite(v) && to_double(dtype, round_to(dtype, v)) != v) return false;
  }
  if (2 * numbers < observed.y.size()) return false;  // NaN for NaN is no evidence
  Case narrow = c;
  narrow.x = *narrowed(c.x, dtype);
  narrow.gamma = narrowed(c.gamma, dtype);
  narrow.beta = narrowed(c.beta, dtype);
  Observation seen;
  seen.y = *narrowed(observed.y, dtype);
  const Judgement j = judge(narrow, seen, Contract{});
  proved = j.counts.proved;
  return !is_finding(j.verdict) && j.counts.proved > 0;
}

/// Accumulate types that are narrower than the contract's.
std::vector<DType> narrower(DType x) {
  if (x == DType::f64) return {DType::f32};
  if (is_half(x)) return {x};
  return {};
}

}  // namespace

void fit_line(const HypothesisRow& row, const std::vector<DiagnosisSample>& samples, const RowInput& input,
              const Case& c, DType output, std::vector<FittedLine>& lines) {
  FittedLine line;
  line.elements = static_cast<std::int64_t>(samples.size());
  const DType accumulate = stable_accumulate(c.x.dtype);
  const RowFacts& facts = input.condition.facts();
  const Row* naive = find_row(fmt::format("naive/{}", dtype_name(accumulate)));
  if (samples.empty() || naive == nullptr || facts.constant) return;
  const MomentBound one_pass = naive->moments(facts, working(accumulate));
  const MomentBound careful = any_careful_form(facts, working(accumulate));
  const double bound = one_pass.variance.value(), of_careful = careful.variance.value();
  const double variance = static_cast<double>(row.exact.variance);
  line.none = std::none_of(samples.begin(), samples.end(),
                           [](const DiagnosisSample& s) { return std::isfinite(s.got); });
  if (line.none) {
    // var + eps came out negative, or 0.
    line.in_one_pass = bound >= variance + c.eps;
    line.one_pass_only = of_careful < variance + c.eps;
    lines.push_back(line);
    return;
  }
  // Weighted by gamma^2; z = y - beta against gamma (x - mean).
  long double aa = 0, ab = 0, bb = 0, az = 0, bz = 0;
  for (const DiagnosisSample& s : samples) {
    if (!std::isfinite(s.got)) return lines.push_back(line);
    const long double g = row.gamma(s.column);
    const long double a =
        g * static_cast<long double>(row.x[static_cast<std::size_t>(s.column)] - row.exact.mean);
    const long double z = static_cast<long double>(s.got) - row.beta(s.column);
    aa += a * a, ab += a * g, bb += g * g, az += a * z, bz += g * z;
  }
  const long double det = aa * bb - ab * ab;
  if (!(det > 0)) return;
  const long double slope = (az * bb - bz * ab) / det, offset = (aa * bz - ab * az) / det;
  if (!(slope > 0)) return lines.push_back(line);  // no line of any variance
  const double u_out = unit_roundoff(output), u = unit_roundoff(accumulate);
  line.straight = true;
  double largest_noise = 0, largest = 0, largest_gamma = 0;
  for (const DiagnosisSample& s : samples) {
    const double x = row.x[static_cast<std::size_t>(s.column)], g = row.gamma(s.column),
                 b = row.beta(s.column);
    const long double a = static_cast<long double>(x - row.exact.mean);
    const long double y = g * (slope * a + offset) + b;
    const double noise = 8 * (u_out * (std::fabs(s.got) + std::fabs(b)) +
                              u * std::fabs(g) * static_cast<double>(slope) *
                                  (std::fabs(x) + std::fabs(static_cast<double>(row.exact.mean))));
    line.straight =
        line.straight && std::fabs(static_cast<double>(y - static_cast<long double>(s.got))) <= noise;
    largest_noise = std::max(largest_noise, noise);
    largest_gamma = std::max(largest_gamma, std::fabs(g));
    largest = std::max(largest, static_cast<double>(std::fabs(g * a * slope)));
  }
  const double implied = static_cast<double>(1 / (slope * slope)) - c.eps;
  line.implies = true;
  line.mean = static_cast<double>(row.exact.mean) - static_cast<double>(offset / slope);
  line.variance = implied;
  // How well y tells the slope.
  const double blur = largest > 0 ? 2 * largest_noise / largest : 1;
  const double variance_error = std::fabs(implied - variance);
  line.relative_root =
      static_cast<double>(slope / static_cast<long double>(reciprocal_root_of(row.exact.variance + c.eps))) -
      1;
  const double seen = 2 * blur * (implied + c.eps);
  const double mean_error = std::fabs(static_cast<double>(offset / slope));
  const double mean_seen = 4 * largest_noise / (static_cast<double>(slope) * largest_gamma);
  line.in_one_pass = variance_error <= bound + seen && mean_error <= one_pass.mean.value() + mean_seen;
  line.one_pass_only = variance_error > of_careful + seen;
  line.clamped = std::fabs(implied) <= seen;
  line.coarse = std::fabs(line.relative_root) > 4 * blur;
  lines.push_back(line);
}

std::vector<Explanation> by_coarse_root(const std::vector<FittedLine>& lines) {
  std::int64_t elements = 0;
  bool straight = !lines.empty(), coarse = false;
  double root = 0;
  for (const FittedLine& line : lines) {
    elements += line.elements;
    straight = straight && line.straight;
    coarse = coarse || line.coarse;
    root = std::max(root, std::fabs(line.relative_root));
  }
  if (!straight || !coarse || !(root < 0x1p-5)) return {};
  const int bits = static_cast<int>(-std::log2(root));
  Explanation out{fmt::format("a reciprocal root good to {} bits", bits), "", false, elements, elements};
  out.bits = bits;
  out.group = "a coarse reciprocal root";
  return {out};
}

std::vector<Explanation> by_rounding(const std::vector<FittedLine>& lines, const Case& c,
                                     const Observation& observed, bool right, bool wrong) {
  std::int64_t elements = 0;
  bool one_pass = !lines.empty(), beyond = false, clamped = false, none = false;
  for (const FittedLine& line : lines) {
    elements += line.elements;
    one_pass = one_pass && (line.none || line.straight) && line.in_one_pass;
    beyond = beyond || line.one_pass_only;
    clamped = clamped || line.clamped;
    none = none || line.none;
  }
  std::vector<Explanation> out;
  if (one_pass && (beyond || (wrong && !is_half(c.x.dtype)))) {
    out.push_back({"one-pass variance E[x^2]-E[x]^2",
                   none      ? " without a clamp (it came out negative)"
                   : clamped ? ", clamped at 0"
                             : "",
                   false, elements, elements});
  }
  if (right) return out;
  const bool is_f64 = c.x.dtype == DType::f64;
  for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) {
    std::int64_t proved = 0;
    if ((is_f64 || c.x.dtype == DType::f32) && dtype != c.x.dtype &&
        computed_in(dtype, c, observed, proved)) {
      out.push_back(
          {fmt::format("computed in {}", dtype_name(dtype)), ", and widened", false, proved, c.x.size()});
      break;
    }
  }
  if (!out.empty()) return out;
  for (const DType dtype : narrower(c.x.dtype)) {
    const Judgement j =
        judge(c, observed, parse_contract(fmt::format("accumulate={}", dtype_name(dtype)), nullptr));
    if (is_finding(j.verdict) || j.counts.proved == 0) continue;
    out.push_back({fmt::format("{} in {}", is_f64 ? "computed" : "accumulated", dtype_name(dtype)), "", false,
                   j.counts.proved, j.counts.elements});
    out.back().kind = fmt::format("sums or steps rounded to {}", dtype_name(dtype));
  }
  if (!out.empty()) return out;
  out = by_coarse_root(lines);
  if (!out.empty() || !is_half(c.x.dtype)) return out;
  const Judgement j = judge(c, observed, parse_contract("xhat_rounding=storage", nullptr));
  if (!is_finding(j.verdict) && j.counts.proved > 0)
    out.push_back(
        {"x_hat rounded to the storage type before gamma", "", true, j.counts.proved, j.counts.elements});
  return out;
}

}  // namespace normcheck
