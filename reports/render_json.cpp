// Renders results as JSON; a number that is no number is a string, a measured one has its hexfloat beside it.
#include "reports/render_json.h"

#include <fmt/format.h>

#include "corpus/case_file.h"
#include "corpus/replay_line.h"
#include "reports/finding_text.h"
#include "reports/results/json.h"

namespace normcheck {
namespace {

Json largest_json(const LargestError& largest) {
  if (largest.ulp < 0) return nullptr;
  Json out;
  put_measured(out, "error_ulp", largest.ulp);
  put_measured(out, "allowed_ulp", largest.allowed_ulp);
  put_measured(out, "kappa", largest.kappa);
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
    put_measured(normwise, "error_u", t.normwise.u);
    normwise["n"] = t.normwise.n;
    normwise["regime"] = t.normwise.regime;
    normwise["case"] = t.normwise.case_id;
    out["largest_normwise_finite"] = normwise;
  }
  put_measured(out, "largest_share_of_bound", t.max_share_of_bound);
  if (t.judged > 0) put_measured(out, "p99_ulp", t.sketch.p99());
  if (t.judged > 0) {
    out["share_not_correctly_rounded"] =
        static_cast<double>(t.not_correctly_rounded) / static_cast<double>(t.judged);
  }
  if (t.cases > 0) out["verdict"] = verdict_name(t.worst());
  if (!t.out_of_range.empty()) out["out_of_range"] = t.out_of_range;
  return out;
}

Json element_json(const Case& c, const ElementReport& e) {
  Json out;
  out["output"] = output_name(e.output);
  out["index"] = element_index(c, e);
  out["dtype"] = dtype_name(e.dtype);
  put_measured(out, "got", to_double(e.dtype, e.got));
  put_measured(out, "want", e.want);
  put_measured(out, "error_ulp", e.error_ulp);
  put_measured(out, "allowed_ulp", e.allowed_ulp);
  put_measured(out, "allowed_abs", e.allowed_abs);
  put_measured(out, "error_normwise_u", e.normwise_u);
  if (!e.reason.empty()) out["reason"] = e.reason;
  return out;
}

void put_problem(Json& out, const Case& c, const Judgement& j) {
  out["shape"] = c.x.shape;
  out["norm_ndim"] = c.norm_ndim;
  put_measured(out, "eps", c.eps);
  put_measured(out, "kappa", j.kappa);
  out["rows"] = row_count(c);
  out["wrong_rows"] = j.wrong_rows;
}

}  // namespace

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
    put_measured(stage, "got", finding.stage->got);
    put_measured(stage, "exact", finding.stage->exact);
    put_measured(stage, "allowed_abs", finding.stage->allowed_abs);
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
    put_measured(evidence, "least_off_exact_ulp", e->least_off);
    put_measured(evidence, "most_off_exact_ulp", e->most_off);
    evidence["nearest_right"] = e->nearest_right;
    put_measured(evidence, "nearest_right_ulp", e->nearest_off);
    out["evidence"] = evidence;
  }
  out["replay"] = replay_line(built_command, finding.replay);
  return out;
}

Json entry_json(const SweepEntry& entry) {
  Json out;
  out["impl"] = entry.row->name;
  out["dtype"] = dtype_name(entry.dtype);
  out["contract"] = entry.contract;
  out["expect"] = entry.row->expect;
  Tally total = entry.total();
  total.regime = "all";
  out["total"] = tally_json(total);
  for (const Tally& tally : entry.regimes) out["regimes"].push_back(tally_json(tally));
  out["unexpected_findings"] = entry.unexpected_findings;
  out["unexpected_passes"] = entry.unexpected_passes;
  out["notes"] = entry.notes;
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
  put_measured(out, "largest_error_ulp", j.errors.max_ulp);
  put_measured(out, "largest_share_of_bound", j.errors.max_share_of_bound);
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
  put_measured(out, "share_of_bound", r.share);
  put_measured(out, "ulp", r.ulp);
  put_measured(out, "normwise_u", r.normwise_u);
  put_measured(out, "kappa", r.kappa);
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

}  // namespace normcheck
