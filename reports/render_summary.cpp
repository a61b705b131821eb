// Tells a report in a screen of text.
#include "reports/render_summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "corpus/replay_line.h"
#include "reports/console.h"
#include "reports/numbers.h"
#include "reports/render_text.h"

namespace normcheck {
namespace {

/// "0.31 of its allowance (f32 and f64)"; empty where no pair stores what it accumulates.
std::string share_text(const FamilyResult& result) {
  if (result.share_of.empty()) return {};
  std::vector<std::string_view> names;
  for (const DType dtype : result.share_of) names.push_back(dtype_name(dtype));
  return fmt::format("{} of its allowance ({})", short_number(result.largest_share),
                     fmt::join(names, " and "));
}

/// What half accumulation does, as it was computed.
std::string half_sum_text(const HalfSum& half) {
  if (half.impl.empty()) return "Half accumulation was not run.";
  return fmt::format(
      "Half accumulation of 2048 ones, then 2048 twos, in f16 gives mean {:.1f} for {:.1f} ({}: {}): a "
      "running sum of 2048 absorbs "
      "what comes after it. Accumulated in f32 the mean is {:.1f}.",
      half.mean, half.exact_mean, half.impl, verdict_name(half.verdict), half.mean_f32);
}

std::string judged_part(const ReportData& data, const Tally& all, const Style& style) {
  std::vector<const Row*> rows;
  for (const SweepEntry& entry : data.entries) {
    if (std::find(rows.begin(), rows.end(), entry.row) == rows.end()) rows.push_back(entry.row);
  }
  const ElementCounts& c = all.counts;
  std::string out =
      style.bold("How wrong is each layer norm? Judged against the exact result, with proof.") + "\n\n";
  out += fmt::format(
      "judged   {}, at {} of implementation and dtype, on {} of data ({} numbers){}\n",
      counted(static_cast<std::int64_t>(rows.size()), "implementation"),
      counted(static_cast<std::int64_t>(data.entries.size()), "pair"), counted(all.evaluations, "row"),
      grouped(c.elements),
      data.inputs.empty()
          ? ""
          : fmt::format(",\n         {} inputs from public bug reports among them", data.inputs.size()));
  out += fmt::format(
      "proof    {} of the numbers lie inside a proven bound, {} are proven wrong; of the rest nothing is "
      "claimed\n"
      "         ({} void, {} vacuous, {} skipped: reports/README.md says what each means)\n",
      percent(c.proved, c.elements), percent(c.failed, c.elements), percent(c.voided, c.elements),
      percent(c.vacuous, c.elements), percent(c.skipped, c.elements));
  return out +
         "unit     1 ulp is the spacing of the output format at the exact value; correctly rounded is at "
         "most 0.5 ulp\n";
}

std::string kappa_cell(const KappaCurve* curve, std::size_t decade) {
  if (curve == nullptr || 2 * decade >= curve->points.size()) return "-";
  const KappaPoint& p = curve->points[2 * decade];
  return fmt::format("{} / {}", std::isfinite(p.error_ulp) ? short_number(p.error_ulp) : "NaN/inf",
                     std::isfinite(p.bound_ulp) ? short_number(p.bound_ulp) : "void");
}

std::string four_part(const ReportData& data, const Style& style) {
  std::string out = "\n" + style.bold("the four, over every dtype, finish and regime") + "\n";
  for (const FamilyResult& r : data.four) {
    const Tally& t = r.total;
    const std::string_view name = family_names[static_cast<std::size_t>(r.family)];
    if (t.findings() > 0) {
      out += fmt::format("  {:<9} {}  {} of {}{}\n", name, style.yellow("FAILS"), grouped(t.findings()),
                         counted(t.cases, "case"),
                         std::isinf(t.largest.ulp) ? ", with NaN or inf for a number among them" : "");
    } else {
      const std::string share = share_text(r);
      out += fmt::format("  {:<9} {}  in all of {}{}\n", name, style.green("holds"), counted(t.cases, "case"),
                         share.empty() ? "" : fmt::format("; no error above {}", share));
    }
  }
  constexpr std::array<std::size_t, 5> decades = {0, 1, 2, 4, 6};
  out += "\n" + style.bold("how wrong y is on rows of 1024 numbers whose mean is kappa times their spread") +
         "\n  largest error seen / proven bound, in ulp (f32; half: f16); void: no bound holds\n";
  std::string head = fmt::format("  {:<10}", "");
  for (const std::size_t decade : decades)
    head += fmt::format("{:<18}",
                        fmt::format("kappa {}", short_number(std::pow(10.0, static_cast<double>(decade)))));
  out += style.dim(head) + "\n";
  for (const FamilyResult& r : data.four) {
    const KappaCurve* curve = family_curve(r.family, 1024, data.curves.kappa);
    out += fmt::format("  {:<10}", family_names[static_cast<std::size_t>(r.family)]);
    for (const std::size_t decade : decades) out += fmt::format("{:<18}", kappa_cell(curve, decade));
    out += "\n";
  }
  return out;
}

std::string inputs_part(const ReportData& data, const Style& style) {
  if (data.inputs.empty()) return "";
  std::string out = "\n" + style.bold("on the inputs from public bug reports") + "\n";
  for (std::size_t f = 0; f < family_names.size(); ++f) {
    std::int64_t run = 0, failed = 0, refused = 0;
    for (const PublicInput& input : data.inputs) {
      if (!input.results[f]) continue;
      ++run;
      failed += is_finding(input.results[f]->verdict) ? 1 : 0;
      refused += input.results[f]->verdict == Verdict::refused ? 1 : 0;
    }
    if (run == 0) continue;
    out += fmt::format("  {:<9} {} {:>3} of {:>3}{}\n", family_names[f],
                       failed > 0 ? style.yellow("fails") : style.green("fails"), failed, run,
                       refused > 0 ? fmt::format(", {} rightly refused", refused) : "");
  }
  return out;
}

std::string expected_part(const ReportData& data, const Style& style) {
  std::string out = "\n" + style.bold("findings that were expected") + "\n";
  struct Line {
    std::string name, findings, cases;
    std::string_view why;
  };
  std::vector<Line> wrong;
  for (const Row& row : table()) {
    Tally total;
    for (const SweepEntry& entry : data.entries) {
      if (entry.row == &row) total.add(entry.total());
    }
    if (is_right(row) || total.findings() == 0) continue;
    wrong.push_back({std::string(row.name), grouped(total.findings()), grouped(total.cases), row.expect});
  }
  std::size_t name = 0;  // as wide as the longest
  for (const auto& line : wrong) name = std::max(name, line.name.size());
  for (const auto& line : wrong) {
    const std::string start =
        fmt::format("  {:<{}} {:>7} of {:>7} cases   ", line.name, name, line.findings, line.cases);
    out += start + wrapped(line.why, start.size());
  }
  if (wrong.empty()) return out + "  none\n";
  for (const std::string_view impl : {"naive/f32", "two_pass/f16"}) {
    for (const Finding* finding : data.shown) {
      if (finding->impl != impl || !finding->expected) continue;
      out += "\n" + finding_text(*finding, data.program, style);
      break;
    }
  }
  return out;
}

std::string unexpected_part(const ReportData& data, const Style& style) {
  if (data.unexpected.empty()) return "\n" + style.green("nothing unexpected") + "\n";
  std::string out = "\n" + style.red(fmt::format("UNEXPECTED: {}", data.unexpected.size())) + "\n";
  for (const Unexpected& u : data.unexpected) {
    out += "  " + style.red(u.what) + "\n";
    if (u.shown != nullptr) out += "    " + replay_line(data.program, u.shown->replay) + "\n";
  }
  return out;
}

}  // namespace

std::string summary_text(const ReportData& data, const Style& style) {
  Tally all;
  for (const SweepEntry& entry : data.entries) all.add(entry.total());
  std::string out = judged_part(data, all, style) + four_part(data, style);
  std::string half = half_sum_text(data.half_sum);
  if (const auto colon = half.rfind("): "); colon != std::string::npos) half.replace(colon + 2, 1, "\n");
  out += "\n" + half + "\n";
  if (data.plan.corpus_missing)
    out += "NOTE  no corpus folder was found; generated cases alone (--corpus names one)\n";
  return out + inputs_part(data, style) + expected_part(data, style) + unexpected_part(data, style);
}

}  // namespace normcheck
