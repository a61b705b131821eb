// Puts into words what a row does wrong, and asks it again.
#include "fuzz/row_finding.h"

#include <fmt/format.h>

#include "corpus/case_file.h"

namespace normcheck {
namespace {

std::string element_text(const ElementReport& e) {
  const std::string want =
      e.reason.empty() ? fmt::format("{} ({:.6g})", format_value(e.dtype, e.want_bits), e.want) : e.reason;
  return fmt::format("  {}[{},{}]  got {} ({:.6g})  want {}  error {:.4g} ulp; allowed {:.4g} ulp = {:.3g}\n",
                     output_name(e.output), e.row, e.column, format_value(e.dtype, e.got),
                     to_double(e.dtype, e.got), want, e.error_ulp, e.allowed_ulp, e.allowed_abs);
}

std::string stage_text(const Case& c, const Subject& subject, const ElementReport& e) {
  const auto stage = first_wrong_stage(c, *subject.row, e.row, subject.contract);
  if (!stage) return {};
  return fmt::format("  stage  {} {}: got {:.9g}, exact {:.9g}, allowed {:.3g}\n", stage->step, stage->shape,
                     stage->got, stage->exact, stage->allowed_abs);
}

std::string breach_text(const Case& c, const Subject& subject, const Breach& breach) {
  const Judgement& j = breach.judgement;
  std::string out = finding_head(verdict_name(j.verdict), subject.row->name, c, breach.promise);
  if (!j.reason.empty()) out += fmt::format("  {}\n", j.reason);
  if (j.worst) out += element_text(*j.worst);
  out += fmt::format("  rows   {} of {} wrong, elements {} of {}\n", j.wrong_rows, row_count(c),
                     j.counts.failed, j.counts.elements);
  if (j.worst) out += stage_text(c, subject, *j.worst);
  return out;
}

}  // namespace

Finding finding_of(const Case& c, const Subject& subject, Wanted wanted) {
  const Row& row = *subject.row;
  // All outputs, where that shows it too: it is what `normcheck replay` asks for.
  constexpr Wanted all = {true, true};
  // Its own bound first, where it has one: that says more.
  const Contract contract = row.outside != nullptr ? subject.contract : Contract{ContractKind::own, &row};
  for (const Wanted asked : {all, wanted}) {
    for (const Contract& tried : {contract, subject.contract}) {
      auto broken = breach(row, c, tried, asked);
      if (!broken) continue;
      Finding out;
      out.who = row.name;
      out.promise = broken->promise;
      out.again = [&row, tried, asked, promise = broken->promise](const Case& k) {
        const auto again = breach(row, k, tried, asked);
        return again && again->promise == promise;
      };
      out.words = [&row, tried, asked](const Case& k) {
        const auto again = breach(row, k, tried, asked);
        return again ? breach_text(k, {&row, tried}, *again) : std::string("it does not repeat\n");
      };
      out.replay = [&row, tried](const std::string& file) { return replay_command({&row, tried}, file); };
      return out;
    }
  }
  return {std::string(row.name), "no-repeat", [](const Case&) { return false; },
          [&row](const Case& k) { return finding_head("FAIL", row.name, k, "no-repeat"); },
          [subject](const std::string& file) { return replay_command(subject, file); }};
}

}  // namespace normcheck
