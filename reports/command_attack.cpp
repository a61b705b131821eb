// normcheck attack: the largest error that a search finds, with the row that shows it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "fuzz/attack/attack.h"
#include "reports/attack/campaign.h"
#include "reports/commands.h"
#include "reports/confirm.h"
#include "reports/console.h"
#include "reports/finding.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/render_json.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t default_budget = 1'000'000, rows_a_call = 64;

DType dtype_of(const Row& row, const Options& options) {
  const std::vector<DType> dtypes = dtypes_of(row, dtypes_named(options.dtypes));
  if (dtypes.empty()) {
    throw InputError(fmt::format("--dtype: {} does not offer {}", row.name,
                                 options.dtypes.empty() ? "any" : options.dtypes.front()));
  }
  // A row's name says its accumulate type: that is what is meant where no dtype is.
  const bool own = row.outside == nullptr && options.dtypes.empty() && offers(row, row.accumulate);
  return own ? row.accumulate : dtypes.front();
}

void print_record(const AttackRecord& r) {
  fmt::print("{:>12}  {:<7}  {:>9}  {:>9}  {:>9}  {:>9}  {}\n", grouped(r.evaluations), r.method,
             short_number(r.share), short_number(r.ulp), short_number(r.normwise_u), short_number(r.kappa),
             r.verdict == Verdict::pass ? "" : verdict_name(r.verdict));
  std::fflush(stdout);
}

}  // namespace

Exit run_attack(const Options& options) {
  if (options.eps && (!(*options.eps >= 0) || !std::isfinite(*options.eps)))
    throw InputError("--eps: expected a finite number, 0 or more");
  if (options.kappa && !(*options.kappa >= 1))
    throw InputError("--kappa: a condition number is 1 or more; expected such a number, or inf");
  if (options.all_rows || options.all_peers || options.names.size() > 1) return run_campaign(options);
  if (options.names.empty())
    throw InputError("attack: what? expected an implementation (normcheck list), --rows or --peers");
  const auto start = std::chrono::steady_clock::now();
  const Style style{colour_wanted()};
  const Row& row = row_named(options.names.front(), options);
  const auto objective = objective_named(options.objective.empty() ? "share" : options.objective);
  if (!objective)
    throw InputError(
        fmt::format("--objective: '{}'; expected share, ulp, normwise or distance", options.objective));
  if (!options.against.empty() && *objective != Objective::share && *objective != Objective::distance)
    throw InputError("--against: the objective is the distance; expected no other --objective beside it");
  if (options.against.empty() && *objective == Objective::distance)
    throw InputError("--objective distance: from what? expected --against IMPL");
  if (!options.against.empty() && options.record)
    throw InputError("--record: a distance is of two; expected no --against beside it");
  const std::vector<std::int64_t> lengths = attack_lengths(options);
  if (lengths.size() != 1 || options.dtypes.size() > 1) return run_campaign(options);
  AttackPlan plan = attack_plan(options, dtype_of(row, options), lengths.front(),
                                options.against.empty() ? *objective : Objective::distance,
                                options.kappa.value_or(0), attack_budget(options, default_budget));
  if (!options.against.empty()) plan.against = &row_named(options.against, options);
  if (row.outside != nullptr || (plan.against != nullptr && plan.against->outside != nullptr))
    plan.rows_a_call = rows_a_call;
  require_writable(options.out, "--out");
  require_file(options.json, "--json");
  if (options.record && row.outside != nullptr && peer_of(row) == nullptr)
    throw InputError(fmt::format(
        "--record: {} lies on this machine alone; expected a row or a library (normcheck list, list --peers)",
        row.name));
  const std::filesystem::path found = options.record ? found_folder(options) : std::filesystem::path();
  plan.seeds = AttackSeeds(options).of(plan.dtype);
  const Contract contract = contract_of(row, options.contract);

  fmt::print("attack   {} {}, n {}, {}, contract {}, {} evaluations, seed {}\n", row.name,
             dtype_name(plan.dtype), plan.n,
             plan.against != nullptr ? fmt::format("distance from {}", plan.against->name)
                                     : std::string(objective_name(plan.objective)),
             contract_name(contract), grouped(plan.budget), plan.seed);
  fmt::print("{}\n", style.bold(fmt::format("{:>12}  {:<7}  {:>9}  {:>9}  {:>9}  {:>9}", "evaluations",
                                            "method", "share", "ulp", "normwise u", "kappa")));
  std::string lines;
  const AttackResult result = attack(row, contract, plan, [&](const AttackRecord& r) {
    print_record(r);
    if (!options.json.empty()) lines += attack_line(row.name, r);
  });
  if (!options.json.empty()) write_asked_file(options.json, "--json", lines);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  if (result.broken) {
    Case c = *result.broken;
    c.id = fmt::format("attack-{}-{}", dtype_name(plan.dtype), plan.n);
    Finding finding = make_finding(row, c, judge(c, *result.how, contract, OracleChoice::exact), contract);
    keep_finding(finding, std::filesystem::path(options.out) / "attack");
    confirm(finding, options);
    fmt::print("\nit broke after {} evaluations\n{}exit 1\n", grouped(result.evaluations),
               finding_text(finding, options.program, style));
    return Exit::finding;
  }
  AttackRecord worst = result.records.back();
  worst.problem.id = fmt::format("attack-{}-{}", dtype_name(plan.dtype), plan.n);
  Finding finding = make_finding(row, worst.problem,
                                 run_and_judge(row, worst.problem, contract, OracleChoice::exact), contract);
  keep_finding(finding, std::filesystem::path(options.out) / "attack");
  fmt::print("\nlargest known, not proven largest: {} of the allowance, {} ulp, {} u normwise, at kappa {}\n",
             short_number(worst.share), short_number(worst.ulp), short_number(worst.normwise_u),
             short_number(worst.kappa));
  if (plan.against != nullptr) fmt::print("  {} u from {}\n", short_number(worst.value), plan.against->name);
  fmt::print("  case     {}\n  replay   {}\n", finding.kept.string(),
             replay_line(options.program, finding.replay));
  fmt::print("  {} evaluations, {} of them of rows that are not scored (void, constant, out of range)\n",
             grouped(result.evaluations), grouped(result.unscored));
  fmt::print("  the regimes alone come to {} in {} rows: the attack to {} times that\n",
             short_number(result.largest_sampled), grouped(result.sampled),
             short_number(worst.value / result.largest_sampled));
  if (result.nonfinite > 0)
    fmt::print("  {} rows gave NaN or an infinity where a number is due\n", grouped(result.nonfinite));
  const bool red = is_finding(worst.verdict);
  if (options.record) {
    const bool kept =
        (!red || row.outside != nullptr || !is_right(row)) &&
        keep_record(found, champion_key(row, plan, options.contract), result, plan, version_of(row));
    fmt::print("  {} in {}\n", kept ? "a new record, kept" : "no new record", found.string());
  }
  if (red) fmt::print("\n{}", finding_text(finding, options.program, style));
  fmt::print("exit {}\n", red ? 1 : 0);
  if (!options.no_timing) {
    std::fflush(stdout);
    fmt::print(stderr, "took {:.1f} s, {} evaluations a second\n", took.count(),
               grouped(static_cast<std::int64_t>(static_cast<double>(result.evaluations) / took.count())));
  }
  return red ? Exit::finding : Exit::well;
}

}  // namespace normcheck
