// Renders the table of the real libraries.
#include "reports/render_peers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "corpus/case_file.h"
#include "reports/named_case.h"
#include "reports/numbers.h"
#include "reports/plugins.h"
#include "reports/render_json.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view head =
    "# What real libraries score\n\n"
    "Judged by `normcheck peers` under the contract `stable`: each library as it is shipped, on the same "
    "inputs, against the exact\n"
    "result ([how to read a number](../README.md)). *Largest known* is the largest finite error of y that "
    "was seen, not a proof that none is\n"
    "larger, with its input; where the exact y is next to 0 an ulp is tiny, so the largest normwise error, "
    "in u*(|gamma*x_hat|+|beta|), stands\n"
    "beside it. *Share* is the largest part of its proven allowance that an error took: above 1 is a FAIL. "
    "A library's bits change with\n"
    "instruction set and threads, so both are pinned, by the environment that is shown, and the first is "
    "given as the library itself names it.\n\n";

std::string input_text(std::string_view regime, std::string_view id, std::int64_t n) {
  return fmt::format("{}, n {}{}", regime, n, regime.starts_with("corpus/") ? fmt::format(", {}", id) : "");
}

std::string verdict_cell(const PeerEntry& e, const Tally& total) {
  if (!e.unexpected.empty()) return fmt::format("**{}, unexpected**", worst_verdict(total));
  if (e.entry.all_findings() == 0) return std::string(worst_verdict(total));
  return fmt::format("{}, as known: {} of {}", worst_verdict(total), total.findings(), total.cases);
}

std::string row_text(const PeerEntry& e) {
  const Tally t = e.entry.total();
  const LargestError& ulp = t.largest_finite;
  std::string largest = "-", where = "-", normwise = "-", normwise_where = "-";
  if (ulp.ulp >= 0) {
    largest = fmt::format("{}{}", short_number(ulp.ulp), std::isinf(t.largest.ulp) ? "; NaN or inf" : "");
    where = fmt::format("{}, kappa {}", input_text(ulp.regime, ulp.case_id, ulp.n), short_number(ulp.kappa));
  }
  if (t.normwise.u >= 0) {
    normwise = short_number(t.normwise.u);
    normwise_where = input_text(t.normwise.regime, t.normwise.case_id, t.normwise.n);
  }
  const std::int64_t unsupported = t.of(Verdict::unsupported);
  return fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", e.entry.row->name,
                     version_of(*e.entry.row), dtype_name(e.entry.dtype), grouped(t.cases),
                     unsupported == 0 ? "-" : grouped(unsupported), verdict_cell(e, t), largest, where,
                     normwise, normwise_where, short_number(t.max_share_of_bound),
                     percent(t.counts.proved, t.counts.elements));
}

/// A line each, the peers of one text once.
std::string notes_text(const PeersData& data) {
  std::string out = "## What each is\n\n";
  const Peer* last = nullptr;
  for (const PeerEntry& e : data.entries) {
    if (e.peer == last) continue;
    last = e.peer;
    out += fmt::format("- **{}** ({} {}): {}. Pinned by `{}`.\n", e.peer->name, e.peer->packages,
                       e.peer->version, e.peer->about, fmt::join(peer_environment(*e.peer), " "));
    for (const KnownFault& fault : e.peer->known) {
      out += fmt::format("  Known to fail ({}{}{}): {}.\n", fault.dtypes, fault.regimes.empty() ? "" : "; ",
                         fault.regimes, fault.reason);
    }
  }
  for (const PeerEntry& e : data.entries) {
    for (const std::string& what : e.unexpected)
      out += fmt::format("- **unexpected**: {} {}: {}\n", e.peer->name, dtype_name(e.entry.dtype), what);
  }
  return out;
}

