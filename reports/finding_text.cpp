// Spells what the judge said of one case.
#include "reports/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "corpus/replay_line.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

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

}  // namespace

std::string problem_text(const Case& c) {
  return fmt::format("{} {} over {}", dtype_name(c.x.dtype), shape_text(c.x.shape),
                     shape_text(normalized_shape(c)));
}

std::string element_index(const Case& c, const ElementReport& element) {
  std::vector<std::int64_t> shape = c.x.shape;
  std::int64_t flat = element.row * row_length(c) + element.column;
  if (element.output != Output::y) {
    shape = statistics_shape(c);
    flat = element.row;
  }
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = shape[d] == 0 ? 0 : flat % shape[d];
    flat = shape[d] == 0 ? 0 : flat / shape[d];
  }
  return shape_text(index);
}

std::string verdict_text(Verdict verdict, const Style& style) {
  const std::string name(verdict_name(verdict));
  if (is_finding(verdict)) return style.red(name);
  if (verdict == Verdict::pass || verdict == Verdict::refused) return style.green(name);
  return style.yellow(name);
}

std::string finding_text(const Finding& finding, std::string_view program, const Style& style) {
  const Judgement& j = finding.judgement;
  const std::string regime = !finding.probe.empty()   ? fmt::format("probe {}", finding.probe)
                             : finding.regime.empty() ? fmt::format("case {}", finding.problem.id)
                                                      : fmt::format("regime {}", finding.regime);
  std::string out = fmt::format("{}  {}  {}  {}  eps {}\n", verdict_text(j.verdict, style), finding.impl,
                                problem_text(finding.problem), regime, exact_decimal(finding.problem.eps));
  if (!finding.probe_words.empty()) out += fmt::format("  probe    {}\n", finding.probe_words);
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
  if (finding.evidence) {
    out += fmt::format("  evidence {}", wrapped(evidence_text(*finding.evidence), 11));
  } else if (!finding.cause.empty()) {
    out += fmt::format("  cause    {}\n", finding.cause);
  }
  if (!finding.not_repeated.empty()) out += fmt::format("  replay   {}\n", finding.not_repeated);
  if (!finding.replay.empty()) out += fmt::format("  replay   {}\n", replay_line(program, finding.replay));
  return out;
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

}  // namespace normcheck
