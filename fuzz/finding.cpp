// Prints a finding, writes its case beside the others, and aborts.
#include "fuzz/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "corpus/case_file.h"
#include "corpus/generate.h"

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

}  // namespace

std::filesystem::path findings_folder() {
  const char* folder = std::getenv("NORMCHECK_FINDINGS");
  return folder != nullptr && *folder != '\0' ? folder : "found";
}

std::string finding_text(const Case& c, const Subject& subject, const Judgement& judgement,
                         const std::string& file) {
  const std::vector<std::int64_t> over = normalized_shape(c);
  std::string out = fmt::format(
      "{}  {}  {} {} over {}  eps {:.6g}  contract {}\n", verdict_name(judgement.verdict), subject.row->name,
      dtype_name(c.x.dtype), shape_text(c.x.shape), shape_text(over), c.eps, contract_name(subject.contract));
  if (!judgement.reason.empty()) out += fmt::format("  {}\n", judgement.reason);
  if (judgement.worst) out += element_text(*judgement.worst);
  out += fmt::format("  rows   {} of {} wrong, elements {} of {}\n", judgement.wrong_rows, row_count(c),
                     judgement.counts.failed, judgement.counts.elements);
  if (judgement.worst) out += stage_text(c, subject, *judgement.worst);
  out += fmt::format("  replay {}\n", replay_command(subject, file));
  return out;
}

void report_finding(const Case& c, const Subject& subject, const Judgement& judgement) {
  std::string stem(subject.row->name);
  std::replace(stem.begin(), stem.end(), '/', '-');
  Case found = c;
  found.id = "found";
  for (auto* words : {&found.violates, &found.origin, &found.notes}) words->clear();
  found.id = fmt::format("{}-{}", stem, sha256_hex(format_case(found)).substr(0, 8));
  found.notes.push_back(fmt::format("found by fuzzing: {} is {} under {}", subject.row->name,
                                    verdict_name(judgement.verdict), contract_name(subject.contract)));
  std::string file = (findings_folder() / (found.id + ".case")).string();
  try {
    std::filesystem::create_directories(findings_folder());
    write_case(file, found);
  } catch (const std::exception& error) {
    file = fmt::format("(not written: {})", error.what());
  }
  std::fputs(finding_text(c, subject, judgement, file).c_str(), stderr);
  std::abort();
}

}  // namespace normcheck
