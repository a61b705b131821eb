// normcheck judge: the referee. Arrays come in, nothing is run.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "corpus/error.h"
#include "corpus/npy.h"
#include "impl/semantics.h"
#include "oracles/exact.h"
#include "reports/commands.h"
#include "reports/numbers.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

/// A gamma or beta: as its file says, or, where the file has no name for it, in x's dtype.
Tensor read_affine(const std::string& path, DType x) {
  try {
    return read_npy(path);
  } catch (const InputError&) {
    return read_npy(path, x);
  }
}

std::string described(const std::string& path, const Tensor& t) {
  return fmt::format("{} is {} {}", path, dtype_name(t.dtype), shape_text(t.shape));
}

Tensor read_output(const std::string& path, const Options& options, const Tensor& x,
                   std::optional<DType> as) {
  Tensor y = read_npy(path, as);
  if (y.dtype != x.dtype || y.shape != x.shape) {
    throw InputError(fmt::format("{}, but {}: x and y must have one shape and dtype", described(options.x, x),
                                 described(path, y)));
  }
  return y;
}

Case read_problem(const Options& options, std::optional<DType> as) {
  Case c;
  c.id = std::filesystem::path(options.y).stem().string();
  c.eps = *options.eps;
  c.norm_ndim = options.norm_ndim.value_or(1);
  c.x = read_npy(options.x, as);
  if (!options.gamma.empty()) c.gamma = read_affine(options.gamma, c.x.dtype);
  if (!options.beta.empty()) c.beta = read_affine(options.beta, c.x.dtype);
  if (const auto why = refusal(c)) throw InputError(fmt::format("no layer norm takes this: {}", *why));
  return c;
}

Judgement judge_output(const Case& c, const std::string& path, const Tensor& y, const Contract& contract,
                       OracleChoice oracle, const Style& style) {
  Observation observed;
  observed.y = y;
  Judgement j = judge(c, observed, contract, oracle);
  if (is_finding(j.verdict)) {
    Finding finding;
    finding.impl = path;
    finding.contract = contract_name(contract);
    finding.problem = c;
    finding.judgement = j;
    fmt::print("{}", finding_text(finding, {}, style));
  } else {
    fmt::print("{}  {}  {}  eps {}\n", verdict_text(j.verdict, style), path, problem_text(c),
               exact_decimal(c.eps));
    if (!j.reason.empty()) fmt::print("  reason   {}\n", j.reason);
  }
  fmt::print("  error    {}\n", errors_text(c, j));
  fmt::print("  elements {} of {}\n", shares_text(j.counts), grouped(j.counts.elements));
  fmt::print("  {}\n", is_finding(j.verdict)  ? "not within stable: no careful layer norm gives this"
                       : j.counts.proved == 0 ? "nothing was proved here"
                       : j.counts.proved == j.counts.elements
                           ? "within stable everywhere"
                           : "within stable wherever stable has a bound that says something");
  if (!j.range_class.empty())
    fmt::print("  range    outside the safe range; what came out: {}\n", j.range_class);
  for (const std::string& note : j.notes) fmt::print("  NOTE     {}\n", note);
  return j;
}

double affine_value(const std::optional<Tensor>& t, std::int64_t i, double otherwise) {
  return t ? t->value(i) : otherwise;
}

/// How two outputs compare, element by element, against the exact value.
struct Comparison {
  std::int64_t equal = 0, first = 0, second = 0, as_far = 0, not_comparable = 0;
  double gap_ulp = -1;
  std::string where;
};

void compare_element(Comparison& out, const Case& c, const Tensor& y, const Tensor& y2, std::int64_t at,
                     const ExactValue& exact) {
  const DType dtype = c.x.dtype;
  const double e1 = exact.error_ulp(dtype, y.bits(at)), e2 = exact.error_ulp(dtype, y2.bits(at));
  if (std::fabs(e1) < std::fabs(e2)) {
    ++out.first;
  } else if (std::fabs(e2) < std::fabs(e1)) {
    ++out.second;
  } else {
    ++out.as_far;
  }
  const bool finite = std::isfinite(e1) && std::isfinite(e2);
  const double gap = finite ? std::fabs(e1 - e2) : std::isfinite(e1) || std::isfinite(e2) ? INFINITY : 0;
  if (!(gap > out.gap_ulp)) return;
  out.gap_ulp = gap;
  ElementReport element;
  element.row = at / row_length(c);
  element.column = at % row_length(c);
  out.where = fmt::format("y{}: first {}, second {}, exact {}", element_index(c, element),
                          hex_and_decimal(dtype, y.bits(at)), hex_and_decimal(dtype, y2.bits(at)),
                          hex_and_decimal(dtype, exact.round(dtype), exact.to_double()));
}