/// What replay takes to show a largest error again: a file of the corpus, or the name that makes the case.
void put_input(Json& total, const char* name, const std::shared_ptr<const Case>& source,
               const SweepPlan& plan) {
  if (!source || !total.contains(name) || !total[name].is_object()) return;
  const auto known = std::find_if(plan.corpus.begin(), plan.corpus.end(),
                                  [&](const CorpusCase& c) { return c.problem.id == source->id; });
  std::string input;
  if (known != plan.corpus.end()) {
    input = "corpus/" + known->file;
  } else if (const auto recipe = recipe_of(*source, format_case(*source))) {
    input = recipe->name();
  }
  if (!input.empty()) total[name]["input"] = input;
}

}  // namespace

std::string_view worst_verdict(const Tally& total) {
  for (const Verdict v : {Verdict::crash, Verdict::timeout, Verdict::fail, Verdict::suspect, Verdict::pass}) {
    if (total.of(v) > 0) return verdict_name(v);
  }
  return "nothing judged";
}

std::string peers_markdown(const PeersData& data) {
  std::string out(head);
  out +=
      "| library | version | dtype | cases | unsupported | verdict | largest known, ulp | its input | "
      "largest "
      "known, u | its input | share | proved |\n"
      "|---|---|---|--:|--:|---|--:|---|--:|---|--:|--:|\n";
  for (const PeerEntry& e : data.entries) out += row_text(e);
  out += "\n" + notes_text(data);
  if (!data.absent.empty()) {
    out += "\nNot installed where this was made (`normcheck list --peers` says how to install each): ";
    std::vector<std::string_view> names;
    for (const Peer* peer : data.absent) names.push_back(peer->name);
    out += fmt::format("{}.\n", fmt::join(names, ", "));
  }
  out += fmt::format("\n## Where this comes from\n\n`{}`, seed {}\n\n", data.command, data.plan.seed);
  for (const auto& [name, value] : data.run) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

std::string peers_json(const PeersData& data) {
  Json out;
  out["schema"] = "normcheck-peers 1";
  out["command"] = data.command;
  out["seed"] = data.plan.seed;
  out["budget_evaluations"] = data.plan.budget.evaluations;
  out["contract"] = contract_name(data.plan.contract);
  out["entries"] = Json::array();
  Json seconds = Json::object();
  for (const PeerEntry& e : data.entries) {
    Json entry;
    entry["peer"] = e.entry.row->name;
    entry["packages"] = e.peer->packages;
    entry["version"] = version_of(*e.entry.row);
    entry["environment"] = peer_environment(*e.peer);
    entry["about"] = e.peer->about;
    entry["known"] = known_at(*e.peer, e.entry.dtype);
    entry["unexpected"] = e.unexpected;
    Json judged = entry_json(e.entry);
    for (const char* name : {"impl", "expect", "unexpected_findings", "unexpected_passes"})
      judged.erase(name);
    // The whole of them is many times as long: those in which something was found say where.
    Json found = Json::array();
    for (const Json& regime : judged["regimes"]) {
      if (regime["verdicts"].contains("FAIL")) found.push_back(regime);
    }
    judged["regimes"] = found;
    const Tally total = e.entry.total();
    put_input(judged["total"], "largest", total.largest.source, data.plan);
    put_input(judged["total"], "largest_finite", total.largest_finite.source, data.plan);
    put_input(judged["total"], "largest_normwise_finite", total.normwise.source, data.plan);
    entry.update(judged);
    out["entries"].push_back(entry);
    seconds[fmt::format("{} {}", e.entry.row->name, dtype_name(e.entry.dtype))] =
        std::round(e.seconds * 10) / 10;
  }
  out["not_installed"] = Json::array();
  for (const Peer* peer : data.absent)
    out["not_installed"].push_back({{"peer", peer->name}, {"install", install_command(*peer)}});
  Json run;
  for (const auto& [name, value] : data.run) run[name] = value;
  run["seconds_by_entry"] = seconds;
  out["run"] = run;
  return out.dump(1) + "\n";
}

}  // namespace normcheck
