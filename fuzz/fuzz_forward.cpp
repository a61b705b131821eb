// Fuzz target: does an implementation keep its contract on this case? Judged against the exact oracle.
#include <algorithm>
#include <string_view>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "fuzz/decode.h"
#include "fuzz/feedback.h"
#include "fuzz/finding.h"
#include "fuzz/in_flight.h"
#include "fuzz/row_finding.h"
#include "fuzz/subjects.h"
#include "fuzz/target.h"
#include "oracles/judge.h"

namespace normcheck {
namespace {

struct Run {
  const Subject& subject;
  Wanted wanted;
};
void rerun(const Case& c, const void* context) {
  const Run& run = *static_cast<const Run*>(context);
  run_case(*run.subject.row, c, run.wanted);
}

/// How many elements were judged, or 1 for a verdict without any.
std::int64_t run_subject(const Case& c, const Subject& subject, Wanted wanted) {
  const Run run = {subject, wanted};
  const InFlight flight(c, subject.row->name, rerun, &run);
  const Judgement j =
      judge(c, run_case(*subject.row, c, wanted), subject.contract, OracleChoice::automatic, Detail::verdict);
  if (is_finding(j.verdict)) report_finding(c, finding_of(c, subject, wanted));
  feed_back(subject.set, subject.row->name, c.x.dtype, j.errors.max_share_of_bound, j.kappa);
  return std::max<std::int64_t>(1, j.counts.elements - j.counts.skipped);
}

std::int64_t run_all(const Case& c, Wanted wanted) {
  std::int64_t checks = 0;
  for (const Subject& subject : subjects(c.x.dtype)) checks += run_subject(c, subject, wanted);
  return checks;
}

/// A case within the caps comes back from its bytes: what a finding of another form than a `.case` relies on.
bool comes_back(const Case& c) {
  const auto bytes = encode(c);
  return !bytes || same_problem(decode(*bytes).c, c);
}
void check_decode(const Case& c) {
  if (comes_back(c)) return;
  Finding finding;
  finding.who = "decode";
  finding.promise = "round-trip";
  finding.again = [](const Case& k) { return !comes_back(k); };
  finding.words = [](const Case& k) {
    const auto bytes = encode(k);
    return finding_head("FAIL", "decode", k, "round-trip") + "  its bytes are read as " +
           shape_text(bytes ? decode(*bytes).c.x.shape : k.x.shape) + "\n";
  };
  finding.replay = [](const std::string& file) { return std::string(target_name()) + " " + file; };
  report_finding(c, finding);
}

constexpr CaseLimits text_limits = {.written = 1 << 17, .generated = 1 << 17};

/// A `.case` file is an input as it stands, so that a finding replays in the target that found it.
std::int64_t run_text(std::string_view text) {
  try {
    const Case c = parse_case(text, "input", text_limits);
    check_decode(c);
    return run_all(c, {true, true}) + run_all(c, {false, false});
  } catch (const InputError&) {
    return 0;
  }
}

}  // namespace

std::int64_t run_input(std::span<const std::uint8_t> bytes, Extent extent) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.starts_with("normcheck-case ")) return run_text(text);

  const Decoded input = decode(bytes);
  // Of the selected, one in sixteen: encoding costs a tenth of an execution.
  if (extent == Extent::all || input.selector % 16 == 0) check_decode(input.c);
  if (extent == Extent::all) return run_all(input.c, input.wanted);
  const auto candidates = subjects(input.c.x.dtype);
  if (candidates.empty()) return 0;
  return run_subject(input.c, candidates[input.selector % candidates.size()], input.wanted);
}

}  // namespace normcheck
