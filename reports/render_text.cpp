// Renders findings, tables and verdicts for a terminal.
#include "reports/render_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "corpus/replay_line.h"
#include "oracles/row_input.h"
#include "oracles/wide.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

constexpr std::size_t most_trace_values = 8;

/// "allowed 1.3e5 ulp = 1.5e-2 (bound of stable: n 4, kappa 3.6e4)".
std::string allowance_text(const Finding& finding, const ElementReport& worst) {
  const std::string of = fmt::format("bound of {}: n {}, kappa {}", finding.contract,
                                     row_length(finding.problem), short_number(finding.judgement.kappa));
  if (worst.of_class) return fmt::format("the class is wrong ({})", of);
  if (!std::isfinite(worst.allowed_ulp)) return fmt::format("any number is allowed, not any class ({})", of);
  return fmt::format("allowed {} ulp = {} ({})", short_number(worst.allowed_ulp),
                     short_number(worst.allowed_abs), of);
}

std::string error_text(double error_ulp) {
  return std::isfinite(error_ulp) ? short_number(error_ulp) + " ulp" : "inf";
}

std::string worst_text(const Finding& finding, const ElementReport& worst) {
  const std::string place = std::string(output_name(worst.output)) + element_index(finding.problem, worst);
  std::string text =
      fmt::format("  {:<8} got  {}   want {}   error {}; {}", place, hex_and_decimal(worst.dtype, worst.got),
                  hex_and_decimal(worst.dtype, worst.want_bits, worst.want), error_text(worst.error_ulp),
                  allowance_text(finding, worst));
  if (!worst.reason.empty()) text += "; " + worst.reason;
  return text + "\n";
}

/// A cell: the number without its unit, which the column's head names.
std::string largest_cell(const LargestError& largest) {
  if (largest.ulp < 0) return "-";
  return std::isfinite(largest.ulp) ? short_number(largest.ulp) : "NaN/inf";
}

std::string allowed_cell(const LargestError& largest) {
  if (largest.ulp < 0 || std::isnan(largest.allowed_ulp)) return "-";
  return std::isinf(largest.allowed_ulp) ? "void" : short_number(largest.allowed_ulp);
}

/// Every verdict that is not one of the four columns, with its count; what came out beyond the safe range.
std::string remarks(const Tally& tally) {
  std::string out;
  for (std::size_t v = 0; v < tally.verdicts.size(); ++v) {
    const auto verdict = static_cast<Verdict>(v);
    const bool column = verdict == Verdict::pass || verdict == Verdict::vacuous ||
                        verdict == Verdict::void_bound || verdict == Verdict::fail;
    if (!column && tally.verdicts[v] > 0)
      out += fmt::format("  {} {}", verdict_name(verdict), tally.verdicts[v]);
  }
  if (!tally.out_of_range.empty()) out += "  out of range:";
  for (const auto& [what, times] : tally.out_of_range) out += fmt::format(" {} {}", times, what);
  return out;
}

/// One line of the table; the head and the rows share it.
template <class... Cells>
std::string table_line(const Cells&... cells) {
  return fmt::format("  {:<19}{:>6}{:>6}{:>5}{:>5}{}{:>8}{:>7}{:>7}{:>7}{:>9}{:>9}{:>8}{:>9}{:>8}{}\n",
                     cells...);
}

std::string tally_line(const Tally& t, const Style& style) {
  const ElementCounts& c = t.counts;
  const std::string fails = fmt::format("{:>5}", t.of(Verdict::fail));
  const bool any = t.largest.ulp >= 0;
  return table_line(t.regime, t.cases, t.of(Verdict::pass), t.of(Verdict::void_bound), t.of(Verdict::vacuous),
                    t.of(Verdict::fail) > 0 ? style.red(fails) : fails, percent(c.proved, c.elements),
                    percent(c.voided, c.elements), percent(c.vacuous, c.elements),
                    percent(c.skipped, c.elements), largest_cell(t.largest), allowed_cell(t.largest),
                    any ? short_number(t.largest.kappa) : "-",
                    t.normwise.u >= 0 ? short_number(t.normwise.u) : "-",
                    percent(t.not_correctly_rounded, t.judged), remarks(t));
}

