// Renders results as JSON; a number that is no number is a string, a measured one has its hexfloat beside it.
#include "reports/render_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "reports/finding_text.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return value;
}

/// `name` and `name_hex`.
void put(Json& object, const std::string& name, double value) {
  object[name] = number(value);
  object[name + "_hex"] = hexfloat(value);
}

Json largest_json(const LargestError& largest) {
  if (largest.ulp < 0) return nullptr;
  Json out;
  put(out, "error_ulp", largest.ulp);
  put(out, "allowed_ulp", largest.allowed_ulp);
  put(out, "kappa", largest.kappa);
  out["n"] = largest.n;
  out["regime"] = largest.regime;
  out["case"] = largest.case_id;
  return out;
}

Json counts_json(const ElementCounts& counts) {
  return {{"all", counts.elements}, {"proved", counts.proved},   {"wrong", counts.failed},
          {"void", counts.voided},  {"vacuous", counts.vacuous}, {"skipped", counts.skipped}};
}

Json tally_json(const Tally& t) {
  Json out;
  out["regime"] = t.regime;
  out["cases"] = t.cases;
  out["evaluations"] = t.evaluations;
  Json verdicts = Json::object();
  for (std::size_t v = 0; v < t.verdicts.size(); ++v) {
    if (t.verdicts[v] > 0) verdicts[std::string(verdict_name(static_cast<Verdict>(v)))] = t.verdicts[v];
  }
  out["verdicts"] = verdicts;
  out["elements"] = counts_json(t.counts);
  out["elements"]["judged_by_number"] = t.judged;
  out["elements"]["not_correctly_rounded"] = t.not_correctly_rounded;
  out["largest"] = largest_json(t.largest);
  out["largest_finite"] = largest_json(t.largest_finite);
  if (t.normwise.u >= 0) {
    Json normwise;
    put(normwise, "error_u", t.normwise.u);
    normwise["n"] = t.normwise.n;
    normwise["regime"] = t.normwise.regime;
    normwise["case"] = t.normwise.case_id;
    out["largest_normwise_finite"] = normwise;
  }
  put(out, "largest_share_of_bound", t.max_share_of_bound);
  if (!t.out_of_range.empty()) out["out_of_range"] = t.out_of_range;
  return out;
}

Json element_json(const Case& c, const ElementReport& e) {
  Json out;
  out["output"] = output_name(e.output);
  out["index"] = element_index(c, e);
  out["dtype"] = dtype_name(e.dtype);
  put(out, "got", to_double(e.dtype, e.got));
  put(out, "want", e.want);
  put(out, "error_ulp", e.error_ulp);
  put(out, "allowed_ulp", e.allowed_ulp);
  put(out, "allowed_abs", e.allowed_abs);
  put(out, "error_normwise_u", e.normwise_u);
  if (!e.reason.empty()) out["reason"] = e.reason;
  return out;
}

void put_problem(Json& out, const Case& c, const Judgement& j) {
  out["shape"] = c.x.shape;
  out["norm_ndim"] = c.norm_ndim;
  put(out, "eps", c.eps);
  put(out, "kappa", j.kappa);
  out["rows"] = row_count(c);
  out["wrong_rows"] = j.wrong_rows;
}

Json finding_json(const Finding& finding) {
  const Judgement& j = finding.judgement;
  Json out;
  out["impl"] = finding.impl;
  out["dtype"] = dtype_name(finding.problem.x.dtype);
  out["regime"] = finding.regime;
  if (!finding.probe.empty()) {
    out["probe"] = finding.probe;
    out["probe_words"] = finding.probe_words;
  }
  if (!finding.not_repeated.empty()) out["not_repeated"] = true;
  out["contract"] = finding.contract;
  out["verdict"] = verdict_name(j.verdict);
  out["expected"] = finding.expected;
  out["case"] = finding.problem.id;
  put_problem(out, finding.problem, j);
  out["elements"] = j.counts.elements;
  out["wrong_elements"] = j.counts.failed;
  if (!j.reason.empty()) out["reason"] = j.reason;
  if (j.worst) out["worst"] = element_json(finding.problem, *j.worst);
  if (finding.stage) {
    Json stage;
    stage["step"] = finding.stage->step;
    stage["shape"] = finding.stage->shape;
    put(stage, "got", finding.stage->got);
    put(stage, "exact", finding.stage->exact);
    put(stage, "allowed_abs", finding.stage->allowed_abs);
    out["stage"] = stage;
  }
  if (!finding.cause.empty()) out["cause"] = finding.cause;
  if (const auto& e = finding.evidence) {
    Json evidence;
    evidence["hypothesis"] = e->hypothesis;
    if (!e->others.empty()) evidence["others"] = e->others;
    evidence["rows"] = e->rows.size();
    evidence["elements"] = e->elements;
    evidence["lengths"] = e->lengths;
    if (e->from_length > 0) evidence["from_length"] = e->from_length;
    put(evidence, "least_off_exact_ulp", e->least_off);
    put(evidence, "most_off_exact_ulp", e->most_off);
    evidence["nearest_right"] = e->nearest_right;
    put(evidence, "nearest_right_ulp", e->nearest_off);
    out["evidence"] = evidence;
  }
  out["replay"] = replay_line(bare_command, finding.replay);
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
    if (input.results[f]->max_ulp >= 0) put(result, "error_ulp", input.results[f]->max_ulp);
    out[std::string(family_names[f])] = result;
  }
  return out;
}

