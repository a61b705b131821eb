// normcheck judge: the referee. Arrays come in, nothing is run.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "corpus/error.h"
#include "corpus/npy.h"
#include "impl/semantics.h"
#include "oracles/row_input.h"
#include "reports/blind_zone.h"
#include "reports/commands.h"
#include "reports/comparison.h"
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

/// What the judgement comes to. `stable` is what every careful layer norm keeps.
std::string in_a_line(const Judgement& j, const Contract& contract) {
  const std::string name = contract_name(contract);
  if (is_finding(j.verdict))
    return fmt::format("not within {}{}", name,
                       contract.kind == ContractKind::stable ? ": no careful layer norm gives this" : "");
  if (j.counts.proved == 0) return "nothing was proved here";
  if (j.counts.proved == j.counts.elements) return fmt::format("within {} everywhere", name);
  return fmt::format("within {} wherever {} has a bound that says something", name,
                     contract.kind == ContractKind::stable ? "stable" : "it");
}

Judgement judge_output(const Case& c, const std::string& path, const Tensor& y, const Sharpness& sharp,
                       const Contract& contract, OracleChoice oracle, const Style& style) {
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
  fmt::print("  {}\n", in_a_line(j, contract));
  if (sharp.rows > 0) {
    fmt::print("  sharp enough to see: a relative error of {} in rstd (median of {})\n",
               short_number(sharp.rstd_error), counted(sharp.rows, "row"));
  }
  if (!j.range_class.empty())
    fmt::print("  range    outside the safe range; what came out: {}\n", j.range_class);
  for (const std::string& note : j.notes) fmt::print("  NOTE     {}\n", note);
  return j;
}

/// "y[5,320]: first ..., second ..., exact ...".
std::string widest_text(const Case& c, const Tensor& y, const Tensor& y2, std::int64_t at) {
  ElementReport element;
  element.row = at / row_length(c);
  element.column = at % row_length(c);
  RowInput input(c);
  input.load(element.row, false);
  const ExactValue exact =
      input.exact_row().y(element.column, input.gamma_at(element.column), input.beta_at(element.column));
  return fmt::format("y{}: first {}, second {}, exact {}", element_index(c, element),
                     hex_and_decimal(y.dtype, y.bits(at)), hex_and_decimal(y.dtype, y2.bits(at)),
                     hex_and_decimal(y.dtype, exact.round(y.dtype), exact.to_double()));
}

void print_comparison(const Case& c, const Tensor& y, const Tensor& y2, const Options& options,
                      OracleChoice oracle, const Style& style) {
  const Comparison p = compare_outputs(c, y, y2, oracle);
  fmt::print("\n{}  {} (first) and {} (second), {} elements\n{}", style.bold("compared"), options.y,
             options.y2, grouped(c.x.size()), comparison_text(p, "first", "second"));
  if (p.gap_ulp < 0) return;
  const std::string apart =
      std::isfinite(p.gap_ulp) ? fmt::format("; {} ulp apart", short_number(p.gap_ulp)) : "";
  fmt::print("  they part most at {}{}\n", widest_text(c, y, y2, p.widest), apart);
}

}  // namespace

Exit run_judge(const Options& options) {
  const Style style{colour_wanted()};
  const OracleChoice oracle = oracle_named(options.oracle);
  const std::vector<DType> dtypes = dtypes_named(options.dtypes);
  if (dtypes.size() > 1) throw InputError("--dtype: judge takes one dtype; a file has no two");
  const Contract contract = parse_contract(options.contract, nullptr);
  const std::optional<DType> as = dtypes.empty() ? std::nullopt : std::optional(dtypes[0]);
  const Case c = read_problem(options, as);
  const Tensor y = read_output(options.y, options, c.x, as);
  std::optional<Tensor> y2;
  if (!options.y2.empty()) y2 = read_output(options.y2, options, c.x, as);

  // What is judged in ulp sees all that is more than so many.
  const bool by_bound = !contract.claims || !contract.claims->by_ulp();
  const Sharpness sharp = by_bound ? sharpness(c, contract) : Sharpness{};
  std::vector<Judgement> judged = {judge_output(c, options.y, y, sharp, contract, oracle, style)};
  if (y2) {
    fmt::print("\n");
    judged.push_back(judge_output(c, options.y2, *y2, sharp, contract, oracle, style));
    print_comparison(c, y, *y2, options, oracle, style);
  }
  bool proved = true;
  for (const Judgement& j : judged) {
    if (is_finding(j.verdict)) return Exit::finding;
    proved &= j.counts.proved > 0;
  }
  return proved ? Exit::well : Exit::nothing_proved;
}

}  // namespace normcheck