std::string values_text(const std::vector<double>& values, std::size_t from, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < std::min(count, most_trace_values); ++i) {
    out += fmt::format(" {} ({})", hexfloat(values[from + i]), short_number(values[from + i]));
  }
  if (count > most_trace_values) out += fmt::format(" ... {} more", count - most_trace_values);
  return out;
}

}  // namespace

std::string problem_text(const Case& c) {
  return fmt::format("{} {} over {}", dtype_name(c.x.dtype), shape_text(c.x.shape),
                     shape_text(normalized_shape(c)));
}

std::string verdict_text(Verdict verdict, const Style& style) {
  const std::string name(verdict_name(verdict));
  if (is_finding(verdict)) return style.red(name);
  if (verdict == Verdict::pass || verdict == Verdict::refused) return style.green(name);
  return style.yellow(name);
}

std::string finding_text(const Finding& finding, std::string_view program, const Style& style) {
  const Judgement& j = finding.judgement;
  const std::string regime = finding.regime.empty() ? fmt::format("case {}", finding.problem.id)
                                                    : fmt::format("regime {}", finding.regime);
  std::string out = fmt::format("{}  {}  {}  {}  eps {}\n", verdict_text(j.verdict, style), finding.impl,
                                problem_text(finding.problem), regime, exact_decimal(finding.problem.eps));
  if (j.worst) {
    out += worst_text(finding, *j.worst);
    for (const std::string& fault : j.faults) out += fmt::format("  beside   {}\n", fault);
  } else {
    out += fmt::format("  reason   {}\n", j.reason);
  }
  out += fmt::format("  rows     {} of {} wrong, elements {} of {}\n", j.wrong_rows,
                     row_count(finding.problem), j.counts.failed, j.counts.elements);
  if (const auto& stage = finding.stage) {
    out += fmt::format("  stage    {} {}: got {}, exact {}       (the first stage out of its own bound)\n",
                       stage->step, stage->shape, exact_decimal(stage->got), exact_decimal(stage->exact));
  }
  if (!finding.replay.empty()) out += fmt::format("  replay   {}\n", replay_line(program, finding.replay));
  return out;
}

std::string entry_text(const SweepEntry& entry, const Style& style) {
  const Tally total = entry.total();
  std::string out = fmt::format("{}  {}   {}, {} elements, contract {}\n",
                                style.bold(fmt::format("{}  {}", entry.row->name, dtype_name(entry.dtype))),
                                counted(total.cases, "case"), counted(total.evaluations, "evaluation"),
                                grouped(total.counts.elements), entry.contract);
  const std::string fail = fmt::format("{:>5}", "FAIL");
  out += style.dim(fmt::format("  {:<19}{:<29}{:<30}{:<27}{:>7}\n", "", "  cases by verdict",
                               "  share of elements", "  largest error of y, ulp", "in u"));
  out += style.dim(table_line("regime", "cases", "PASS", "VOID", "VAC.", fail, "proved", "void", "vac.",
                              "skip.", "error", "allowed", "kappa", "largest", "not RN", ""));
  for (const Tally& tally : entry.regimes) out += tally_line(tally, style);
  Tally last = total;
  last.regime = "all";
  return out + tally_line(last, style);
}

std::string entries_head(const Style& style) {
  return style.dim(fmt::format("{:<35}{:<6}{:>6}{:>6}{:>6}{:>6}{:>6}{:>8}{:>8}\n", "implementation", "dtype",
                               "cases", "PASS", "VOID", "VAC.", "FAIL", "proved", "share"));
}

