// normcheck minimise: the smallest case that breaks the same promise of the same implementation.
#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "fuzz/minimal.h"
#include "reports/commands.h"
#include "reports/finding.h"
#include "reports/plugins.h"
#include "reports/render_text.h"
#include "reports/select.h"

namespace normcheck {
namespace {

// y alone where y is wrong, so that no small case is left that fails on mean or rstd only; else what `replay`
// asks for.
constexpr std::array<Wanted, 2> outputs = {Wanted{}, Wanted{true, true}};
// Five times what a fuzz target spends: here a person waits, and a second is not long.
constexpr std::int64_t work = 5 * default_work;

struct Broken {
  Contract contract;
  Wanted wanted;
  std::string promise;
};

/// Under the contract that was named, else `stable`, else `own`. InputError where the case fails under none.
Broken first_broken(const Row& row, const Case& c, const Options& options) {
  const bool named = !options.contract.empty();
  for (const std::string& name : named                    ? std::vector{options.contract}
                                 : row.outside != nullptr ? std::vector<std::string>{"stable"}
                                                          : std::vector<std::string>{"stable", "own"}) {
    const Contract contract = contract_of(row, name);
    for (const Wanted wanted : outputs) {
      if (auto found = breach(row, c, contract, wanted)) return {contract, wanted, std::move(found->promise)};
    }
  }
  throw InputError(
      fmt::format("{}: {} keeps {} on this case: nothing to minimise; expected a case that it fails",
                  options.names.front(), row.name, named ? options.contract : "stable and own"));
}

/// "a/b.case" gives "a/b.min.case".
std::string beside(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".min.case").string();
}

std::string size_text(const Case& c) {
  return fmt::format("{}{}{} over {}", shape_text(c.x.shape), c.gamma ? " with gamma" : "",
                     c.beta ? " with beta" : "", shape_text(normalized_shape(c)));
}

}  // namespace

Exit run_minimise(const Options& options) {
  const Row& row = row_named(options.impl, options);
  const std::string& file = options.names.front();
  const Case given = read_case(file);
  const Broken broken = first_broken(row, given, options);
  Case small = minimal_breach(row, given, broken.contract, broken.wanted, broken.promise, work);
  // What else the given case was known for need not hold of this one.
  small.violates.clear();
  if (broken.contract.kind == ContractKind::stable && row.outside == nullptr)
    small.violates.emplace_back(row.name);
  const std::string out = options.case_out.empty() ? beside(file) : options.case_out;
  write_case(out, small);

  Finding finding = make_finding(
      row, small, run_and_judge(row, small, broken.contract, OracleChoice::automatic), broken.contract);
  finding.replay = replay_arguments(out, row.name, finding.asked);
  explain(finding);
  fmt::print("minimised  {} -> {}, written to {}\n{}", size_text(given), size_text(small), out,
             finding_text(finding, options.program, Style{colour_wanted()}));
  return Exit::well;
}

}  // namespace normcheck
