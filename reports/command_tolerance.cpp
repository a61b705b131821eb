// normcheck tolerance: the smallest tolerance that no right kernel fails, and what yours is worth.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>

#include "corpus/error.h"
#include "reports/advice/asked.h"
#include "reports/advice/dump_asked.h"
#include "reports/advice/tolerance.h"
#include "reports/commands.h"
#include "reports/plugins.h"
#include "reports/select.h"

namespace normcheck {
namespace {

double parse_tolerance(const std::string& text, const char* option) {
  const double value = parse_number(text, option);
  if (!(value >= 0) || !std::isfinite(value))
    throw InputError(fmt::format("{}: '{}'; expected a finite number, 0 or more", option, text));
  return value;
}

}  // namespace

void add_tolerance(CLI::App& app, Options& o) {
  CLI::App* tolerance = app.add_subcommand(
      "tolerance",
      "the smallest atol and rtol that no right kernel fails, and the mistakes they let through");
  add_setting_options(*tolerance, o);
  tolerance->add_option("--data", o.names,
                        "tensors as judge takes them (x, gamma and beta), to be run in place of made rows; "
                        "--dtype, --n and --kappa are then those of the worst row");
  tolerance->add_option("--map", o.map, "with --data: which tensor is which, as for judge");
  tolerance->add_option("--ref", advice_options().ref,
                        "compare with this implementation's output (default: with the exact y)");
  tolerance->add_option_function<std::string>(
      "--atol", [](const std::string& t) { advice_options().atol = parse_tolerance(t, "--atol"); },
      "is this one enough, or blind? (absolute)");
  tolerance->add_option_function<std::string>(
      "--rtol", [](const std::string& t) { advice_options().rtol = parse_tolerance(t, "--rtol"); },
      "with it, or alone: relative to what is expected (default 0)");
}

Exit run_tolerance(const Options& options) {
  const AdviceOptions& own = advice_options();
  TolerancePlan plan;
  if (options.names.empty()) {
    if (!options.map.empty()) throw InputError("--map: no dump to look in; expected --data");
    plan.setting = setting_asked(options);
  } else {
    MeasuredDump dump = measured_dump(options);
    plan.setting = dump.setting;
    for (LayerMeasure& layer : dump.layers) {
      if (!layer.error.empty()) throw InputError(layer.error);
      if (layer.dtype != plan.setting.dtype)
        throw InputError(
            fmt::format("--data: {} is {} and {} is {}; expected one dtype, a tolerance is of one",
                        dump.layers.front().name, dtype_name(dump.layers.front().dtype), layer.name,
                        dtype_name(layer.dtype)));
      if (row_count(layer.kept) > 0) plan.data.push_back(std::move(layer.kept));
    }
  }
  plan.atol = own.atol;
  plan.rtol = own.rtol;
  if (!own.ref.empty()) {
    const Row& row = row_named(own.ref, options);
    if (!offers(row, plan.setting.dtype))
      throw InputError(fmt::format("--ref: {} does not offer {}", row.name, dtype_name(plan.setting.dtype)));
    const bool outside = row.outside != nullptr;
    plan.ref =
        Subject{&row, outside ? contract_of(row, "stable") : Contract{ContractKind::own, &row, nullptr}};
  }
  const Weighed w = weigh_tolerance(std::move(plan));
  fmt::print("{}", tolerance_text(w));
  return w.too_tight() ? Exit::finding : Exit::well;
}

}  // namespace normcheck
