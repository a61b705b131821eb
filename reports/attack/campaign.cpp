// Chooses what to attack and by what, attacks it, and prints a line.
#include "reports/attack/campaign.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "reports/attack/largest_known.h"
#include "reports/attack/library_faults.h"
#include "reports/console.h"
#include "reports/corpus_files.h"
#include "reports/finding.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

constexpr std::int64_t longest = 65536, rows_a_call = 64, each_budget = 100'000;
/// A normwise error says most of rows that are well conditioned; and where eps is larger than the variance,
/// y may be so small that it underflows, which is a share of 1 and says nothing.
constexpr double well_conditioned = 4, any_condition = std::numeric_limits<double>::infinity();

/// An algorithm at an accumulate type, without a variant in finish, root or build.
bool is_plain(const Row& row) {
  return std::count(row.name.begin(), row.name.end(), '/') == 1 &&
         row.name.find('+') == std::string_view::npos;
}

std::vector<const Row*> wanted_rows(const Options& options) {
  std::vector<const Row*> rows = rows_named(options.names, options);
  if (options.all_rows) {
    for (const Row& row : table()) {
      if (!is_right(row)) continue;
      if (row.missing != nullptr && !row.missing().empty()) {
        fmt::print("NOTE     {}: not run, {}\n", row.name, row.missing());
        continue;
      }
      rows.push_back(&row);
    }
  }
  if (!options.all_peers) return rows;
  std::vector<std::pair<std::string_view, std::string>> seen;
  for (const Peer& peer : peers()) {
    try {
      for (const Row* row : plugin_rows(std::string(peer.name), options)) {
        // What an instruction set that is not here falls back to is attacked once.
        const std::pair<std::string_view, std::string> which(peer.file, version_of(*row));
        if (peer.file.ends_with(".so") && std::find(seen.begin(), seen.end(), which) != seen.end()) {
          fmt::print("NOTE     {}: the same as another here, {}\n", peer.name, which.second);
          continue;
        }
        seen.push_back(which);
        rows.push_back(row);
      }
    } catch (const LoadError& e) {
      fmt::print("NOTE     {}\n", e.what());
    }
  }
  if (rows.empty()) throw LoadError("no peer is installed; normcheck list --peers says how to install each");
  return rows;
}

/// Of the table: the type it is named for, and the halves of what is plain. From outside: all.
std::vector<DType> wanted_dtypes(const Row& row, const Options& options) {
  std::vector<DType> out = dtypes_of(row, dtypes_named(options.dtypes));
  if (!options.dtypes.empty() || row.outside != nullptr) return out;
  const DType own = offers(row, row.accumulate) ? row.accumulate : out.back();
  std::erase_if(out,
                [&](DType d) { return d != own && !(is_half(d) && is_plain(row) && own == DType::f32); });
  return out;
}

std::vector<AttackJob> jobs_of(const Options& options) {
  std::vector<AttackJob> out;
  const auto objective = objective_named(options.objective.empty() ? "share" : options.objective);
  if (!objective || *objective == Objective::distance)
    throw InputError(fmt::format("--objective: '{}'; of several attacks expected share, ulp or normwise",
                                 options.objective));
  for (const Row* row : wanted_rows(options)) {
    for (const DType dtype : wanted_dtypes(*row, options)) {
      for (const std::int64_t n : attack_lengths(options)) {
        // Of the table's variants the short rows say it; their long ones would fill the folder.
        const bool all = row->outside != nullptr || is_plain(*row) || !options.all_rows;
        if (n > 64 && !all) continue;
        AttackJob job{row, dtype, n, *objective, options.kappa.value_or(any_condition)};
        out.push_back(job);
        if (!options.objective.empty() || !all) continue;
        job.objective = Objective::normwise;
        job.kappa_most = options.kappa.value_or(well_conditioned);
        out.push_back(job);
      }
    }
  }
  return out;
}

std::string aim_text(const AttackJob& job) {
  std::string out(objective_name(job.objective));
  if (std::isfinite(job.kappa_most)) out += fmt::format(", kappa <= {}", short_number(job.kappa_most));
  return out;
}

/// Whose allowance a share is of: a row's own bound, `stable` for what says nothing of itself.
std::string asked_of(const Row& row, const Options& options) {
  if (!options.contract.empty() && options.contract != "stable") return options.contract;
  return row.outside == nullptr ? "own" : "stable";
}

