// Asks a promise again of simpler and simpler cases.
#include "fuzz/minimal.h"

#include <algorithm>
#include <limits>

#include "props/shrink.h"

namespace normcheck {

std::optional<Breach> breach(const Row& row, const Case& c, const Contract& contract, Wanted wanted) {
  const Observation observed = run_case(row, c, wanted);
  Judgement judgement = judge(c, observed, contract);
  if (!is_finding(judgement.verdict)) return std::nullopt;
  const bool refusing = c.expect == Expect::refused || observed.status == Status::invalid;
  std::string promise = judgement.worst ? contract_name(contract) : refusing ? "refusal" : "form";
  return Breach{std::move(promise), std::move(judgement)};
}

Case minimal(const Case& c, const std::function<bool(const Case&)>& again, std::int64_t work) {
  constexpr std::int64_t a_call = 64;
  const auto fails = [&](const Case& simpler) {
    work -= a_call + simpler.x.size();
    return work >= 0 && again(simpler);
  };
  // A tensor that is gone or an x of other rows: what a generator made it no longer gives.
  Case start = c;
  start.generated.reset();
  Case small = minimise(std::move(start), fails, work / a_call);
  // A fault of eps may need more elements under the simplest eps than under a usual one: two steps at once,
  // which no edit is, so that one defect ends in one place wherever it started.
  for (const double eps : {1e-5, 1e-3, 1.0}) {
    Case other = small;
    other.eps = eps;
    if (small.expect == Expect::refused || small.eps == eps || !fails(other)) continue;
    other = minimise(std::move(other), fails, work / a_call);
    if (weight(other) < weight(small)) small = std::move(other);
  }
  return small;
}

Case minimal_breach(const Row& row, const Case& c, const Contract& contract, Wanted wanted,
                    std::string_view promise, std::int64_t work) {
  const auto again = [&](const Case& simpler) {
    const auto found = breach(row, simpler, contract, wanted);
    return found && found->promise == promise;
  };
  return minimal(c, again, work);
}

std::string_view shape_class(const Case& c) {
  if (c.x.size() == 0) return "empty";
  if (row_length(c) == 1) return "n1";
  return row_length(c) == c.x.size() ? "row" : "rows";
}

std::string finding_name(std::string_view who, std::string_view promise, const Case& c) {
  std::string out;
  for (const std::string_view part : {who, promise, dtype_name(c.x.dtype), shape_class(c)}) {
    if (!out.empty()) out += '.';
    out += part;
  }
  std::replace_if(
      out.begin(), out.end(),
      [](char ch) {
        const bool kept = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
                          ch == '.' || ch == '_' || ch == '-';
        return !kept;
      },
      '-');
  constexpr std::size_t longest = 128;  // of an id
  return out.substr(0, longest);
}

}  // namespace normcheck
