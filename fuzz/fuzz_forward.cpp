// Fuzz target: does an implementation keep its contract on this case? Judged against the exact oracle.
#include <string_view>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/decode.h"
#include "fuzz/finding.h"
#include "fuzz/subjects.h"
#include "fuzz/target.h"
#include "oracles/judge.h"

namespace normcheck {
namespace {

void run_subject(const Case& c, const Subject& subject, Wanted wanted) {
  const Judgement judgement = judge(c, run_case(*subject.row, c, wanted), subject.contract);
  if (is_finding(judgement.verdict)) report_finding(c, subject, judgement);
}

std::int64_t run_all(const Case& c, Wanted wanted) {
  const auto all = subjects(c.x.dtype);
  for (const Subject& subject : all) run_subject(c, subject, wanted);
  return static_cast<std::int64_t>(all.size());
}

constexpr CaseLimits text_limits = {.written = 1 << 17, .generated = 1 << 17};

/// A `.case` file is an input as it stands, so that a finding replays in the target that found it.
std::int64_t run_text(std::string_view text) {
  try {
    return run_all(parse_case(text, "input", text_limits), {true, true});
  } catch (const InputError&) {
    return 0;
  }
}

}  // namespace

std::string_view target_name() { return "fuzz_forward"; }

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("normcheck-case ")) return run_text(text);

  const Decoded input = decode(bytes);
  if (extent == Extent::all) return run_all(input.c, input.wanted);
  const auto candidates = subjects(input.c.x.dtype);
  if (candidates.empty()) return 0;
  run_subject(input.c, candidates[input.selector % candidates.size()], input.wanted);
  return 1;
}

}  // namespace normcheck
