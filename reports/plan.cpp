// Turns the options into jobs and a plan: names looked up, ranges checked, the corpus read.
#include <fmt/format.h>

#include <cmath>

#include "corpus/error.h"
#include "reports/plugins.h"
#include "reports/select.h"
#include "reports/sweep.h"

namespace normcheck {

std::vector<SweepJob> make_jobs(const Options& options) {
  const std::vector<DType> wanted = dtypes_named(options.dtypes);
  std::vector<const Row*> rows = rows_named(options.names, options);
  if (rows.empty()) {
    for (const Row& row : table()) rows.push_back(&row);
  }
  std::vector<SweepJob> jobs;
  for (const Row* row : rows) {
    const auto offered = dtypes_of(*row, wanted);
    if (offered.empty() && !options.names.empty()) {
      throw InputError(fmt::format(
          "{} offers none of the dtypes asked for; normcheck list says what it offers", row->name));
    }
    for (const DType dtype : offered) jobs.push_back({row, dtype});
  }
  return jobs;
}

SweepPlan make_plan(const Options& options, std::int64_t default_evaluations) {
  SweepPlan plan;
  // The rows that evidence is weighed on are a stage of `check`; they are named as a regime is.
  std::vector<std::string> regimes = options.regimes;
  const bool checks = options.command == "check" || options.command == "peers";
  const bool weighs = checks && (regimes.empty() || std::erase(regimes, evidence_name) > 0);
  if (!weighs || !regimes.empty() || options.regimes.empty()) plan.regimes = regimes_named(regimes);
  plan.lengths = options.lengths;
  for (const std::string& text : options.shapes) {
    const auto x = text.find('x');
    const std::string wanted =
        fmt::format("--shapes: '{}' is not rows x length; expected one such as 8x1024", text);
    if (x == std::string::npos) throw InputError(wanted);
    const Lengths rows = parse_lengths(text.substr(0, x), "--shapes"),
                  n = parse_lengths(text.substr(x + 1), "--shapes");
    if (rows.list.size() != 1 || n.list.size() != 1) throw InputError(wanted);
    plan.shapes.emplace_back(rows.list[0], n.list[0]);
  }
  plan.eps = options.eps;
  if (plan.eps && !(*plan.eps >= 0 && std::isfinite(*plan.eps))) {
    throw InputError(
        fmt::format("--eps: {} is refused by every layer norm; expected a finite number >= 0", *plan.eps));
  }
  plan.norm_ndim = options.norm_ndim;
  if (plan.norm_ndim && (*plan.norm_ndim < 1 || *plan.norm_ndim > 8)) {
    throw InputError(fmt::format("--norm-ndim: {} is out of range; expected 1 to 8", *plan.norm_ndim));
  }
  plan.contract = parse_contract(options.contract, &table().front());
  for (const std::string& name : options.names) {
    if (!names_a_plugin(name)) continue;
    for (const Row* row : plugin_rows(name, options))
      plan.contracts.emplace_back(row, contract_of(*row, options.contract));
  }
  plan.oracle = oracle_named(options.oracle);
  if (weighs) {
    std::vector<std::int64_t> of_shapes;
    for (const auto& [rows, n] : plan.shapes) of_shapes.push_back(n);
    plan.evidence = plan_evidence(options.lengths, of_shapes);
    plan.evidence.eps = plan.eps;
    plan.evidence.seed = options.seed;
    plan.evidence.oracle = plan.oracle;
    if (options.names.empty() && !options.lengths.given) plan.evidence.lengths = {4096, 4099};
  }
  plan.seed = options.seed;
  plan.probes.run = checks;
  plan.probes.skipped = probes_named(options.skip_probes);
  plan.probes.strict = options.strict;
  plan.probes.huge = options.huge;
  plan.probes.seed = options.seed;
  plan.probes.oracle = plan.oracle;
  if (!options.in_process) {
    plan.probes.wrong_afresh = [options](const Row& row, const Case& c) {
      bool wrong = false;
      try {
        with_fresh_row(std::string(row.name), options, [&](const Row& fresh) {
          const Contract contract = contract_of(fresh, options.contract);
          wrong = is_finding(run_and_judge(fresh, c, contract, oracle_named(options.oracle)).verdict);
        });
      } catch (const LoadError&) {  // it cannot be had again: what was found stays
      }
      return wrong;
    };
  }
  plan.budget = options.budget.value_or(Budget{default_evaluations, 0});
  constexpr double patience = 30;
  if (options.command == "check" && !options.budget) plan.patience = plan.probes.patience = patience;
  if (options.lengths.given) plan.long_rows = 0;
  // A run that names its regimes asks for those alone; a folder that is named is looked at all the same.
  const auto folder = find_corpus(options.corpus);
  if (options.regimes.empty() && !options.lengths.given) {
    plan.corpus_missing = !folder;
    if (folder) plan.corpus = load_corpus(*folder);
  }
  return plan;
}

}  // namespace normcheck
