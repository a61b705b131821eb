// Fuzz target: do the two oracles agree but for exact ties, and are the estimate and the filter within the
// errors that they state, the filter in every instruction set alike?
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/claims.h"
#include "fuzz/decode.h"
#include "fuzz/finding.h"
#include "fuzz/in_flight.h"
#include "fuzz/target.h"
#include "impl/semantics.h"
#include "oracles/estimate.h"
#include "oracles/filter_row.h"
#include "oracles/quad.h"
#include "props/oracle_pair.h"

namespace normcheck {
namespace {

/// Wide floats of 11,264 bits take 30 microseconds for a product, and an f64 row may need them.
constexpr std::int64_t longest_row = 24;

/// The part of one row that is compared, with gamma and beta of its columns, as a case of its own.
Case part_of(const Case& c, std::int64_t row) {
  const std::int64_t n = row_length(c), kept = std::min(n, longest_row);
  const auto cut = [kept](const Tensor& t, std::int64_t first, std::vector<std::int64_t> shape) {
    Tensor out(t.dtype, std::move(shape));
    for (std::int64_t i = 0; i < kept; ++i) out.set_bits(i, t.bits(first + i));
    return out;
  };
  Case out;
  out.id = c.id;
  out.eps = c.eps;
  out.x = cut(c.x, row * n, {1, kept});
  if (c.gamma) out.gamma = cut(*c.gamma, 0, {kept});
  if (c.beta) out.beta = cut(*c.beta, 0, {kept});
  return out;
}

/// The first thing that is wrong on a case of one row; empty if nothing is.
class Comparison {
 public:
  explicit Comparison(const Case& c)
      : dtype_(c.x.dtype),
        tensor_(c.x),
        x_(values(c.x)),
        n_(c.x.size()),
        exact_(x_.data(), n_, c.eps),
        eps_(c.eps) {
    condition_.fill(x_.data(), n_, false);
    if (c.gamma) gamma_ = values(*c.gamma);
    if (c.beta) beta_ = values(*c.beta);
  }

  std::string first_fault(std::uint64_t choice) {
    const RowEstimate estimate(condition_, eps_);
    const WideRow wide(x_.data(), n_, eps_of_second(eps_));
    std::string out = degeneracy(wide);
    check(out, "mean", exact_.mean(), wide.mean());
    check(out, "mean", exact_.mean(), estimate.mean());
    check(out, "variance", exact_.variance(), wide.variance());
    if (exact_.degenerate() || !out.empty()) return out;
    check(out, "rstd", exact_.rstd(), wide.rstd());
    check(out, "rstd", exact_.rstd(), estimate.rstd());
    // The estimate of every element; the wide oracle, which is slow, of one.
    const auto chosen = static_cast<std::int64_t>(choice % static_cast<std::uint64_t>(n_));
    for (std::int64_t i = 0; i < n_ && out.empty(); ++i) {
      const double gamma = at(gamma_, i, 1), beta = at(beta_, i, 0);
      if (!std::isfinite(gamma) || !std::isfinite(beta)) continue;
      const RowEstimate::Element e = estimate.element(i, gamma, beta);
      const ExactValue y = exact_.y(i, gamma, beta);
      check(out, "y", y, e.y);
      check_closely(out, i, e.x_hat);
      if (i == chosen) check(out, "y", y, wide.y(i, gamma, beta));
    }
    if (out.empty()) check_filter(out);
    return out;
  }
  std::int64_t checks() const { return checks_; }

 private:
  static std::vector<double> values(const Tensor& t) {
    std::vector<double> out;
    for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.value(i));
    return out;
  }
  static double at(const std::vector<double>& v, std::int64_t i, double absent) {
    return v.empty() ? absent : v[static_cast<std::size_t>(i)];
  }

  std::string degeneracy(const WideRow& wide) const {
    return exact_.degenerate() == wide.degenerate() ? "" : "the oracles differ on whether var+eps is 0";
  }
  void check(std::string& out, const char* what, const ExactValue& exact, const WideValue& wide) {
    ++checks_;
    if (!out.empty()) return;
    const std::string why = disagreement(exact, wide, dtype_, met_);
    if (!why.empty()) out = std::string("exact and wide differ on ") + what + ": " + why;
  }

