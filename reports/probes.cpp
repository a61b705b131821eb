// The table of probes, and the run over it.
#include "reports/probes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "corpus/error.h"
#include "reports/probe_run.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::string_view group_names[] = {"numbers", "memory", "semantics"};

/// The dtype in which the kernel takes gamma and beta, where it takes any: x's, or f32 beside a half.
DType parameters_of(ProbeRun& run, const ProbeSubject& subject) {
  if (!is_half(subject.dtype)) return subject.dtype;
  if (run.claims().gamma == HostClaims::Parameters::f32) return DType::f32;
  const Observation seen = run.observe(ordinary_case(subject, {4, 32}));
  return seen.status == Status::unsupported ? DType::f32 : subject.dtype;
}

void finish(ProbeRun& run, ProbeResults& out) {
  out.tallies.push_back(std::move(run.tally()));
  if (run.finding()) out.findings.push_back(*std::move(run.finding()));
}

}  // namespace

std::string_view group_name(ProbeGroup group) { return group_names[static_cast<std::size_t>(group)]; }

std::int64_t ProbeTally::calls() const {
  return std::accumulate(verdicts.begin(), verdicts.end(), std::int64_t{0}) +
         std::accumulate(plain.begin(), plain.end(), std::int64_t{0});
}

bool ProbeTally::is_given_up() const {
  const auto at = static_cast<std::size_t>(Verdict::not_run);
  return verdicts[at] + plain[at] > 0;
}

std::span<const Probe> probes() {
  static const std::vector<Probe> all = [] {
    std::vector<Probe> out;
    for (const auto& group :
         {number_probes(), huge_probes(), memory_probes(), semantics_probes(), refusal_probes()})
      out.insert(out.end(), group.begin(), group.end());
    return out;
  }();
  return all;
}

std::vector<const Probe*> probes_named(const std::vector<std::string>& names) {
  std::vector<const Probe*> out;
  for (const std::string& name : names) {
    const std::size_t before = out.size();
    std::vector<std::string> known(std::begin(group_names), std::end(group_names));
    for (const Probe& probe : probes()) {
      known.emplace_back(probe.name);
      if (probe.name == name || group_name(probe.group) == name) out.push_back(&probe);
    }
    if (out.size() == before)
      throw InputError(fmt::format("no probe '{}'; the nearest are {} (normcheck list --probes)", name,
                                   fmt::join(nearest_names(name, known), ", ")));
  }
  return out;
}

const Probe& probe_named(std::string_view name) {
  const auto found = probes_named({std::string(name)});
  if (found.size() != 1 || found.front()->watch)
    throw InputError(
        fmt::format("--probe: '{}' is no single probe that can be run (normcheck list --probes)", name));
  return *found.front();
}

ProbeResults run_probes(const Row& row, DType dtype, const Contract& contract, const ProbePlan& plan,
                        bool already_wrong) {
  ProbeResults out;
  ProbeSubject subject{dtype, dtype, plan.seed, dtype == row.storages.front()};
  ProbeRun first(row, dtype, probes().front(), contract, plan);
  subject.parameters = parameters_of(first, subject);
  const Case ordinary = ordinary_case(subject, {4, 33});
  // A process in which it went wrong may go on doing so.
  const bool all_wrong = already_wrong && first.call(ordinary, "").verdict == Verdict::fail &&
                         (!plan.wrong_afresh || plan.wrong_afresh(row, ordinary));
  const auto start = std::chrono::steady_clock::now();
  for (const Probe& probe : probes()) {
    ProbeRun run(row, dtype, probe, contract, plan);
    if (already_wrong) run.mask_wrong_numbers(all_wrong);
    std::string& left_out = run.tally().left_out;
    if (std::find(plan.skipped.begin(), plan.skipped.end(), &probe) != plan.skipped.end()) {
      left_out = "--skip-probes";
    } else if (probe.left_out != nullptr) {
      left_out = probe.left_out(run);
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    if (left_out.empty() && !probe.watch && plan.patience > 0 && spent.count() > plan.patience)
      left_out = "its calls are slow; a --budget of evaluations runs all";
    if (left_out.empty() && !probe.watch) {
      const std::vector<Case> cases = probe.cases(subject);
      if (cases.empty()) continue;
      for (const Case& c : cases) {
        run.begin(c);
        probe.run(run, c);
        if (run.tally().is_given_up()) break;
      }
    }
    finish(run, out);
    if (plan.stop_at_first && !out.findings.empty()) break;
  }
  const Watches& watches = implementation_of(row).watches[static_cast<std::size_t>(dtype)];
  for (ProbeTally& tally : out.tallies) {
    const auto at = std::find(watch_names.begin(), watch_names.end(), tally.probe->name);
    if (at != watch_names.end())
      tally.seen = watches.seen[static_cast<std::size_t>(at - watch_names.begin())];
  }
  return out;
}

ProbeResults run_probe(const Row& row, const Probe& probe, const Case& c, const Contract& contract,
                       const ProbePlan& plan) {
  ProbeResults out;
  ProbeRun run(row, c.x.dtype, probe, contract, plan);
  run.begin(c);
  probe.run(run, c);
  finish(run, out);
  return out;
}

}  // namespace normcheck
