// One probe at work on one kernel: it calls, has the answer judged, and keeps count.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "impl/plugin/plugin.h"
#include "oracles/contract.h"
#include "reports/probes.h"

namespace normcheck {

/// An answer and what the judge says of it.
struct Seen {
  Observation observation;
  Verdict verdict = Verdict::not_run;
  /// An answer that is not wrong.
  bool is_right() const { return verdict <= Verdict::void_bound; }
};

/// InputError where the row is none of a plug-in.
Implementation& implementation_of(const Row& row);

class ProbeRun {
 public:
  /// InputError likewise.
  ProbeRun(const Row& row, DType dtype, const Probe& probe, const Contract& contract, const ProbePlan& plan);

  /// From here on, what is found is found on `base`.
  void begin(const Case& base) { base_ = &base; }
  /// Calls and judges. A finding is kept; `what` says in words how the call differs from the base.
  Seen call(const Case& c, std::string_view what, Wanted wanted = {}, Layout layout = Layout::dense);
  /// The same of a call as any other, that the next ones are compared with; counted apart.
  Seen plain(const Case& c, std::string_view what, Wanted wanted = {});
  /// As call(); UNSUPPORTED, where the base was answered, breaks a claim and is a finding.
  Seen demand(const Case& c, std::string_view what, std::string_view claim, Wanted wanted = {},
              Layout layout = Layout::dense);
  /// Calls, and has only what differs from `before` judged: where both are right it is a NOTE, or a finding
  /// where the plug-in claims that it does not happen. `rows_of_c[i]`: the row of `before` that row i of `c`
  /// is.
  void compare(const Case& c, const Tensor& before, const std::vector<std::int64_t>& rows_of_c,
               std::string_view what, bool claimed);
  /// Calls, and does not judge.
  Observation observe(const Case& c, Wanted wanted = {}, Layout layout = Layout::dense);
  /// As call(), of a call that is to be refused: it is made, whatever the plug-in claims.
  Seen ask(const Case& c, std::string_view what);
  /// Calls with an x of integers and a y of the dtype of `as`, which has their values and is what is judged.
  /// UNSUPPORTED and a refusal are findings.
  void convert(const Case& integers, const Case& as, std::string_view what);
  /// Judges what was observed, as `call` does.
  Seen judged(const Case& c, Observation observation, std::string_view what);

  void fail(const Case& c, std::string reason, std::string_view what, Verdict verdict = Verdict::fail);
  void note(std::string words) { tally_.notes.push_back(std::move(words)); }
  void count(Verdict verdict) { ++tally_.verdicts[static_cast<std::size_t>(verdict)]; }

  Implementation& implementation() { return implementation_; }
  const Implementation& implementation() const { return implementation_; }
  const HostClaims& claims() const { return claims_; }
  const ProbePlan& plan() const { return plan_; }
  DType dtype() const { return dtype_; }  ///< of x, as it is probed
  ProbeTally& tally() { return tally_; }
  /// The kernel's numbers are known to be wrong: all of them, or those of some rows. A row that is wrong
  /// alone, in a process of its own, is then no finding.
  void mask_wrong_numbers(bool all) { masked_ = all ? Masked::all : Masked::rows_wrong_alone; }
  std::optional<Finding>& finding() { return finding_; }

 private:
  void keep(const Case& c, Judgement judgement, std::string_view what);
  const Row& row_;
  DType dtype_;
  Implementation& implementation_;
  const Contract& contract_;
  const ProbePlan& plan_;
  HostClaims claims_;
  const Case* base_ = nullptr;
  enum class Masked : std::uint8_t { none, rows_wrong_alone, all };
  bool is_masked(const Case& c, const Observation& observation);
  Masked masked_ = Masked::none;
  int asked_afresh_ = 0;
  ProbeTally tally_;
  std::optional<Finding> finding_;
};

// The makers of cases that probes share.

/// rows x n, of mean 1 and spread 1, with gamma near 1 and beta near 0 in the subject's dtypes.
Case ordinary_case(const ProbeSubject& subject, std::vector<std::int64_t> shape, std::int64_t norm_ndim = 1);
/// The rows of `c` with these numbers, in this order, with one leading dim.
Case with_rows(const Case& c, const std::vector<std::int64_t>& rows);
/// The same values in another dtype, rounded.
Tensor converted(const Tensor& from, DType dtype);

// The tables of the groups.
std::span<const Probe> number_probes();
std::span<const Probe> huge_probes();
std::span<const Probe> memory_probes();
std::span<const Probe> semantics_probes();
std::span<const Probe> refusal_probes();

}  // namespace normcheck