  /// |hi + lo - exact| <= error, by way of the two ends, each rounded outwards to a double.
  void check(std::string& out, const char* what, const ExactValue& exact, const Estimated& e) {
    ++checks_;
    const double error = claimed_error(e.error);
    if (!out.empty() || !std::isfinite(error) || !std::isfinite(e.value.hi)) return;
    const Quad middle = to_quad(e.value);
    const double low = -round_up_signed(-(middle - Quad(error))),
                 high = round_up_signed(middle + Quad(error));
    const bool below = std::isfinite(low) && exact.compare(low) < 0;
    const bool above = std::isfinite(high) && exact.compare(high) > 0;
    if (below || above) out = std::string("the estimate of ") + what + " is further off than it states";
  }
  /// The same to the last bit, where a beta of -hi takes away what a double cannot tell apart.
  void check_closely(std::string& out, std::int64_t i, const Estimated& x_hat) {
    ++checks_;
    const double error = claimed_error(x_hat.error);
    if (!out.empty() || !std::isfinite(error) || !std::isfinite(x_hat.value.hi)) return;
    const ExactValue rest = exact_.y(i, 1, -x_hat.value.hi);
    const Quad low = Quad(x_hat.value.lo) - Quad(error), high = Quad(x_hat.value.lo) + Quad(error);
    if (rest.compare(-round_up_signed(-low)) < 0 || rest.compare(round_up_signed(high)) > 0)
      out = "the estimate of x_hat is further off than it states";
  }
  /// Against outputs at most two numbers from the right ones.
  void check_filter(std::string& out) {
    const auto size = static_cast<std::size_t>(n_);
    std::vector<double> gamma(gamma_.size()), beta(beta_.size()), error(size), uncertainty(size);
    filter::columns(gamma_.data(), static_cast<std::int64_t>(gamma.size()), gamma.data());
    filter::columns(beta_.data(), static_cast<std::int64_t>(beta.size()), beta.data());
    Tensor got(dtype_, tensor_.shape);
    for (std::int64_t i = 0; i < n_; ++i) {
      const double g = at(gamma_, i, 1), b = at(beta_, i, 0);
      if (std::isfinite(g) && std::isfinite(b))
        got.set_bits(i, step(dtype_, exact_.y(i, g, b).round(dtype_), static_cast<int>(i % 5) - 2));
    }
    const filter::Rows rows = filter::row_of(tensor_, got, 0, n_, eps_, gamma, beta);
    filter::run(rows, {nullptr, error.data(), uncertainty.data()}, nullptr);
    for (std::int64_t i = 0; i < n_ && out.empty(); ++i) {
      const double e = error[static_cast<std::size_t>(i)], stated = uncertainty[static_cast<std::size_t>(i)];
      ++checks_;
      if (!std::isfinite(stated)) continue;
      const double want = exact_.y(i, at(gamma_, i, 1), at(beta_, i, 0)).error_ulp(dtype_, got.bits(i));
      if (!(std::fabs(e - want) <= claimed_error(stated) + 0x1p-50 * std::fabs(want)))
        out = "the filter is further off than it states";
    }
    for (const filter::InstructionSet set : filter::kInstructionSets) {
      if (!out.empty() || !filter::has(set)) continue;
      std::vector<double> error_again(size), uncertainty_again(size);
      filter::run(rows, {nullptr, error_again.data(), uncertainty_again.data()}, nullptr, set);
      for (std::size_t i = 0; i < size; ++i) {
        if (!same(error_again[i], error[i]) || !same(uncertainty_again[i], uncertainty[i]))
          out = std::string("the filter says otherwise in ") + filter::instruction_set_name(set);
      }
    }
  }
  /// Bit for bit; which NaN it is says nothing.
  static bool same(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) ||
           (std::isnan(a) && std::isnan(b));
  }
  /// The smallest double >= v, of either sign.
  static double round_up_signed(Quad v) { return v < 0 ? -round_down(-v) : round_up(v); }

  const DType dtype_;
  const Tensor& tensor_;
  const std::vector<double> x_;
  const std::int64_t n_;
  const ExactRow exact_;
  const double eps_;
  RowCondition condition_;
  std::vector<double> gamma_, beta_;
  Met met_;
  std::int64_t checks_ = 0;
};

bool is_finite_row(const Case& c) {
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    if (!std::isfinite(c.x.value(i))) return false;
  }
  return c.x.size() > 0;
}

std::string fault_of(const Case& c, std::uint64_t choice) {
  if (refusal(c) || !is_finite_row(c)) return "";
  return Comparison(c).first_fault(choice);
}
/// Whatever element it is that shows it.
std::string any_fault(const Case& c) {
  std::string out;
  for (std::int64_t i = 0; i < c.x.size() && out.empty(); ++i)
    out = fault_of(c, static_cast<std::uint64_t>(i));
  return out;
}

void rerun(const Case& c, const void*) { any_fault(c); }

std::int64_t compare_row(const Case& c, std::uint64_t choice) {
  if (!is_finite_row(c)) return 0;
  const InFlight flight(c, "oracles", rerun, nullptr);
  Comparison comparison(c);
  if (comparison.first_fault(choice).empty()) return comparison.checks();
  Finding finding;
  finding.who = "oracles";
  finding.promise = "agree";
  finding.again = [](const Case& k) { return row_count(k) == 1 && !any_fault(k).empty(); };
  finding.words = [](const Case& k) {
    return finding_head("FAIL", "oracles", k, "agree") + "  " + any_fault(k) + "\n";
  };
  finding.replay = [](const std::string& file) { return std::string(target_name()) + " " + file; };
  report_finding(c, finding);
}

std::int64_t compare_case(const Case& c, std::uint16_t selector, Extent extent) {
  if (refusal(c) || c.x.size() == 0) return 0;
  const std::int64_t rows = row_count(c);
  std::int64_t checks = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    if (extent == Extent::selected && r != selector % rows) continue;
    const Case part = part_of(c, r);
    const std::int64_t elements = extent == Extent::all ? part.x.size() : 1;
    for (std::int64_t i = 0; i < elements; ++i)
      checks += compare_row(part, static_cast<std::uint64_t>(extent == Extent::all ? i : selector / 64));
  }
  return checks;
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("normcheck-case ")) {
    constexpr CaseLimits limits = {.written = 1 << 14, .generated = 1 << 14};
    try {
      return compare_case(parse_case(text, "input", limits), 0, Extent::all);
    } catch (const InputError&) {
      return 0;
    }
  }
  const Decoded input = decode(bytes);
  return compare_case(input.c, input.selector, extent);
}

}  // namespace normcheck