std::string line_of(const Options& options, const AttackJob& job, const std::string& contract,
                    const AttackPlan& plan) {
  std::string out =
      fmt::format("attack {} --dtype {} --n {} --objective {}", shell_word(std::string(job.row->name)),
                  dtype_name(job.dtype), job.n, objective_name(job.objective));
  if (job.kappa_most > 0) out += fmt::format(" --kappa {}", job.kappa_most);
  if (contract != "stable") out += fmt::format(" --contract {}", shell_word(contract));
  out += " --plain";
  out += fmt::format(" --budget {} --seed {}", plan.budget, plan.seed);
  if (options.fresh) out += " --fresh";
  return out;
}

void print_head() {
  fmt::print("{:<26}{:<6}{:>6}  {:<21}{:>9}{:>10}{:>10}{:>9}{:>10}{:>8}{:>11}\n", "implementation", "dtype",
             "n", "by", "share", "ulp", "u", "kappa", "regimes", "factor", "eval./s");
}

void print_line(const Attacked& a, const Style& style) {
  const std::string left = fmt::format("{:<26}{:<6}{:>6}  {:<21}", a.job.row->name, dtype_name(a.job.dtype),
                                       a.job.n, aim_text(a.job));
  if (a.result.broken) {
    fmt::print("{}{}\n", left, style.red("it broke"));
    return;
  }
  const AttackRecord& r = a.result.records.back();
  const double speed = static_cast<double>(a.result.evaluations) / a.seconds;
  fmt::print("{}{:>9}{:>10}{:>10}{:>9}{:>10}{:>8}{:>11}{}\n", left, short_number(r.share),
             short_number(r.ulp), short_number(r.normwise_u), short_number(r.kappa),
             short_number(a.result.largest_sampled), short_number(r.value / a.result.largest_sampled),
             a.before ? "before" : grouped(static_cast<std::int64_t>(speed)), a.fresh ? "  new" : "");
  std::fflush(stdout);
}

/// The table's line for the key, where it has one.
std::optional<Champion> line_for(const std::filesystem::path& found, const ChampionKey& key) {
  for (Champion& c : read_champions(found)) {
    if (c.key == key) return std::move(c);
  }
  return std::nullopt;
}

/// The last record becomes the table's, as the implementation computes it here.
void take_known(Attacked& a, const Contract& contract, const std::filesystem::path& found,
                const ChampionKey& key) {
  a.known = line_for(found, key);
  if (!a.known) return;
  a.result.records = {measured(*a.job.row, contract, a.plan, read_case(found / a.known->file))};
  a.result.largest_sampled = a.known->largest_sampled;
}

/// A crash, or a bound that a right row of the table exceeds.
void show_finding(const Attacked& a, const Contract& contract, const Case& c, const Judgement& judgement,
                  const Options& options, const Style& style) {
  Finding finding = make_finding(*a.job.row, c, judgement, contract);
  keep_finding(finding, std::filesystem::path(options.out) / "attack");
  fmt::print("{}", finding_text(finding, options.program, style));
}

}  // namespace

std::vector<std::int64_t> attack_lengths(const Options& options) {
  std::vector<std::int64_t> out = options.lengths.list;
  if (!options.lengths.given) return {32};
  if (out.empty() && options.lengths.lo == options.lengths.hi) out = {options.lengths.lo};
  if (out.empty() || std::any_of(out.begin(), out.end(), [](std::int64_t n) { return n < 2 || n > longest; }))
    throw InputError(fmt::format("--n: an attack is on one length; expected a number from 2 to {}", longest));
  return out;
}

std::int64_t attack_budget(const Options& options, std::int64_t otherwise) {
  if (options.budget && options.budget->seconds > 0)
    throw InputError("--budget: an attack is repeated bit for bit; expected evaluations, not a time");
  return options.budget ? options.budget->evaluations : otherwise;
}

AttackSeeds::AttackSeeds(const Options& options) {
  const auto folder = find_corpus(options.corpus);
  if (!folder || options.fresh) return;
  for (CorpusCase& known : load_corpus(*folder)) {
    if (is_float(known.problem.x.dtype) && known.problem.x.size() > 0)
      known_.emplace_back(std::move(known.problem), known.group == "corpus/worst");
  }
  for (Case& known : champion_cases(*folder / "found")) known_.emplace_back(std::move(known), true);
}

std::vector<Case> AttackSeeds::of(DType dtype) const {
  std::vector<Case> out;
  for (const auto& [known, of_any] : known_) {
    if (of_any || known.x.dtype == dtype) out.push_back(known);
  }
  return out;
}

