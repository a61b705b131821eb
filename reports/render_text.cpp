// Renders tables and traces for a terminal.
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
