// Tells of each implementation what the table, its algorithm and a few observations say.
#include "reports/results/implementations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "impl/plugin/plugin.h"
#include "oracles/claims.h"
#include "reports/algorithms.h"
#include "reports/plugins.h"
#include "reports/results/json.h"
#include "reports/results/semantics.h"

namespace normcheck {
namespace {

Json text_or_null(const std::optional<std::string>& text) { return text ? Json(*text) : Json(); }

Json semantics_json(const Row& row, DType dtype) {
  const Semantics s = observed_semantics(row, dtype);
  return {{"observed_in", dtype_name(dtype)},
          {"eps_place", text_or_null(s.eps_place)},
          {"variance", text_or_null(s.variance)},
          {"constant_rows", text_or_null(s.constant_rows)},
          {"broadcasting", text_or_null(s.broadcasting)},
          {"rounding", text_or_null(s.rounding)},
          {"non_finite", text_or_null(s.non_finite)},
          {"refusals", text_or_null(s.refusals)}};
}

std::string_view kind_of(const Row& row) {
  if (row.outside == nullptr) return "row";
  return peer_of(row) != nullptr ? "peer" : "plugin";
}

/// Its own bound, to first order.
void put_bound(Json& out, const Row& row, const AlgorithmSummary* algorithm) {
  out["bound_text"] = nullptr;
  if (algorithm == nullptr) {
    out["bound_note"] = "no bound of its own: it is held to stable, or to what it claims";
    return;
  }
  out["bound_text"] = fmt::format("|mean^ - mu| <= {};  |var^ - V| <= {}", algorithm->first_order_mean,
                                  algorithm->first_order_variance);
  out["bound_note"] = fmt::format(
      "to first order, to be read; u is that of {}. The bound that is proven has every term and is evaluated "
      "on "
      "each row of data ({}). It says nothing of a row where the error of the variance can reach var+eps.",
      dtype_name(row.accumulate), algorithm->derivation);
}

Json implementation_json(const Row& row, const std::vector<DType>& dtypes,
                         const std::vector<AlgorithmSummary>& algorithms, const TimeRatios& times) {
  const auto found = std::find_if(algorithms.begin(), algorithms.end(),
                                  [&](const AlgorithmSummary& a) { return a.name == row.algorithm; });
  const bool inside = row.outside == nullptr;
  const AlgorithmSummary* algorithm = inside && found != algorithms.end() ? &*found : nullptr;
  Json out;
  out["name"] = row.name;
  out["kind"] = kind_of(row);
  out["algorithm"] = inside ? Json(row.algorithm) : Json();
  out["accumulate"] = inside ? Json(dtype_name(row.accumulate)) : Json();
  out["finish"] = inside ? Json(finish_name(row.variant.finish)) : Json();
  out["expect"] = row.expect;
  out["right"] = is_right(row);
  out["passes"] = algorithm != nullptr ? Json(algorithm->passes) : Json();
  out["divisions"] = algorithm != nullptr ? Json(algorithm->cost.divides) : Json();
  out["operations"] = algorithm != nullptr ? Json(cost_text(*algorithm)) : Json();
  // A row of the table is given one row of data at a time: its order depends on n alone.
  out["batch_invariant_merge"] = inside ? Json(true) : Json();
  if (!inside && parse_claims(row.outside->claims_text()).host.batch_invariant)
    out["batch_invariant_merge"] = true;
  put_bound(out, row, algorithm);
  const auto time = times.find(row.name);
  const auto ratio = [&](double RowTimes::*which) {
    const double value = time == times.end() ? std::numeric_limits<double>::quiet_NaN() : time->second.*which;
    return std::isfinite(value) ? Json(value) : Json();
  };
  out["time_ratio_to_two_pass"] = ratio(&RowTimes::to_own);
  out["time_ratio_on_f32"] = ratio(&RowTimes::on_f32);
  out["time_note"] = time == times.end() ? "not run" : "median of several rounds of one run, one thread";
  const Peer* peer = inside ? nullptr : peer_of(row);
  out["library"] = peer != nullptr ? Json(peer->name) : Json();
  const std::string version = inside ? std::string() : version_of(row);
  out["version"] = version.empty() ? Json() : Json(version);
  out["dtypes"] = Json::array();
  for (const DType dtype : dtypes) out["dtypes"].push_back(dtype_name(dtype));
  out["semantics"] = semantics_json(row, dtypes.front());
  return out;
}

}  // namespace

Json implementations_json(std::span<const SweepJob> jobs, const TimeRatios& times) {
  const std::vector<AlgorithmSummary> algorithms = algorithm_summaries();
  Json out = Json::array();
  std::vector<const Row*> told;
  for (const SweepJob& job : jobs) {
    if (std::find(told.begin(), told.end(), job.row) != told.end()) continue;
    told.push_back(job.row);
    std::vector<DType> dtypes;
    for (const SweepJob& other : jobs) {
      if (other.row == job.row) dtypes.push_back(other.dtype);
    }
    out.push_back(implementation_json(*job.row, dtypes, algorithms, times));
  }
  return out;
}

}  // namespace normcheck
