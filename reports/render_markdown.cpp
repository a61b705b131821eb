// Renders a report as Markdown.
#include "reports/render_markdown.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "corpus/replay_line.h"
#include "reports/algorithms.h"
#include "reports/finding_text.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string entry_verdict(const SweepEntry& entry, const Tally& total) {
  if (entry.unexpected_findings > 0 || !entry.unexpected_passes.empty()) return "**UNEXPECTED**";
  if (total.findings() > 0)
    return fmt::format("fails, as expected ({} of {})", total.findings(), total.cases);
  return is_right(*entry.row) ? "holds" : "no failure here";
}

std::string verdict_row(const SweepEntry& entry) {
  const Tally t = entry.total();
  const LargestError& ulp = t.largest_finite;
  std::string largest = "none judged", allowed = "-", where = "-", normwise = "-", normwise_where = "-";
  if (ulp.ulp >= 0) {
    largest = short_number(ulp.ulp) + " ulp";
    where = fmt::format("{}, n {}, kappa {}", ulp.regime, ulp.n, short_number(ulp.kappa));
    if (!std::isnan(ulp.allowed_ulp)) allowed = short_number(ulp.allowed_ulp) + " ulp";
  }
  if (t.normwise.u >= 0) {
    normwise = short_number(t.normwise.u) + " u";
    normwise_where = fmt::format("{}, n {}", t.normwise.regime, t.normwise.n);
  }
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", entry.row->name,
                     dtype_name(entry.dtype), entry_verdict(entry, t),
                     std::isinf(t.largest.ulp) ? "yes" : "no", largest, allowed, where, normwise,
                     normwise_where, short_number(t.max_share_of_bound),
                     percent(t.counts.proved, t.counts.elements), percent(t.not_correctly_rounded, t.judged));
}

std::string verdict_table(const ReportData& data) {
  std::string out =
      "## Every implementation\n\n"
      "Errors are of y. *Largest known* is the largest finite error that was seen, not a proof that none is "
      "larger;\n"
      "*allowed* is the proven bound of the contract `stable` at that element. Where the exact y is 0 or "
      "next to it an ulp is\n"
      "tiny and the figure huge, so the largest normwise error, in u*(|gamma*x_hat|+|beta|), stands beside "
      "it. *Share* is\n"
      "the largest part of its bound that an error reached: above 1 is a FAIL; near 1 is usual where the "
      "output "
      "is narrower than\n"
      "what is accumulated (f16 and bf16, or f64 sums of f32), since its last rounding is then nearly all "
      "that is allowed.\n"
      "*Proved* is the share of elements that lie inside a bound that says something.\n\n"
      "| implementation | dtype | verdict | NaN or inf | largest known | allowed there | where | largest "
      "known, normwise | where | share | proved | not correctly rounded |\n"
      "|---|---|---|---|--:|--:|---|--:|---|--:|--:|--:|\n";
  for (const SweepEntry& entry : data.entries) out += verdict_row(entry);
  return out + "\n";
}

std::string result_cell(const PublicInput& input, std::size_t family) {
  if (!input.results[family]) return "-";
  const CorpusResult& r = *input.results[family];
  std::string text(verdict_name(r.verdict));
  if (is_finding(r.verdict)) text = "**" + text + "**";
  if (r.max_ulp >= 0)
    text += std::isfinite(r.max_ulp) ? fmt::format(" {} ulp", short_number(r.max_ulp)) : " NaN or inf";
  return text;
}

std::string inputs_table(const ReportData& data) {
  if (data.inputs.empty()) return "";
  std::string out = fmt::format(
      "## Inputs from public bug reports\n\n"
      "{} inputs on which somebody's normalisation went wrong, and what each of the four layer norms gives "
      "there: the\n"
      "verdict under `stable` and the largest error of y. naive, two_pass and welford accumulate in f32 (f64 "
      "for f64);\n"
      "half is two_pass with every operation rounded to the half type.\n\n"
      "| input | dtype | naive | two_pass | welford | half |\n|---|---|---|---|---|---|\n",
      data.inputs.size());
  for (const PublicInput& input : data.inputs) {
    const Case& c = input.source->problem;
    const std::string name = c.origin.empty() ? c.id : fmt::format("[{}]({})", c.id, c.origin.front());
    out += fmt::format("| {} | {} | {} | {} | {} | {} |\n", cell(name), dtype_name(c.x.dtype),
                       result_cell(input, 0), result_cell(input, 1), result_cell(input, 2),
                       result_cell(input, 3));
  }
  return out + "\n";
}

