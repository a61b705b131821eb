// Cuts published results to what is shown of them.
#include "reports/results/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "reports/results/json.h"

namespace normcheck {
namespace {

Json parsed(const std::filesystem::path& file) {
  if (!std::filesystem::exists(file)) return nullptr;
  Json out = Json::parse(read_file(file), nullptr, false);
  if (out.is_discarded()) throw InputError(fmt::format("{}: is not JSON", file.string()));
  return out;
}

/// A command as it is typed at the root of a checkout.
std::string at_root(const std::string& command) {
  constexpr std::string_view bare = "normcheck ";
  return command.starts_with(bare) ? fmt::format("{} {}", built_command, command.substr(bare.size()))
                                   : command;
}

/// Gives a largest error the command that shows it again, where its input is known.
void put_command(Json& largest, const std::string& peer) {
  const std::string input = largest.is_object() ? largest.value("input", "") : "";
  if (!input.empty()) largest["command"] = replay_line(built_command, replay_arguments(input, peer));
}

/// What of `from` has these names, in this order.
Json part(const Json& from, std::initializer_list<const char*> names) {
  Json out = Json::object();
  for (const char* name : names) {
    if (from.contains(name)) out[name] = from[name];
  }
  return out;
}

Json run_part(const Json& from) {
  return from.contains("run")
             ? part(from["run"], {"version", "compiler", "instruction_set", "processor", "finished"})
             : Json();
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::optional<std::filesystem::path> find_published() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  for (const std::filesystem::path& folder :
       {std::filesystem::path(NORMCHECK_SOURCE_PUBLISHED),
        self.parent_path().parent_path() / "share" / "normcheck" / "published"}) {
    if (std::filesystem::is_directory(folder, error)) return folder;
  }
  return std::nullopt;
}

Json published_peers(const std::filesystem::path& folder) {
  const Json all = parsed(folder / "peers.json");
  if (!all.is_object() || !all.contains("entries")) return nullptr;
  Json out = part(all, {"command", "contract", "seed", "budget_evaluations"});
  out["command"] = at_root(out.value("command", ""));
  out["source"] = "reports/published/peers.json";
  out["entries"] = Json::array();
  for (const Json& entry : all["entries"]) {
    Json cut = part(entry, {"peer", "version", "environment", "about", "known", "unexpected", "dtype"});
    if (entry.contains("total"))
      cut["total"] = part(entry["total"], {"cases", "evaluations", "verdicts", "elements", "largest_finite",
                                           "largest", "largest_normwise_finite", "largest_share_of_bound"});
    for (const char* name : {"largest_finite", "largest", "largest_normwise_finite"}) {
      if (cut.contains("total") && cut["total"].contains(name))
        put_command(cut["total"][name], cut.value("peer", ""));
    }
    out["entries"].push_back(cut);
  }
  if (all.contains("not_installed")) out["not_installed"] = all["not_installed"];
  out["run"] = run_part(all);
  return out;
}

Json published_detection(const std::filesystem::path& folder) {
  const Json all = parsed(folder / "detection.json");
  if (!all.is_object() || !all.contains("detected")) return nullptr;
  Json out = part(all, {"command"});
  out["command"] = at_root(out.value("command", ""));
  out["source"] = "reports/published/detection.json";
  std::int64_t caught = 0;
  std::vector<std::pair<std::string, Json>> classes;
  std::vector<std::string> reports;
  for (const Json& run : all["detected"]) {
    const bool found = run.value("found", false);
    const std::string kind = run.value("kind", "");
    caught += found ? 1 : 0;
    auto at = std::find_if(classes.begin(), classes.end(), [&](const auto& c) { return c.first == kind; });
    if (at == classes.end()) {
      classes.emplace_back(kind, Json{{"kind", kind}, {"mistakes", 0}, {"runs", 0}, {"caught", 0}});
      at = classes.end() - 1;
    }
    const std::string report = run.value("report", "");
    if (std::find(reports.begin(), reports.end(), report) == reports.end()) {
      reports.push_back(report);
      at->second["mistakes"] = at->second["mistakes"].get<std::int64_t>() + 1;
    }
    at->second["runs"] = at->second["runs"].get<std::int64_t>() + 1;
    at->second["caught"] = at->second["caught"].get<std::int64_t>() + (found ? 1 : 0);
  }
  out["mistakes"] = reports.size();
  out["caught"] = caught;
  out["runs"] = all["detected"].size();
  out["median_ms"] = nullptr;
  if (all.contains("run") && all["run"].contains("seconds_by_detection"))
    out["median_ms"] = 1000 * median(all["run"]["seconds_by_detection"].get<std::vector<double>>());
  out["by_class"] = Json::array();
  for (const auto& [kind, counts] : classes) out["by_class"].push_back(counts);
  out["others"] = Json::array();
  for (const Json& test : all.value("tests", Json::array())) {
    Json other = part(test, {"name", "what", "source"});
    other["shows"] = test.value("shows", Json::array()).size();
    other["of"] = reports.size();
    other["fails_right"] = test.value("fails_right", Json::array());
    out["others"].push_back(other);
  }
  out["run"] = run_part(all);
  return out;
}

}  // namespace normcheck