std::string entry_line(const SweepEntry& entry, const Style& style) {
  const Tally t = entry.total();
  const std::string fail = fmt::format("{:>6}", t.findings());
  const std::string_view remark = entry.unexpected_findings > 0 ? "  unexpected"
                                  : t.findings() > 0            ? "  as expected"
                                                                : "";
  return fmt::format("{:<35}{:<6}{:>6}{:>6}{:>6}{:>6}{}{:>8}{:>8}{}\n", entry.row->name,
                     dtype_name(entry.dtype), t.cases, t.of(Verdict::pass), t.of(Verdict::void_bound),
                     t.of(Verdict::vacuous), t.findings() > 0 ? style.red(fail) : fail,
                     percent(t.counts.proved, t.counts.elements), short_number(t.max_share_of_bound), remark);
}

std::string shares_text(const ElementCounts& c) {
  return fmt::format("{} proved, {} wrong, {} void, {} vacuous, {} skipped", percent(c.proved, c.elements),
                     percent(c.failed, c.elements), percent(c.voided, c.elements),
                     percent(c.vacuous, c.elements), percent(c.skipped, c.elements));
}

std::string errors_text(const Case& c, const Judgement& j) {
  const ErrorStatistics& e = j.errors;
  if (e.judged == 0) return "no element was judged against a number";
  std::string largest = fmt::format("largest error {}", error_text(e.max_ulp));
  if (j.worst && j.worst->output == Output::y && std::fabs(j.worst->error_ulp) == e.max_ulp) {
    largest += fmt::format(" at y{}", element_index(c, *j.worst));
    largest += std::isfinite(j.worst->allowed_ulp)
                   ? fmt::format(" of {} allowed", short_number(j.worst->allowed_ulp))
                   : std::string(" (no bound there)");
  }
  return fmt::format("{}; mean {}, p99 {}; {} not correctly rounded; largest normwise error {} u", largest,
                     error_text(e.mean_ulp), error_text(e.p99_ulp),
                     percent(e.not_correctly_rounded, e.judged), short_number(e.max_normwise_u));
}

std::string truth_text(const Case& c, const Judgement& judgement) {
  if (!judgement.worst || judgement.worst->output != Output::y) return {};
  const ElementReport& e = *judgement.worst;
  RowInput input(c);
  const double gamma = input.gamma_at(e.column), beta = input.beta_at(e.column);
  if (!input.load(e.row, false) || input.exact_row().degenerate() || !std::isfinite(gamma) ||
      !std::isfinite(beta)) {
    return {};
  }
  const ExactValue exact = input.exact_row().y(e.column, gamma, beta);
  const WideValue wide =
      WideRow(input.x.data(), static_cast<std::int64_t>(input.x.size()), c.eps).y(e.column, gamma, beta);
  const auto line = [&](std::string_view name, std::string_view how, double value, double error) {
    return fmt::format("  {:<8} y{} {} ({:.17g})   error of what came out {:.9g} ulp   {}\n", name,
                       element_index(c, e), hexfloat(value), value, error, how);
  };
  return line("exact", "by integers", exact.to_double(), exact.error_ulp(e.dtype, e.got)) +
         line("wide", "by floats of 768 bits or more", wide.to_double(), wide.error_ulp(e.dtype, e.got));
}

std::string trace_text(const Row& row, const Case& c) {
  std::string out;
  for (const StepValues& step : trace_case(row, c)) {
    const std::string_view name = step_names[static_cast<std::size_t>(step.step)];
    out += fmt::format("  {:<12} {}", name, shape_text(step.shape));
    if (step.values.empty()) {
      out += "  not formed\n";
      continue;
    }
    // A line a row of data; a statistic has one value a row.
    const std::size_t rows = static_cast<std::size_t>(std::max<std::int64_t>(1, row_count(c)));
    const std::size_t each = step.values.size() / rows;
    for (std::size_t r = 0; r < std::min<std::size_t>(rows, most_trace_values); ++r) {
      out += fmt::format("\n    row {}:{}", r, values_text(step.values, r * each, each));
    }
    if (rows > most_trace_values) out += fmt::format("\n    ... {} more rows", rows - most_trace_values);
    out += "\n";
  }
  return out;
}

}  // namespace normcheck
