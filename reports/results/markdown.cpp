// report.md: its order, and the parts that are mostly words.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "reports/algorithms.h"
#include "reports/detection_floor.h"
#include "reports/results/markdown_text.h"
#include "reports/results/render.h"

namespace normcheck {
namespace {

std::int64_t sum_over(const Json& results, std::string_view name) {
  std::int64_t sum = 0;
  for (const Json& entry : list_in(results, "entries"))
    sum += integer_in(member(member(entry, "total"), "elements"), name);
  return sum;
}

std::string head(const Json& results) {
  std::int64_t rows = 0;
  for (const Json& entry : list_in(results, "entries"))
    rows += integer_in(member(entry, "total"), "evaluations");
  const std::int64_t all = sum_over(results, "all");
  const Json& run = member(results, "run");
  return fmt::format(
      "# normcheck report\n\n`{}`: normcheck {}, {}, {}, {}.\n\n{} implementations x dtypes on {} rows of "
      "data ({} "
      "elements): {} of the elements proved inside their\nbound, {} proved wrong, {} void, {} vacuous, {} "
      "skipped. "
      "Seed {}. Every number here stands in `results.json`.\n\n**1 ulp** is the spacing of the output format "
      "at the "
      "exact value; a correctly rounded y is off by at most 0.5 ulp. **u** is half of it, relative to "
      "|gamma\\*x_hat|+|beta|.\n*Proven* bounds hold for every row of data they are evaluated on; *largest "
      "known* errors "
      "are only the largest that these inputs gave.\n\n",
      text_in(member(results, "plan"), "command"), md_cell(text_in(run, "version")),
      md_cell(text_in(run, "compiler")), md_cell(text_in(run, "instruction_set")),
      md_cell(text_in(run, "processor")), list_in(results, "entries").size(), grouped(rows), grouped(all),
      percent(sum_over(results, "proved"), all), percent(sum_over(results, "wrong"), all),
      percent(sum_over(results, "void"), all), percent(sum_over(results, "vacuous"), all),
      percent(sum_over(results, "skipped"), all), text_in(results, "seed"));
}

/// The bound in a cell of the four, and of the curves: "0.9 of 12".
std::string point_text(const Json& point) {
  if (!is_number(member(point, "error_ulp"))) return std::string(not_run_text);
  const double error = number_of(member(point, "error_ulp")), bound = number_of(member(point, "bound_ulp"));
  const std::string text = std::isfinite(error) ? short_number(error) : "NaN or inf";
  return std::isfinite(bound) ? fmt::format("{} of {}", text, short_number(bound)) : text + ", no bound";
}

const Json& curve_of(const Json& results, const std::string& impl, const std::string& dtype) {
  for (const Json& curve : list_in(results, "error_vs_kappa")) {
    if (text_in(curve, "impl") == impl && text_in(curve, "dtype") == dtype && integer_in(curve, "n") == 1024)
      return curve;
  }
  return member(Json(), "");
}

std::string decade_cell(const Json& curve, std::size_t decade) {
  const Json& points = list_in(curve, "points");
  if (curve.is_null()) return std::string(not_run_text);
  return 2 * decade < points.size() ? point_text(points[2 * decade]) : "-";
}

}  // namespace

std::string md_cell(std::string_view text) {
  std::string out;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Within a word it is no markup.
    const bool inner =
        c == '_' && i > 0 && i + 1 < text.size() && is_word(text[i - 1]) && is_word(text[i + 1]);
    if (std::string_view("|*_`[]\\").find(c) != std::string_view::npos && !inner) out += '\\';
    if (c == '<' || c == '>' || c == '&') {
      out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string md_code(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c == '`' ? '\'' : c;
  }
  return out + "`";
}

std::string md_number(const Json& value, std::string_view unit) {
  if (!is_number(value)) return std::string(not_run_text);
  const double number = number_of(value);
  return std::isfinite(number) ? fmt::format("{}{}", short_number(number), unit) : "NaN or inf";
}

std::string md_bound(const Json& value, std::string_view unit) {
  if (!is_number(value)) return std::string(not_run_text);
  const double number = number_of(value);
  return std::isfinite(number) ? fmt::format("{}{}", short_number(number), unit) : "no bound";
}

std::string md_row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

std::string md_four(const Json& results) {
  std::string out =
      "## The four\n\nOver every dtype, finish and regime, and then on plain rows of 1024 numbers (f32; "
      "half: f16) whose "
      "mean is kappa times\ntheir spread: the largest known error of y, of the proven bound there, in "
      "ulp.\n\n"
      "| layer norm | verdict | no error above | proved | kappa 1 | 10 | 100 | 1e3 | 1e4 | 1e6 |\n"
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|\n";
  for (const Json& family : list_in(results, "four")) {
    const std::int64_t findings = integer_in(family, "findings");
    std::vector<std::string> dtypes;
    for (const Json& dtype : list_in(family, "share_of")) dtypes.push_back(text_of(dtype));
    std::string above = "-";
    if (is_true(family, "nan_or_inf")) {
      above = "NaN or inf";
    } else if (!dtypes.empty()) {
      above = fmt::format("{} of its allowance ({})", md_number(member(family, "largest_share_of_bound"), ""),
                          fmt::join(dtypes, " and "));
    }
    std::vector<std::string> cells = {
        md_cell(text_in(family, "family")),
        findings > 0 ? fmt::format("**fails** {} of {} cases", grouped(findings), count_in(family, "cases"))
                     : fmt::format("holds in all {} cases", count_in(family, "cases")),
        above, percent(integer_in(family, "proved"), integer_in(family, "elements"))};
    const Json& curve = curve_of(results, text_in(family, "impl"), text_in(family, "dtype"));
    for (const std::size_t decade : {0U, 1U, 2U, 3U, 4U, 6U}) cells.push_back(decade_cell(curve, decade));
    out += md_row(cells);
  }
  const Json& half = member(results, "half_accumulation");
  if (!member(half, "impl").is_string()) return out + "\nHalf accumulation was not run.\n\n";
  return out +
         fmt::format(
             "\nHalf accumulation of 2048 ones, then 2048 twos, in f16 gives mean {:.1f} for {:.1f} ({}: "
             "{}): a "
             "running sum of 2048 absorbs what comes after it. Accumulated in f32 the mean is {:.1f}.\n\n",
             number_of(member(half, "mean")), number_of(member(half, "exact_mean")),
             md_cell(text_in(half, "impl")), text_in(half, "verdict"),
             number_of(member(half, "mean_accumulated_in_f32")));
}

std::string md_findings(const Json& results) {
  const Json& unexpected = list_in(results, "unexpected");
  if (unexpected.empty()) return "";
  std::string out = fmt::format("## Findings\n\n**{} unexpected:**\n\n", unexpected.size());
  for (const Json& u : unexpected) {
    const std::string replay = text_in(u, "replay");
    out += fmt::format("- {}{}\n", md_cell(text_in(u, "what")),
                       replay == "normcheck" || replay == not_run_text ? "" : "  \n  " + md_code(replay));
  }
  return out + "\n";
}

std::string md_recommendations(const Json& results) {
  std::string out = "## What to use\n\n";
  const Json& list = list_in(results, "recommendations");
  if (list.empty()) return out + "Recommendations: not run.\n\n";
  for (const Json& r : list)
    out += fmt::format("- {} *({})*\n", md_cell(text_in(r, "sentence")), md_cell(text_in(r, "standing")));
  return out + "\n";
}

std::string md_folklore(const Json& results) {
  std::string out = "## Folklore, tested\n\n";
  const Json& list = list_in(results, "folklore");
  if (list.empty()) return out + "Not run.\n\n";
  out += "| said | holds | because | its input |\n|---|---|---|---|\n";
  for (const Json& f : list)
    out += md_row({md_cell(text_in(f, "claim")), md_cell(text_in(f, "holds")), md_cell(text_in(f, "because")),
                   md_code(text_in(f, "command"))});
  return out + "\n";
}

std::string md_curves(const Json& results) {
  std::string out =
      "## Error against kappa, and against n\n\nkappa = sqrt(1 + mean²/variance). Each cell: largest known "
      "error of y, then "
      "the proven bound of the implementation's own contract at that element, in ulp (|y| is about 1); `-` "
      "where the "
      "format holds no such row.\n\n";
  for (const std::string dtype : {"f32", "f64", "f16", "bf16"}) {
    const auto has = [&](std::string_view section) {
      const Json& list = list_in(results, section);
      return std::any_of(list.begin(), list.end(),
                         [&](const Json& c) { return text_in(c, "dtype") == dtype; });
    };
    std::string pictures;
    if (has("error_vs_kappa"))
      pictures += fmt::format("![Error and bound against kappa, {0}](svg/error_vs_kappa_{0}.svg)\n", dtype);
    if (has("error_vs_n"))
      pictures += fmt::format("![Error and bound against n, {0}](svg/error_vs_n_{0}.svg)\n", dtype);
    if (has("heat")) pictures += fmt::format("![Error by kappa and n, {0}](svg/heat_{0}.svg)\n", dtype);
    if (pictures.empty()) continue;
    out += fmt::format("### {}\n\n{}\n", dtype, pictures);
    std::vector<std::string> impls, head = {"kappa, n = 1024"};
    const std::string accumulate = dtype == "f64" ? "/f64" : "/f32";
    for (const Json& curve : list_in(results, "error_vs_kappa")) {
      const std::string impl = text_in(curve, "impl");
      if (text_in(curve, "dtype") == dtype && integer_in(curve, "n") == 1024 && impls.size() < 6)
        impls.push_back(impl);
    }
    for (const std::string& impl : impls) head.push_back(md_cell(impl));
    out += md_row(head) + "|--:|";
    for (std::size_t i = 0; i < impls.size(); ++i) out += "--:|";
    out += "\n";
    std::size_t decades = 0;
    for (const std::string& impl : impls)
      decades = std::max(decades, (list_in(curve_of(results, impl, dtype), "points").size() + 1) / 2);
    for (std::size_t d = 0; d < decades; ++d) {
      std::vector<std::string> cells = {fmt::format("1e{}", d)};
      for (const std::string& impl : impls) cells.push_back(decade_cell(curve_of(results, impl, dtype), d));
      out += md_row(cells);
    }
    out += "\n";
  }
  return out;
}

std::string md_floor(const Json& results) {
  const Json& list = list_in(results, "detection_floor");
  if (list.empty()) return "";
  std::vector<FloorPoint> points;
  const std::string first = text_in(list.front(), "dtype");
  for (const Json& p : list) {
    const auto dtype = parse_dtype(text_in(p, "dtype"));
    if (!dtype || text_in(p, "dtype") != first || !member(p, "data").is_string() ||
        !member(p, "contract").is_string())
      continue;
    points.push_back({*dtype,
                      member(p, "data").get_ref<const std::string&>(),
                      integer_in(p, "n"),
                      member(p, "contract").get_ref<const std::string&>(),
                      {number_of(member(p, "root")), number_of(member(p, "divisor")),
                       number_of(member(p, "lost_far")), number_of(member(p, "lost_mid"))}});
  }
  return fmt::format("## Detection floor\n\nOf {} (the others: `normcheck list --floor`).\n\n```\n{}```\n\n",
                     first, floors_text(points));
}

std::string md_limits(const Json& results) {
  std::string out =
      "## What stands behind the numbers\n\n"
      "- The truth is exact: y = beta + gamma\\*A/sqrt(B) with integers A and B, compared as integers. No "
      "tolerance is "
      "used.\n"
      "- A FAIL is proven. So is every bound. A largest known error is only the largest that these inputs "
      "gave.\n"
      "- void: no finite bound holds for that row; vacuous: the bound is so wide that an output that ignores "
      "x would "
      "pass; skipped: outside the range in which no intermediate can overflow.\n";
  const Json& left_out = list_in(member(results, "plan"), "not_run");
  for (const Json& sentence : left_out) out += fmt::format("- Not run: {}\n", md_cell(text_of(sentence)));
  out += "\nWhere it was run:\n\n";
  for (const auto& [name, value] : member(results, "run").items())
    out += fmt::format("- {}: {}\n", md_cell(name), md_cell(text_of(value)));
  return out;
}

std::string report_markdown(const Json& results) {
  std::string out = head(results);
  for (const auto part :
       {md_findings, md_recommendations, md_four, md_verdicts, md_curves, md_champions, md_semantics, md_cost,
        md_detection, md_peers, md_folklore, md_known_wrong, md_public_inputs, md_floor, md_limits})
    out += part(results);
  return out;
}

}  // namespace normcheck
