// Probes: what a kernel from outside is tried with beside its cases, each with a name, so that it can be left
// out, counted and repeated.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case.h"
#include "impl/table.h"
#include "oracles/judge.h"
#include "reports/finding.h"

namespace normcheck {

class ProbeRun;

/// What the regime of a probe's finding begins with; the probe's name follows.
inline constexpr std::string_view probe_regime = "probe/";

enum class ProbeGroup : std::uint8_t { numbers, memory, semantics };
std::string_view group_name(ProbeGroup group);

/// What its cases are made for.
struct ProbeSubject {
  DType dtype = DType::f32;
  DType parameters = DType::f32;  ///< of gamma and beta, as the kernel takes them
  std::uint64_t seed = 1;
  bool is_first_dtype = true;  ///< of those that the kernel offers
};

/// One probe: cases, and what is done with each, which is all that its replay line repeats.
struct Probe {
  std::string_view name;
  ProbeGroup group;
  std::string_view meaning;
  std::vector<Case> (*cases)(const ProbeSubject& subject);
  void (*run)(ProbeRun& run, const Case& base);
  /// Where set: why it does not apply; empty where it does.
  std::string (*left_out)(const ProbeRun& run) = nullptr;
  bool watch = false;  ///< looked at in every call; it has no cases
  /// Of rows that are as any others: one that is wrong alone as well is no finding of it.
  bool of_ordinary_rows = false;
};

std::span<const Probe> probes();
/// By name. InputError with the names that are nearest.
const Probe& probe_named(std::string_view name);
/// Those of these names, a group's name for all of it. InputError likewise.
std::vector<const Probe*> probes_named(const std::vector<std::string>& names);

/// What to run, and how.
struct ProbePlan {
  bool run = false;
  std::vector<const Probe*> skipped;
  bool strict = false;  ///< what would be a NOTE is a FAIL, and refusals are asked of all
  bool huge = false;
  double patience = 0;         ///< seconds after which no other probe is begun; 0: all are
  bool stop_at_first = false;  ///< ends with the first that has a finding
  std::uint64_t seed = 1;
  OracleChoice oracle = OracleChoice::automatic;
  /// Whether a kernel is wrong on a case in a process that has made no other call; empty where there is no
  /// such process to be had.
  std::function<bool(const Row& row, const Case& c)> wrong_afresh = {};
};

/// What one probe came to on one implementation and dtype.
struct ProbeTally {
  const Probe* probe = nullptr;
  std::string left_out;                     ///< why it was not run; empty where it was
  std::array<std::int64_t, 10> verdicts{};  ///< of its calls, by Verdict
  std::array<std::int64_t, 10> plain{};     ///< likewise, of the calls that the others are compared with
  std::int64_t findings = 0;
  std::int64_t masked = 0;         ///< calls that were wrong, of a kernel that is wrong on any numbers
  std::vector<std::string> notes;  ///< without end
  std::int64_t seen = 0;           ///< of a watch: faults, in all calls
  bool proves_nothing = false;     ///< the kernel works on copies (memory=copy)
  std::int64_t of(Verdict v) const { return verdicts[static_cast<std::size_t>(v)]; }
  std::int64_t calls() const;
  bool is_given_up() const;  ///< a call was not run: nor will the next be
};

struct ProbeResults {
  std::vector<ProbeTally> tallies;  ///< in the order of probes()
  std::vector<Finding> findings;    ///< the first of each probe that has one
};

/// Runs the probes of a plan on a kernel from outside. `already_wrong`: its cases had findings. Then a probe
/// is not to say once more that its numbers are wrong.
ProbeResults run_probes(const Row& row, DType dtype, const Contract& contract, const ProbePlan& plan,
                        bool already_wrong);

/// Runs one on one case, as a replay line does.
ProbeResults run_probe(const Row& row, const Probe& probe, const Case& c, const Contract& contract,
                       const ProbePlan& plan);

}  // namespace normcheck