Json curve_json(const KappaCurve& curve) {
  Json out;
  out["impl"] = curve.row->name;
  out["dtype"] = dtype_name(curve.dtype);
  out["n"] = curve.n;
  out["contract"] = "own";
  out["points"] = Json::array();
  for (const KappaPoint& p : curve.points) {
    Json point;
    put(point, "kappa", p.kappa);
    put(point, "error_ulp", p.error_ulp);
    put(point, "bound_ulp", p.bound_ulp);
    out["points"].push_back(point);
  }
  return out;
}

Json floor_json(const FloorPoint& p) {
  Json out;
  out["dtype"] = dtype_name(p.dtype);
  out["data"] = p.data;
  out["n"] = p.n;
  out["contract"] = p.contract;
  put(out, "root", p.floor.root);
  put(out, "divisor", p.floor.divisor);
  put(out, "lost_far", p.floor.lost_far);
  put(out, "lost_mid", p.floor.lost_mid);
  return out;
}

}  // namespace

Json entry_json(const SweepEntry& entry) {
  Json out;
  out["impl"] = entry.row->name;
  out["dtype"] = dtype_name(entry.dtype);
  out["expect"] = entry.row->expect;
  Tally total = entry.total();
  total.regime = "all";
  out["total"] = tally_json(total);
  for (const Tally& tally : entry.regimes) out["regimes"].push_back(tally_json(tally));
  out["unexpected_findings"] = entry.unexpected_findings;
  out["unexpected_passes"] = entry.unexpected_passes;
  return out;
}

std::string check_lines(const SweepEntry& entry, const SweepPlan& plan) {
  std::string lines;
  for (const Tally& tally : entry.regimes) {
    Json out;
    out["record"] = "check";
    out["impl"] = entry.row->name;
    out["dtype"] = dtype_name(entry.dtype);
    out["contract"] = entry.contract;
    out["seed"] = plan.seed;
    out.update(tally_json(tally));
    lines += out.dump() + "\n";
  }
  return lines;
}

std::string judged_line(std::string_view layer, std::string_view output, const Case& c, const Judgement& j,
                        const Contract& contract) {
  Json out;
  out["record"] = "judged";
  out["layer"] = layer;
  out["output"] = output;
  out["dtype"] = dtype_name(c.x.dtype);
  out["contract"] = contract_name(contract);
  out["verdict"] = verdict_name(j.verdict);
  put_problem(out, c, j);
  out["elements"] = counts_json(j.counts);
  out["elements"]["judged_by_number"] = j.errors.judged;
  out["elements"]["not_correctly_rounded"] = j.errors.not_correctly_rounded;
  put(out, "largest_error_ulp", j.errors.max_ulp);
  put(out, "largest_share_of_bound", j.errors.max_share_of_bound);
  if (!j.reason.empty()) out["reason"] = j.reason;
  if (j.worst) out["worst"] = element_json(c, *j.worst);
  if (!j.notes.empty()) out["notes"] = j.notes;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string attack_line(std::string_view impl, const AttackRecord& r) {
  Json out;
  out["record"] = "attack";
  out["impl"] = impl;
  out["dtype"] = dtype_name(r.problem.x.dtype);
  out["n"] = row_length(r.problem);
  out["evaluations"] = r.evaluations;
  out["method"] = r.method;
  put(out, "share_of_bound", r.share);
  put(out, "ulp", r.ulp);
  put(out, "normwise_u", r.normwise_u);
  put(out, "kappa", r.kappa);
  out["verdict"] = verdict_name(r.verdict);
  out["case"] = format_case(r.problem);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string unjudged_line(std::string_view layer, std::string_view why) {
  const Json out = {{"record", "judged"}, {"layer", layer}, {"verdict", "NOT RUN"}, {"reason", why}};
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string finding_line(const Finding& finding) {
  Json out;
  out["record"] = "finding";
  out.update(finding_json(finding));
  return out.dump() + "\n";
}

std::string results_json(const ReportData& data) {
  Json out;
  out["schema"] = "normcheck-results 1";
  out["seed"] = data.plan.seed;
  out["budget_evaluations"] = data.plan.budget.evaluations;
  if (data.plan.budget.seconds > 0) out["budget_seconds"] = data.plan.budget.seconds;
  out["contract"] = contract_name(data.plan.contract);
  out["entries"] = Json::array();
  for (const SweepEntry& entry : data.entries) out["entries"].push_back(entry_json(entry));
  out["public_inputs"] = Json::array();
  for (const PublicInput& input : data.inputs) out["public_inputs"].push_back(input_json(input));
  Json half;
  half["impl"] = data.half_sum.impl;
  half["input"] = "2048 ones, then 2048 twos, f16";
  put(half, "mean", data.half_sum.mean);
  put(half, "exact_mean", data.half_sum.exact_mean);
  put(half, "mean_accumulated_in_f32", data.half_sum.mean_f32);
  half["verdict"] = verdict_name(data.half_sum.verdict);
  out["half_accumulation"] = half;
  out["error_vs_kappa"] = Json::array();
  for (const KappaCurve& curve : data.curves) out["error_vs_kappa"].push_back(curve_json(curve));
  if (!data.floors.empty()) {
    out["detection_floor"] = Json::array();
    for (const FloorPoint& point : data.floors) out["detection_floor"].push_back(floor_json(point));
  }
  out["findings"] = Json::array();
  for (const Finding* finding : data.shown) out["findings"].push_back(finding_json(*finding));
  out["unexpected"] = Json::array();
  for (const Unexpected& u : data.unexpected)
    out["unexpected"].push_back({{"what", u.what}, {"replay", replay_line(bare_command, u.replay)}});
  Json run;
  for (const auto& [name, value] : data.run) run[name] = value;
  out["run"] = run;
  return out.dump(1) + "\n";
}

}  // namespace normcheck
