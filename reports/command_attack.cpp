// normcheck attack: the largest error that a search finds, with the row that shows it.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "fuzz/attack/attack.h"
#include "reports/commands.h"
#include "reports/confirm.h"
#include "reports/console.h"
#include "reports/corpus_files.h"
#include "reports/finding.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/render_json.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t default_budget = 1'000'000, longest = 65536, rows_a_call = 64;

std::int64_t length_of(const Options& options) {
  if (!options.lengths.given) return 32;
  const bool one = options.lengths.list.size() == 1 ||
                   (options.lengths.list.empty() && options.lengths.lo == options.lengths.hi);
  const std::int64_t n = options.lengths.list.empty() ? options.lengths.lo : options.lengths.list.front();
  if (!one || n < 2 || n > longest)
    throw InputError(fmt::format("--n: an attack is on one length; expected a number from 2 to {}", longest));
  return n;
}

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

/// Rows of the corpus of this dtype, to begin with.
std::vector<Case> seeds_of(const Options& options, DType dtype) {
  std::vector<Case> out;
  const auto folder = find_corpus(options.corpus);
  if (!folder) return out;
  for (CorpusCase& known : load_corpus(*folder)) {
    if (is_float(known.problem.x.dtype) && known.problem.x.size() > 0 &&
        (known.problem.x.dtype == dtype || known.group == "corpus/worst"))
      out.push_back(std::move(known.problem));
  }
  return out;
}

void print_record(const AttackRecord& r) {
  fmt::print("{:>12}  {:<7}  {:>9}  {:>9}  {:>9}  {:>9}  {}\n", grouped(r.evaluations), r.method,
             short_number(r.share), short_number(r.ulp), short_number(r.normwise_u), short_number(r.kappa),
             r.verdict == Verdict::pass ? "" : verdict_name(r.verdict));
  std::fflush(stdout);
}

}  // namespace

Exit run_attack(const Options& options) {
  const auto start = std::chrono::steady_clock::now();
  const Style style{colour_wanted()};
  const Row& row = row_named(options.names.front(), options);
  const auto objective = objective_named(options.objective);
  if (!objective)
    throw InputError(
        fmt::format("--objective: '{}'; expected share, ulp, normwise or distance", options.objective));
  AttackPlan plan;
  if (!options.against.empty() && *objective != Objective::share && *objective != Objective::distance)
    throw InputError("--against: the objective is the distance; expected no other --objective beside it");
  plan.objective = options.against.empty() ? *objective : Objective::distance;
  if (plan.objective == Objective::distance) {
    if (options.against.empty()) throw InputError("--objective distance: from what? expected --against IMPL");
    plan.against = &row_named(options.against, options);
  }
  plan.dtype = dtype_of(row, options);
  plan.n = length_of(options);
  if (options.budget && options.budget->seconds > 0)
    throw InputError("--budget: an attack is repeated bit for bit; expected evaluations, not a time");
  plan.budget = options.budget ? options.budget->evaluations : default_budget;
  plan.seed = options.seed;
  plan.freedom.affine = !options.plain;
  // Of what is not a share, an eps that hides nothing says most of squares that underflow.
  plan.freedom.eps = plan.objective == Objective::share;
  if (options.eps) {
    if (!(*options.eps >= 0) || !std::isfinite(*options.eps))
      throw InputError("--eps: expected a finite number, 0 or more");
    plan.eps = *options.eps;
    plan.freedom.eps = false;
  }
  if (options.kappa) {
    if (!(*options.kappa >= 1) || !std::isfinite(*options.kappa))
      throw InputError("--kappa: a condition number is 1 or more; expected such a number");
    plan.limits.kappa = *options.kappa;
  }
  if (row.outside != nullptr || (plan.against != nullptr && plan.against->outside != nullptr))
    plan.rows_a_call = rows_a_call;
  require_writable(options.out, "--out");
  require_file(options.json, "--json");
  plan.seeds = seeds_of(options, plan.dtype);
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
  const bool red = is_finding(worst.verdict);
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