std::string four_table(const ReportData& data) {
  std::string out =
      "## The four\n\n"
      "Over every dtype, finish and regime, and then on plain rows of 1024 numbers (f32; half: f16) whose "
      "mean is kappa times\n"
      "their spread: the largest error seen in y, of the proven bound there, in ulp.\n\n"
      "| layer norm | verdict | no error above | proved | kappa 1 | 10 | 100 | 1e3 | 1e4 | "
      "1e6 |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const FamilyResult& r : data.four) {
    const Tally& t = r.total;
    out += fmt::format("| {} | {} | {} | {} |", family_names[static_cast<std::size_t>(r.family)],
                       t.findings() > 0
                           ? fmt::format("**fails** {} of {} cases", grouped(t.findings()), grouped(t.cases))
                           : fmt::format("holds in all {} cases", grouped(t.cases)),
                       std::isinf(t.largest.ulp) ? "NaN or inf"
                       : r.share_of.empty()      ? "-"
                                                 : share_text(r),
                       percent(t.counts.proved, t.counts.elements));
    const KappaCurve* curve = family_curve(r.family, 1024, data.curves.kappa);
    for (const std::size_t decade : {0U, 1U, 2U, 3U, 4U, 6U})
      out += fmt::format(" {} |", point_text(curve, decade));
    out += "\n";
  }
  return out + "\n" + half_sum_text(data.half_sum) + "\n\n";
}

std::string kappa_table(const ReportData& data) {
  std::string out =
      "## Error against kappa\n\n![Error and bound against kappa](svg/error_vs_kappa.svg)\n\n"
      "kappa = sqrt(1 + mean²/variance). Each cell: largest error seen in y, then the implementation's own "
      "proven bound\n"
      "at that element, both in ulp (|y| is about 1; for the largest kappa of a format, up to sqrt(n)); `-` "
      "where the format\n"
      "holds no such row.\n\n";
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    std::vector<const KappaCurve*> curves;
    for (const KappaCurve& curve : data.curves.kappa) {
      if (curve.dtype == dtype && curve.n == 1024) curves.push_back(&curve);
    }
    if (curves.empty()) continue;
    out += fmt::format("### {}, n = 1024\n\n| kappa |", dtype_name(dtype));
    for (const KappaCurve* curve : curves) out += fmt::format(" {} |", curve->row->name);
    out += "\n|--:|" + std::string();
    for (std::size_t i = 0; i < curves.size(); ++i) out += "--:|";
    out += "\n";
    for (std::size_t p = 0; p < curves.front()->points.size(); p += 2) {
      out += fmt::format("| 1e{} |", p / 2);
      for (const KappaCurve* curve : curves) out += fmt::format(" {} |", point_text(curve, p / 2));
      out += "\n";
    }
    out += "\n";
  }
  return out;
}

std::string floor_part(const ReportData& data) {
  if (data.floors.empty()) return "";
  return "## Detection floor\n\n```\n" + floors_text(data.floors) + "```\n\n";
}

std::string first_order_part(const ReportData& data) {
  std::string out = fmt::format(
      "## Bounds, to first order\n\nFor reading only: no verdict uses these. {}\n\n"
      "| algorithm | mean | variance | derivation |\n|---|---|---|---|\n",
      first_order_legend);
  for (const AlgorithmSummary& a : algorithm_summaries()) {
    const auto is_it = [&](const SweepEntry& entry) { return entry.row->algorithm == a.name; };
    if (std::none_of(data.entries.begin(), data.entries.end(), is_it)) continue;
    out += fmt::format("| {} | `{}` | `{}` | {} |\n", a.name, cell(std::string(a.first_order_mean)),
                       cell(std::string(a.first_order_variance)), a.derivation);
  }
  return out + "\n";
}

