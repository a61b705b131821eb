// Puts the document together.
#include "reports/results/results.h"

#include <algorithm>
#include <cmath>

#include "corpus/replay_line.h"
#include "reports/advice/recommendations.h"
#include "reports/finding_text.h"
#include "reports/render_json.h"
#include "reports/results/implementations.h"
#include "reports/results/json.h"

namespace normcheck {
namespace {

Json plan_json(const ReportData& data) {
  const SweepPlan& plan = data.plan;
  Json out;
  out["seed"] = plan.seed;
  out["budget_evaluations"] = plan.budget.seconds > 0 ? Json() : Json(data.whole_budget.evaluations);
  out["budget_seconds"] = plan.budget.seconds > 0 ? Json(data.whole_budget.seconds) : Json();
  out["contract"] = contract_name(plan.contract);
  out["command"] = data.command;
  out["eps"] = data.eps;
  out["not_run"] = data.not_run;
  return out;
}

Json input_json(const PublicInput& input) {
  Json out;
  out["case"] = input.source->problem.id;
  out["file"] = input.source->file;
  out["dtype"] = dtype_name(input.source->problem.x.dtype);
  out["origin"] = input.source->problem.origin;
  for (std::size_t f = 0; f < family_names.size(); ++f) {
    if (!input.results[f]) continue;
    Json result;
    result["impl"] = input.rows[f];
    result["verdict"] = verdict_name(input.results[f]->verdict);
    if (input.results[f]->max_ulp >= 0) put_measured(result, "error_ulp", input.results[f]->max_ulp);
    out[std::string(family_names[f])] = result;
  }
  return out;
}

/// Where terms are added one after the other, their roundings grow like sqrt(n) if their signs are random.
Json expected_json(const Row& row, std::int64_t n, double bound_ulp) {
  const bool sequential =
      row.algorithm == "naive" || row.algorithm == "two_pass" || row.algorithm == "welford";
  if (!sequential || row.outside != nullptr || !std::isfinite(bound_ulp) || n < 2) return nullptr;
  return std::max(0.5, bound_ulp / std::sqrt(static_cast<double>(n)));
}

Json point_json(const Row& row, std::int64_t n, double error_ulp, double bound_ulp,
                const std::string& input) {
  Json out;
  put_measured(out, "error_ulp", error_ulp);
  put_measured(out, "bound_ulp", bound_ulp);
  out["expected_ulp"] = expected_json(row, n, bound_ulp);
  out["case"] = input;
  return out;
}

std::string kept_file(const Finding& finding) { return "cases/" + finding.kept.filename().string(); }

/// What shows it again, at the root of a checkout.
std::string finding_line(const Finding& finding, const CaseShelf& shelf) {
  if (finding.kept.empty() || !finding.again.empty()) return replay_line(built_command, finding.replay);
  return replay_line(built_command,
                     replay_arguments(shelf.input(kept_file(finding)), finding.impl, finding.asked));
}

Json curve_json(const KappaCurve& curve) {
  Json out;
  out["impl"] = curve.row->name;
  out["dtype"] = dtype_name(curve.dtype);
  out["n"] = curve.n;
  out["contract"] = curve.contract;
  out["points"] = Json::array();
  for (const KappaPoint& p : curve.points) {
    Json point;
    put_measured(point, "kappa", p.kappa);
    point.update(point_json(*curve.row, curve.n, p.error_ulp, p.bound_ulp, p.input));
    out["points"].push_back(point);
  }
  return out;
}

Json curve_json(const LengthCurve& curve) {
  Json out;
  out["impl"] = curve.row->name;
  out["dtype"] = dtype_name(curve.dtype);
  put_measured(out, "kappa", curve.kappa);
  out["contract"] = curve.contract;
  out["points"] = Json::array();
  for (const LengthPoint& p : curve.points) {
    Json point;
    point["n"] = p.n;
    point.update(point_json(*curve.row, p.n, p.error_ulp, p.bound_ulp, p.input));
    out["points"].push_back(point);
  }
  return out;
}

Json heat_json(const HeatMap& map) {
  Json out;
  out["impl"] = map.row->name;
  out["dtype"] = dtype_name(map.dtype);
  out["contract"] = "stable";
  out["cells"] = Json::array();
  for (const HeatCell& c : map.cells) {
    Json cell;
    cell["n"] = c.n;
    cell["kappa"] = c.kappa;
    put_measured(cell, "error_ulp", c.error_ulp);
    put_measured(cell, "bound_ulp", c.bound_ulp);
    if (map.row->outside == nullptr) {
      put_measured(cell, "own_error_ulp", c.own_error_ulp);
      put_measured(cell, "own_bound_ulp", c.own_bound_ulp);
    }
    cell["blind"] = c.blind;
    cell["verdict"] = verdict_name(c.verdict);
    cell["case"] = c.input;
    out["cells"].push_back(cell);
  }
  return out;
}

Json accuracy_json(const AccuracyPoint& p) {
  Json out;
  out["impl"] = p.row->name;
  out["dtype"] = dtype_name(p.dtype);
  out["n"] = p.n;
  out["kappa"] = p.kappa;
  out["contract"] = p.contract;
  put_measured(out, "error_ulp", p.error_ulp);
  put_measured(out, "bound_ulp", p.bound_ulp);
  out["case"] = p.input;
  return out;
}

Json floor_json(const FloorPoint& p) {
  Json out;
  out["dtype"] = dtype_name(p.dtype);
  out["data"] = p.data;
  out["n"] = p.n;
  out["contract"] = p.contract;
  put_measured(out, "root", p.floor.root);
  put_measured(out, "divisor", p.floor.divisor);
  put_measured(out, "lost_far", p.floor.lost_far);
  put_measured(out, "lost_mid", p.floor.lost_mid);
  return out;
}

Json family_json(const FamilyResult& r) {
  Json out;
  out["family"] = family_names[static_cast<std::size_t>(r.family)];
  const DType dtype = r.family == Family::half ? DType::f16 : DType::f32;
  out["impl"] = family_row(r.family, dtype)->name;
  out["dtype"] = dtype_name(dtype);
  out["cases"] = r.total.cases;
  out["findings"] = r.total.findings();
  out["elements"] = r.total.counts.elements;
  out["proved"] = r.total.counts.proved;
  out["nan_or_inf"] = std::isinf(r.total.largest.ulp);
  put_measured(out, "largest_share_of_bound", r.largest_share);
  out["share_of"] = Json::array();
  for (const DType of : r.share_of) out["share_of"].push_back(dtype_name(of));
  return out;
}

template <class Part>
Json list_of(const std::vector<Part>& parts, Json (*one)(const Part&)) {
  Json out = Json::array();
  for (const Part& part : parts) out.push_back(one(part));
  return out;
}

/// Lists of objects: a line each, or, of one that has such lists itself, a line a member.
void write(std::string& out, const Json& value, std::size_t depth) {
  const auto is_flat = [](const Json& v) {
    if (!v.is_structured()) return true;
    for (const Json& part : v) {
      if (part.is_array() && !part.empty() && part.front().is_object()) return false;
    }
    return true;
  };
  const bool opens = depth == 0 || (value.is_array() && !value.empty() && value.front().is_object()) ||
                     (value.is_object() && !is_flat(value));
  if (!opens || value.empty()) {
    out += value.dump();
    return;
  }
  const std::string pad(depth + 1, ' ');
  out += value.is_array() ? '[' : '{';
  bool first = true;
  for (const auto& [key, part] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += pad;
    if (value.is_object()) out += Json(key).dump() + ": ";
    write(out, part, depth + 1);
  }
  out += "\n" + std::string(depth, ' ') + (value.is_array() ? ']' : '}');
}

}  // namespace

Json results_json(const ReportData& data) {
  Json out;
  out["schema"] = results_schema;
  out["seed"] = data.plan.seed;
  out["budget_evaluations"] = data.plan.budget.evaluations;
  if (data.plan.budget.seconds > 0) out["budget_seconds"] = data.plan.budget.seconds;
  out["contract"] = contract_name(data.plan.contract);
  out["plan"] = plan_json(data);
  out["implementations"] = implementations_json(data.jobs, data.times);
  out["entries"] = list_of(data.entries, entry_json);
  out["four"] = list_of(data.four, family_json);
  out["public_inputs"] = list_of(data.inputs, input_json);
  Json half;
  half["impl"] = data.half_sum.impl;
  half["input"] = "2048 ones, then 2048 twos, f16";
  put_measured(half, "mean", data.half_sum.mean);
  put_measured(half, "exact_mean", data.half_sum.exact_mean);
  put_measured(half, "mean_accumulated_in_f32", data.half_sum.mean_f32);
  half["verdict"] = verdict_name(data.half_sum.verdict);
  out["half_accumulation"] = half;
  out["error_vs_kappa"] = list_of<KappaCurve>(data.curves.kappa, curve_json);
  out["error_vs_n"] = list_of<LengthCurve>(data.curves.lengths, curve_json);
  out["heat"] = list_of(data.curves.heat, heat_json);
  out["accuracy"] = list_of(data.accuracy, accuracy_json);
  out["champions"] = data.champions;
  if (!data.floors.empty()) out["detection_floor"] = list_of(data.floors, floor_json);
  out["peers"] = data.peers;
  out["detection"] = data.detection;
  out["folklore"] = data.folklore;
  out["recommendations"] = recommendations(out);
  out["findings"] = Json::array();
  for (const Finding* finding : data.shown) {
    Json one = finding_json(*finding);
    if (!finding->kept.empty()) one["file"] = kept_file(*finding);
    one["replay"] = finding_line(*finding, data.shelf);
    out["findings"].push_back(one);
  }
  out["cases"] = data.shelf.json();
  out["unexpected"] = Json::array();
  for (const Unexpected& u : data.unexpected)
    out["unexpected"].push_back(
        {{"what", u.what}, {"replay", u.shown ? finding_line(*u.shown, data.shelf) : ""}});
  Json run;
  for (const auto& [name, value] : data.run) run[name] = value;
  out["run"] = run;
  return out;
}

std::string results_text(const Json& results) {
  std::string out;
  write(out, results, 0);
  return out + "\n";
}

}  // namespace normcheck
