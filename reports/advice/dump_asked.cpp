// Measures a dump, and takes the setting from its worst row.
#include "reports/advice/dump_asked.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "corpus/error.h"
#include "reports/advice/asked.h"
#include "reports/dump_problem.h"

namespace normcheck {
namespace {

/// Elements of the user's data that are run.
constexpr std::int64_t kept_elements = std::int64_t{1} << 20;

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

MeasuredDump measured_dump(Options options) {
  check_setting(options);
  const bool folders = std::all_of(options.names.begin(), options.names.end(), [](const std::string& name) {
    std::error_code error;
    return std::filesystem::is_directory(name, error);
  });
  if (!options.eps && !folders) options.eps = Setting{}.eps;
  MeasuredDump out;
  out.layers = measure_dump(find_problems(options.names, options, false), options, kept_elements);
  const LayerMeasure* worst = worst_layer(out.layers);
  if (worst == nullptr) {
    const auto failed = std::find_if(out.layers.begin(), out.layers.end(),
                                     [](const LayerMeasure& layer) { return !layer.error.empty(); });
    throw InputError(failed != out.layers.end()
                         ? failed->error
                         : fmt::format("--data: {}: no row of two or more finite numbers that are not all "
                                       "equal; expected one",
                                       options.names[0]));
  }
  out.setting = setting_asked(options, Setting{worst->dtype, worst->n, worst->kappa, worst->eps});
  return out;
}

}  // namespace normcheck