std::string findings_part(const ReportData& data) {
  std::string out = "## Findings\n\n";
  if (data.unexpected.empty()) {
    out +=
        "Nothing unexpected: every implementation that is held to be right kept its bound everywhere, and "
        "every one that is\n"
        "known to be wrong was caught.\n\n";
  } else {
    out += fmt::format("**{} unexpected:**\n\n", data.unexpected.size());
    for (const Unexpected& u : data.unexpected) {
      out +=
          fmt::format("- {}{}\n", u.what,
                      u.replay.empty() ? "" : fmt::format("  \n  `{}`", replay_line(bare_command, u.replay)));
    }
    out += "\n";
  }
  if (data.shown.empty()) return out;
  out +=
      "One example of each implementation that fails:\n\n| implementation | dtype | case | element | got | "
      "want | replay |\n|---|---|---|---|---|---|---|\n";
  for (const Finding* f : data.shown) {
    const auto& worst = f->judgement.worst;
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {} | `{}` |\n", f->impl, dtype_name(f->problem.x.dtype),
        cell(f->problem.id),
        worst ? std::string(output_name(worst->output)) + element_index(f->problem, *worst) : "-",
        worst ? hex_and_decimal(worst->dtype, worst->got) : "-",
        worst ? hex_and_decimal(worst->dtype, worst->want_bits, worst->want) : cell(f->judgement.reason),
        replay_line(bare_command, f->replay));
  }
  return out + "\n";
}

std::string limits(const ReportData& data) {
  std::string out =
      "## What stands behind the numbers\n\n"
      "- The truth is exact: y = beta + gamma*A/sqrt(B) with integers A and B, compared as integers. No "
      "tolerance is used.\n"
      "- 1 ulp is the spacing of the output format at the exact value; a correctly rounded y is off by at "
      "most 0.5 ulp.\n"
      "  Near y = 0 an ulp is tiny, so the normwise error, in u*(|gamma*x_hat|+|beta|), stands beside it.\n"
      "- A FAIL is proven. So is every bound. A largest known error is only the largest that these inputs "
      "gave.\n"
      "- void: no finite bound holds for that row; vacuous: the bound is so wide that an output that ignores "
      "x would pass;\n"
      "  skipped: outside the range in which no intermediate can overflow.\n\n"
      "Where it was run:\n\n";
  for (const auto& [name, value] : data.run) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

}  // namespace

std::string point_text(const KappaPoint& point) {
  const std::string error = std::isfinite(point.error_ulp) ? short_number(point.error_ulp) : "NaN or inf";
  return std::isfinite(point.bound_ulp) ? fmt::format("{} of {}", error, short_number(point.bound_ulp))
                                        : error + ", no bound";
}

std::string point_text(const KappaCurve* curve, std::size_t decade) {
  return curve == nullptr || 2 * decade >= curve->points.size() ? "-" : point_text(curve->points[2 * decade]);
}

std::string share_text(const FamilyResult& result) {
  if (result.share_of.empty()) return {};
  std::vector<std::string_view> names;
  for (const DType dtype : result.share_of) names.push_back(dtype_name(dtype));
  return fmt::format("{} of its allowance ({})", short_number(result.largest_share),
                     fmt::join(names, " and "));
}

std::string half_sum_text(const HalfSum& half) {
  if (half.impl.empty()) return "Half accumulation was not run.";
  return fmt::format(
      "Half accumulation of 2048 ones, then 2048 twos, in f16 gives mean {:.1f} for {:.1f} ({}: {}): a "
      "running sum of 2048 absorbs "
      "what comes after it. Accumulated in f32 the mean is {:.1f}.",
      half.mean, half.exact_mean, half.impl, verdict_name(half.verdict), half.mean_f32);
}

std::string report_markdown(const ReportData& data) {
  Tally all;
  for (const SweepEntry& entry : data.entries) all.add(entry.total());
  std::string out = fmt::format(
      "# normcheck report\n\n{} implementations x dtypes on {} rows of data ({} elements): {} of the "
      "elements proved inside their\n"
      "bound, {} proved wrong, {} void, {} vacuous, {} skipped. Seed {}.\n\n",
      data.entries.size(), grouped(all.evaluations), grouped(all.counts.elements),
      percent(all.counts.proved, all.counts.elements), percent(all.counts.failed, all.counts.elements),
      percent(all.counts.voided, all.counts.elements), percent(all.counts.vacuous, all.counts.elements),
      percent(all.counts.skipped, all.counts.elements), data.plan.seed);
  out += four_table(data);
  out += findings_part(data);
  out += inputs_table(data);
  out += kappa_table(data);
  out += floor_part(data);
  out += first_order_part(data);
  out += verdict_table(data);
  return out + limits(data);
}

}  // namespace normcheck
