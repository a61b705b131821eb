// normcheck advise: which algorithm to use for rows of a dtype, a length and a condition number.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "corpus/error.h"
#include "reports/advice/advise.h"
#include "reports/advice/asked.h"
#include "reports/commands.h"
#include "reports/dump_problem.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

/// Elements of the user's data that are run.
constexpr std::int64_t kept_elements = std::int64_t{1} << 20;

/// "1e-3" or "4ulp".
Limit parse_limit(const std::string& text) {
  Limit out;
  out.in_ulp = text.ends_with("ulp");
  out.value = parse_number(out.in_ulp ? text.substr(0, text.size() - 3) : text, "--tolerance");
  if (!(out.value > 0) || !std::isfinite(out.value))
    throw InputError(fmt::format("--tolerance: '{}'; expected a number above 0, such as 1e-3 or 4ulp", text));
  return out;
}

/// The layer that says which rows to ask about: the largest kappa.
const LayerMeasure* worst_layer(const std::vector<LayerMeasure>& layers) {
  const LayerMeasure* worst = nullptr;
  for (const LayerMeasure& layer : layers) {
    if (layer.worst_row >= 0 && layer.n >= 2 && (worst == nullptr || layer.kappa > worst->kappa))
      worst = &layer;
  }
  return worst;
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

Exit run_advise(const Options& asked) {
  Options options = asked;
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
    check_setting(options);
    const bool folders = std::all_of(options.names.begin(), options.names.end(), [](const std::string& name) {
      std::error_code error;
      return std::filesystem::is_directory(name, error);
    });
    if (!options.eps && !folders) options.eps = Setting{}.eps;
    plan.layers = measure_dump(find_problems(options.names, options, false), options, kept_elements);
    const LayerMeasure* worst = worst_layer(plan.layers);
    if (worst == nullptr) {
      const auto failed = std::find_if(plan.layers.begin(), plan.layers.end(),
                                       [](const LayerMeasure& layer) { return !layer.error.empty(); });
      throw InputError(failed != plan.layers.end()
                           ? failed->error
                           : fmt::format("--data: {}: no row of two or more finite numbers that are not all "
                                         "equal; expected one",
                                         options.names[0]));
    }
    plan.setting = setting_asked(options, Setting{worst->dtype, worst->n, worst->kappa, worst->eps});
  }
  const Advice advice = advise(std::move(plan));
  fmt::print("{}", advice_text(advice));
  const auto wrong = [](const Advised& x) {
    return x.built.exceeded > 0 || (x.mine && x.mine->exceeded > 0);
  };
  return std::any_of(advice.table.begin(), advice.table.end(), wrong) ? Exit::finding : Exit::well;
}

}  // namespace normcheck
