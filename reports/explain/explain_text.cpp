// An explanation as a table of steps and a sentence.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reports/explain/explain.h"
#include "reports/finding_text.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

std::string value(double v) { return std::isfinite(v) ? fmt::format("{:.9g}", v) : fmt::format("{}", v); }

/// "+1.2e3", "-0.31", "0".
std::string signed_ulp(double v) {
  if (v == 0) return "0";
  return std::isnan(v) ? "nan" : (v < 0 ? "-" : "+") + short_number(std::fabs(v));
}

}  // namespace

std::string explained_text(const Explained& e, const std::string& replay, const Style& style) {
  const Case& c = e.problem;
  ElementReport at;
  at.row = e.row;
  at.column = e.column;
  std::string out = style.bold(fmt::format("{}  {}  case {}", e.impl, problem_text(c), c.id)) + "\n";
  out += fmt::format(
      "  y{}  off by {} ulp of {}; allowed {}; {} under the contract\n", element_index(c, at),
      signed_ulp(e.error_ulp), dtype_name(c.x.dtype),
      std::isfinite(e.allowed_ulp) ? short_number(e.allowed_ulp) + " ulp" : "anything (no bound holds)",
      e.verdict);
  out += fmt::format("  row {}: n {}, kappa {}, eps {}\n\n", e.row, row_length(c), short_number(e.kappa),
                     exact_decimal(c.eps));
  std::size_t width = 5;
  for (const ExplainedStep& s : e.steps) width = std::max(width, s.shape.size());
  out += fmt::format("  {:<12} {:<{}} {:>16} {:>16} {:>5} {:>9} {:>9} {:>9}\n", "step", "shape", width,
                     "exact", "got", "unit", "own", "inherited", "of y");
  for (const ExplainedStep& s : e.steps) {
    if (!s.formed) {
      out += fmt::format("  {:<12} {:<{}} {:>16} {:>16}\n", s.name, s.shape, width, value(s.exact),
                         s.name == "normalize" && e.tells_steps ? "not formed" : "not told");
      continue;
    }
    const std::string line =
        fmt::format("{:<12} {:<{}} {:>16} {:>16} {:>5} {:>9} {:>9} {:>9}", s.name, s.shape, width,
                    value(s.exact), value(s.got), dtype_name(s.unit), signed_ulp(s.own_ulp),
                    signed_ulp(s.inherited_ulp), signed_ulp(s.of_y_ulp));
    out += (s.name == e.step ? "> " + style.bold(line) : "  " + line) + "\n";
  }
  out += fmt::format("  {:<12} {:<{}} {:>16} {:>16} {:>5} {:>9} {:>9} {:>9}\n\n", "error of y", "", width, "",
                     "", "", "", "", signed_ulp(e.error_ulp));
  out += wrapped(e.step.empty() ? "  " + e.why : fmt::format("  most is lost in {}: {}", e.step, e.why), 2);
  out += wrapped(
      "  own: got less the exact result of what the steps before gave; inherited: that result less the exact "
      "value; both "
      "in ulp of the unit. of y: by how much y moves, in its ulp, as this step's exact result gives way to "
      "what was got.",
      2);
  if (!replay.empty()) out += "  replay   " + replay + "\n";
  return out;
}

}  // namespace normcheck