Comparison compare(const Case& c, const Tensor& y, const Tensor& y2) {
  Comparison out;
  const std::int64_t n = row_length(c);
  std::vector<double> x(static_cast<std::size_t>(n));
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    std::optional<ExactRow> exact;
    bool tried = false;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t at = row * n + i;
      if (y.bits(at) == y2.bits(at)) {
        ++out.equal;
        continue;
      }
      if (!tried) {
        tried = true;
        bool finite = true;
        for (std::int64_t k = 0; k < n; ++k) {
          x[static_cast<std::size_t>(k)] = c.x.value(row * n + k);
          finite &= std::isfinite(x[static_cast<std::size_t>(k)]);
        }
        if (finite) exact.emplace(x.data(), n, c.eps);
        if (exact && exact->degenerate()) exact.reset();
      }
      const double gamma = affine_value(c.gamma, i, 1), beta = affine_value(c.beta, i, 0);
      if (!exact || !std::isfinite(gamma) || !std::isfinite(beta)) {
        ++out.not_comparable;
      } else {
        compare_element(out, c, y, y2, at, exact->y(i, gamma, beta));
      }
    }
  }
  return out;
}

void print_comparison(const Comparison& p, std::int64_t elements, const Options& options,
                      const Style& style) {
  fmt::print("\n{}  {} (first) and {} (second), {} elements\n", style.bold("compared"), options.y, options.y2,
             grouped(elements));
  fmt::print("  the same bits        {:>7}\n  first is closer      {:>7}\n  second is closer     {:>7}\n",
             percent(p.equal, elements), percent(p.first, elements), percent(p.second, elements));
  if (p.as_far > 0) fmt::print("  differ, equally far  {:>7}\n", percent(p.as_far, elements));
  if (p.not_comparable > 0) fmt::print("  no exact number      {:>7}\n", percent(p.not_comparable, elements));
  if (p.gap_ulp < 0) return;
  const std::string apart =
      std::isfinite(p.gap_ulp) ? fmt::format("; {} ulp apart", short_number(p.gap_ulp)) : "";
  fmt::print("  they part most at {}{}\n", p.where, apart);
}

}  // namespace

Exit run_judge(const Options& options) {
  const Style style{colour_wanted()};
  const OracleChoice oracle = oracle_named(options.oracle);
  const std::vector<DType> dtypes = dtypes_named(options.dtypes);
  if (dtypes.size() > 1) throw InputError("--dtype: judge takes one dtype; a file has no two");
  if (options.contract != "stable") {
    throw InputError(fmt::format(
        "--contract: '{}': arrays have no implementation to own a bound; expected stable", options.contract));
  }
  const std::optional<DType> as = dtypes.empty() ? std::nullopt : std::optional(dtypes[0]);
  const Case c = read_problem(options, as);
  const Tensor y = read_output(options.y, options, c.x, as);
  std::optional<Tensor> y2;
  if (!options.y2.empty()) y2 = read_output(options.y2, options, c.x, as);

  std::vector<Judgement> judged = {judge_output(c, options.y, y, {}, oracle, style)};
  if (y2) {
    fmt::print("\n");
    judged.push_back(judge_output(c, options.y2, *y2, {}, oracle, style));
    print_comparison(compare(c, y, *y2), c.x.size(), options, style);
  }
  bool proved = true;
  for (const Judgement& j : judged) {
    if (is_finding(j.verdict)) return Exit::finding;
    proved &= j.counts.proved > 0;
  }
  return proved ? Exit::well : Exit::nothing_proved;
}

}  // namespace normcheck
