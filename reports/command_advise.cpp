// normcheck advise: which algorithm to use for rows of a dtype, a length and a condition number.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "corpus/error.h"
#include "reports/advice/advise.h"
#include "reports/advice/asked.h"
#include "reports/advice/dump_asked.h"
#include "reports/commands.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

/// "1e-3" or "4ulp".
Limit parse_limit(const std::string& text) {
  Limit out;
  out.in_ulp = text.ends_with("ulp");
  out.value = parse_number(out.in_ulp ? text.substr(0, text.size() - 3) : text, "--tolerance");
  if (!(out.value > 0) || !std::isfinite(out.value))
    throw InputError(fmt::format("--tolerance: '{}'; expected a number above 0, such as 1e-3 or 4ulp", text));
  return out;
}

}  // namespace

void add_advise(CLI::App& app, Options& o) {
  CLI::App* advise = app.add_subcommand(
      "advise", "which algorithm to use: what is proven, the largest error known, and that on your data");
  add_setting_options(*advise, o);
  advise->add_option("--tolerance", advice_options().tolerance,
                     "the error that will do: absolute, 1e-3, or in ulp of the row's largest |y|, 4ulp "
                     "(default 1ulp)");
  advise->add_option("--passes", advice_options().passes, "how often x may be read: 1 or 2 (default: any)");
  advise->add_option("--data", o.names,
                     "tensors as judge takes them (x, gamma and beta), to be measured and run; --dtype, --n "
                     "and --kappa are then those of the worst row");
  advise->add_option("--map", o.map, "with --data: which tensor is which, as for judge");
}

Exit run_advise(const Options& options) {
  const AdviceOptions& own = advice_options();
  AdvicePlan plan;
  if (!own.tolerance.empty()) plan.limit = parse_limit(own.tolerance);
  if (!own.passes.empty()) {
    if (own.passes != "1" && own.passes != "2")
      throw InputError(fmt::format("--passes: '{}'; expected 1 or 2", own.passes));
    plan.passes = own.passes == "1" ? 1 : 2;
  }
  if (!options.map.empty() && options.names.empty())
    throw InputError("--map: no dump to look in; expected --data");
  if (options.names.empty()) {
    plan.setting = setting_asked(options);
  } else {
    MeasuredDump dump = measured_dump(options);
    plan.layers = std::move(dump.layers);
    plan.setting = dump.setting;
  }
  const Advice advice = advise(std::move(plan));
  fmt::print("{}", advice_text(advice));
  const auto wrong = [](const Advised& x) {
    return x.built.exceeded > 0 || (x.mine && x.mine->exceeded > 0);
  };
  return std::any_of(advice.table.begin(), advice.table.end(), wrong) ? Exit::finding : Exit::well;
}

}  // namespace normcheck
