// normcheck judge: the referee. Tensors come in, nothing is run.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "corpus/error.h"
#include "oracles/row_input.h"
#include "reports/blind_zone.h"
#include "reports/commands.h"
#include "reports/comparison.h"
#include "reports/judge_layers.h"
#include "reports/numbers.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

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

/// The block of one judgement.
std::string judgement_text(const Case& c, const Tensor& y, const std::string& label, const Judgement& j,
                           const Contract& contract, const Style& style) {
  std::string out;
  if (is_finding(j.verdict)) {
    Finding finding;
    finding.impl = label;
    finding.contract = contract_name(contract);
    finding.problem = c;
    finding.judgement = j;
    finding.held = contract;
    finding.output = y;
    explain(finding);
    out += finding_text(finding, {}, style);
  } else {
    out += fmt::format("{}  {}  {}  eps {}\n", verdict_text(j.verdict, style), label, problem_text(c),
                       exact_decimal(c.eps));
    if (!j.reason.empty()) out += fmt::format("  reason   {}\n", j.reason);
  }
  out += fmt::format("  error    {}\n", errors_text(c, j));
  out += fmt::format("  elements {} of {}\n", shares_text(j.counts), grouped(j.counts.elements));
  return out + fmt::format("  {}\n", in_a_line(j, contract));
}

void print_remarks(const Judgement& j) {
  if (!j.range_class.empty())
    fmt::print("  range    outside the safe range; what came out: {}\n", j.range_class);
  for (const std::string& note : j.notes) fmt::print("  NOTE     {}\n", note);
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

void print_comparison(const Problem& problem, OracleChoice oracle, const Style& style) {
  const Case& c = problem.c;
  const Tensor &y = *problem.y, &y2 = *problem.y2;
  const Comparison p = compare_outputs(c, y, y2, oracle);
  fmt::print("\n{}  {} (first) and {} (second), {} elements\n{}", style.bold("compared"), problem.y_label,
             problem.y2_label, grouped(c.x.size()), comparison_text(p, "first", "second"));
  if (p.gap_ulp < 0) return;
  const std::string apart =
      std::isfinite(p.gap_ulp) ? fmt::format("; {} ulp apart", short_number(p.gap_ulp)) : "";
  fmt::print("  they part most at {}{}\n", widest_text(c, y, y2, p.widest), apart);
}

}  // namespace

std::vector<Judgement> judge_problem(const Problem& p, const Contract& contract, OracleChoice oracle) {
  Observation first;
  first.y = *p.y;
  first.mean = p.mean;
  first.rstd = p.rstd;
  std::vector<Judgement> out = {judge(p.c, first, contract, oracle)};
  if (p.y2) {
    Observation second;
    second.y = *p.y2;
    out.push_back(judge(p.c, second, contract, oracle));
  }
  return out;
}

void add_files(JudgedFiles& files, const std::string& layer, const Problem& p,
               const std::vector<Judgement>& judged, const Contract& contract) {
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const std::string& label = i == 0 ? p.y_label : p.y2_label;
    const std::string text = is_finding(judged[i].verdict) ? judgement_text(p.c, i == 0 ? *p.y : *p.y2, label,
                                                                            judged[i], contract, Style{})
                                                           : std::string();
    files.add(layer, label, p.c, judged[i], contract, text);
  }
}

void print_problem(const Problem& p, const std::vector<Judgement>& judged, const Contract& contract,
                   OracleChoice oracle, const Style& style) {
  // What is judged in ulp sees all that is more than so many.
  const bool by_bound = !contract.claims || !contract.claims->by_ulp();
  const Sharpness sharp = by_bound ? sharpness(p.c, contract) : Sharpness{};
  for (std::size_t i = 0; i < judged.size(); ++i) {
    if (i > 0) fmt::print("\n");
    fmt::print("{}", judgement_text(p.c, i == 0 ? *p.y : *p.y2, i == 0 ? p.y_label : p.y2_label, judged[i],
                                    contract, style));
    if (i == 0 && (p.mean || p.rstd) && !is_finding(judged[i].verdict))
      fmt::print("  judged   y{}{}, each within its bound\n", p.mean ? ", mean" : "", p.rstd ? ", rstd" : "");
    if (sharp.rows > 0) {
      fmt::print("  sharp enough to see: a relative error of {} in rstd (median of {})\n",
                 short_number(sharp.rstd_error), counted(sharp.rows, "row"));
    }
    print_remarks(judged[i]);
  }
  if (p.y2) print_comparison(p, oracle, style);
}

Exit exit_of(const std::vector<Judgement>& judged) {
  bool proved = true;
  for (const Judgement& j : judged) {
    if (is_finding(j.verdict)) return Exit::finding;
    proved &= j.counts.proved > 0;
  }
  return proved ? Exit::well : Exit::nothing_proved;
}

Exit run_judge(const Options& options) {
  const Style style{colour_wanted()};
  const OracleChoice oracle = oracle_named(options.oracle);
  const Contract contract = parse_contract(options.contract, nullptr);
  dtypes_named(options.dtypes);
  JudgedFiles files(options);
  const std::vector<ProblemSource> problems = find_problems(options.names, options, true);
  if (problems.size() > 1 || !problems[0].missing.empty())
    return judge_layers(problems, options, contract, oracle, style, files);
  const Problem p = read_problem(problems[0], options);
  const std::vector<Judgement> judged = judge_problem(p, contract, oracle);
  print_problem(p, judged, contract, oracle, style);
  add_files(files, problems[0].name, p, judged, contract);
  files.write();
  return exit_of(judged);
}

}  // namespace normcheck