std::filesystem::path found_folder(const Options& options) {
  const auto folder = find_corpus(options.corpus);
  if (!folder) throw InputError("--record: no corpus folder was found; expected one by --corpus");
  require_writable(*folder, "--record");
  return *folder / "found";
}

AttackPlan attack_plan(const Options& options, DType dtype, std::int64_t n, Objective objective,
                       double kappa_most, std::int64_t budget) {
  AttackPlan plan;
  plan.dtype = dtype;
  plan.n = n;
  plan.objective = objective;
  plan.limits.kappa = kappa_most;
  plan.budget = budget;
  plan.seed = options.seed;
  plan.freedom.affine = !options.plain;
  // Of what is not a share, an eps that hides nothing says most of squares that underflow.
  plan.freedom.eps = objective == Objective::share && !options.eps;
  if (options.eps) plan.eps = *options.eps;
  return plan;
}

ChampionKey champion_key(const Row& row, const AttackPlan& plan, const std::string& contract) {
  ChampionKey key;
  key.impl = std::string(row.name);
  key.dtype = plan.dtype;
  key.length = length_class(plan.n);
  key.objective = plan.objective;
  key.kappa_most = plan.limits.kappa;
  key.contract = contract;
  return key;
}

Exit run_campaign(const Options& options) {
  if (!options.against.empty()) throw InputError("--against: expected one implementation to be attacked");
  const Style style{colour_wanted()};
  require_writable(options.out, "--out");
  const std::vector<AttackJob> jobs = jobs_of(options);
  const std::int64_t budget = attack_budget(options, each_budget);
  const std::filesystem::path found = options.record ? found_folder(options) : std::filesystem::path();
  const AttackSeeds known(options);
  std::vector<Attacked> all;
  bool red = false;
  print_head();
  for (const AttackJob& job : jobs) {
    Attacked a;
    a.job = job;
    const std::string asked = asked_of(*job.row, options);
    const Contract contract = contract_of(*job.row, asked);
    a.plan = attack_plan(options, job.dtype, job.n, job.objective, job.kappa_most, budget);
    // A tiny gamma is one more way to a y that underflows.
    a.plan.freedom.affine = false;
    if (job.row->outside != nullptr) a.plan.rows_a_call = rows_a_call;
    a.plan.seeds = known.of(job.dtype);
    a.attack_line = line_of(options, job, asked, a.plan);
    const ChampionKey key = champion_key(*job.row, a.plan, asked);
    if (options.record && !options.fresh) {
      const auto line = line_for(found, key);
      a.before = line && line->version == version_of(*job.row) && was_run(*line, a.plan);
    }
    if (a.before) {
      take_known(a, contract, found, key);
      print_line(a, style);
      all.push_back(std::move(a));
      continue;
    }
    const auto start = std::chrono::steady_clock::now();
    try {
      a.result = attack(*job.row, contract, a.plan);
    } catch (const InputError& e) {
      fmt::print("NOTE     {}\n", e.what());
      continue;
    }
    a.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    a.plan.seeds.clear();
    if (a.result.broken) {
      Case c = *a.result.broken;
      c.id = fmt::format("attack-{}-{}", dtype_name(job.dtype), job.n);
      show_finding(a, contract, c, judge(c, *a.result.how, contract, OracleChoice::exact), options, style);
      red = true;
    } else if (const AttackRecord& worst = a.result.records.back();
               is_finding(worst.verdict) && job.row->outside == nullptr && is_right(*job.row)) {
      show_finding(a, contract, worst.problem,
                   run_and_judge(*job.row, worst.problem, contract, OracleChoice::exact), options, style);
      red = true;
    } else if (options.record) {
      a.fresh = keep_record(found, key, a.result, a.plan, version_of(*job.row));
      take_known(a, contract, found, key);
    }
    print_line(a, style);
    all.push_back(std::move(a));
  }
  if (options.all_peers) {
    make_folder(options.out, "--out");
    write_file_atomically(std::filesystem::path(options.out) / "largest_known.md",
                          largest_known_markdown(all, options));
    write_file_atomically(std::filesystem::path(options.out) / "library_faults.md",
                          library_faults_markdown(options));
    fmt::print("\nwritten to {}: largest_known.md, library_faults.md\n", options.out);
  }
  fmt::print("exit {}\n", red ? 1 : 0);
  return red ? Exit::finding : Exit::well;
}

}  // namespace normcheck
