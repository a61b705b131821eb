// Renders what was found of the known mistakes, and by whom.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "reports/detection.h"
#include "reports/numbers.h"

namespace normcheck {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view head =
    "# Known mistakes: which are found, by what, and when\n\n"
    "Each row is a public report of a forward layer norm, or of its mean and variance, made again as a "
    "kernel of "
    "ours\n(`normcheck list --defects`; all {} reports of the list are in `impl/defects/accounted.tsv`, with "
    "those that are backward or no kernel).\n`check` holds each to the contract of its right twin, up to its "
    "first finding, from seeds {}. *With the corpus* begins with the\ncases in `corpus/`, many of which come "
    "from these very reports; *without* leaves all of the corpus out: generated cases and probes alone.\n"
    "*Rows* are those given to the kernel, over its dtypes up to the one named, until it was found (the "
    "median "
    "over the seeds).\n\n";

std::vector<const Detected*> of_defect(const DetectionData& data, const Defect& defect, bool corpus) {
  std::vector<const Detected*> out;
  for (const Detected& d : data.detected) {
    if (d.defect == &defect && d.with_corpus == corpus) out.push_back(&d);
  }
  return out;
}

template <class Of>
double median(std::vector<const Detected*> of, Of value) {
  if (of.empty()) return 0;
  std::vector<double> values;
  for (const Detected* d : of) values.push_back(value(*d));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

std::int64_t caught(const DetectionData& data, bool corpus) {
  std::int64_t out = 0;
  for (const Defect* defect : data.defects) {
    const auto all = of_defect(data, *defect, corpus);
    out += std::all_of(all.begin(), all.end(), [](const Detected* d) { return d->found; }) ? 1 : 0;
  }
  return out;
}

std::string cell(const Detected& d) {
  if (!d.found) return "**missed**";
  return fmt::format("{} {}, {}", dtype_name(d.dtype), verdict_name(d.verdict), d.where);
}

std::vector<bool> in_union(const DetectionData& data) {
  std::vector<bool> out(data.defects.size());
  for (const auto& test : data.by_test) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] || test[i];
  }
  return out;
}
std::int64_t count(const std::vector<bool>& all) { return std::count(all.begin(), all.end(), true); }

std::string tests_table(const DetectionData& data) {
  std::string out =
      "\n## The same mistakes under what others test with\n\nTheir shapes, data and tolerances as published; "
      "each "
      "answer is compared with the exact result, correctly rounded, which is more than most of them do. A "
      "test "
      "that does not do a mistake's dtype does not show it. *Right* says how many of the right "
      "implementations "
      "of ours the test passes: one that fails them shows nothing.\n\n| test | shows, of " +
      std::to_string(data.defects.size()) + " | right | what it is |\n|---|--:|--:|---|\n";
  for (std::size_t t = 0; t < common_tests().size(); ++t) {
    const CommonTest& test = common_tests()[t];
    if (test.huge && !data.huge) continue;  // not run
    out += fmt::format("| [{}]({}) | {} | {} of {} | {} |\n", test.name, test.source, count(data.by_test[t]),
                       static_cast<std::int64_t>(data.right.size()) - count(data.right_by_test[t]),
                       data.right.size(), test.what);
  }
  const std::vector<bool> all = in_union(data);
  out += fmt::format(
      "| all of them together | {} | | |\n| normcheck, with the corpus | {} | | |\n| normcheck, without "
      "it | {} | | |\n\nShown by none of them: ",
      count(all), caught(data, true), caught(data, false));
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i]) out += fmt::format("{} ", data.defects[i]->id);
  }
  return out + "\n";
}

}  // namespace

std::string detection_markdown(const DetectionData& data) {
  std::string seeds;
  for (const std::uint64_t seed : data.seeds) seeds += fmt::format("{}{}", seeds.empty() ? "" : ", ", seed);
  std::string out = fmt::format(fmt::runtime(head), NORMCHECK_ACCOUNTED_REPORTS, seeds);
  std::vector<const Detected*> all;
  for (const Detected& d : data.detected) all.push_back(&d);
  out += fmt::format(
      "**{} of {}** are found from every seed with the corpus, **{} of {}** without it. Median time {:.0f} "
      "ms; all of "
      "it took {:.0f} s.\n\n| report | kind | contract | with the corpus | rows | without | rows "
      "|\n|---|---|---|---|--:|---|--:|\n",
      caught(data, true), data.defects.size(), caught(data, false), data.defects.size(),
      1000 * median(all, [](const Detected& d) { return d.seconds; }), data.seconds);
  for (const Defect* defect : data.defects) {
    const auto with = of_defect(data, *defect, true), without = of_defect(data, *defect, false);
    const auto rows = [](const Detected& d) { return static_cast<double>(d.evaluations); };
    // Where a seed missed it, that is what is shown.
    const auto shown = [](const std::vector<const Detected*>& of) {
      const auto at = std::find_if(of.begin(), of.end(), [](const Detected* d) { return !d->found; });
      return at == of.end() ? of.front() : *at;
    };
    out += fmt::format("| [{}]({}) | {}: {} | {} | {} | {} | {} | {} |\n", defect->id, defect->url,
                       defect->kind, defect->does, defect->right == nullptr ? "stable" : defect->right,
                       cell(*shown(with)), grouped(static_cast<std::int64_t>(median(with, rows))),
                       cell(*shown(without)), grouped(static_cast<std::int64_t>(median(without, rows))));
  }
  out += tests_table(data);
  out += fmt::format("\n## Where this comes from\n\n`{}`\n\n", data.command);
  for (const auto& [name, value] : data.run) out += fmt::format("- {}: {}\n", name, value);
  return out;
}

std::string detection_json(const DetectionData& data) {
  Json out;
  out["schema"] = "normcheck-detection 1";
  out["command"] = data.command;
  out["seeds"] = data.seeds;
  out["budget_evaluations"] = data.budget;
  out["defects"] = data.defects.size();
  out["caught_with_corpus"] = caught(data, true);
  out["caught_without_corpus"] = caught(data, false);
  out["detected"] = Json::array();
  Json seconds = Json::array();
  for (const Detected& d : data.detected) {
    out["detected"].push_back({{"report", d.defect->id},
                               {"url", d.defect->url},
                               {"kind", d.defect->kind},
                               {"contract", d.defect->right == nullptr ? "stable" : d.defect->right},
                               {"seed", d.seed},
                               {"corpus", d.with_corpus},
                               {"found", d.found},
                               {"dtype", dtype_name(d.dtype)},
                               {"where", d.where},
                               {"verdict", verdict_name(d.verdict)},
                               {"reason", d.reason},
                               {"cause", d.cause},
                               {"evaluations", d.evaluations}});
    seconds.push_back(std::round(d.seconds * 1000) / 1000);
  }
  out["tests"] = Json::array();
  for (std::size_t t = 0; t < common_tests().size(); ++t) {
    const CommonTest& test = common_tests()[t];
    if (test.huge && !data.huge) continue;  // not run
    Json shows = Json::array(), fails = Json::array();
    for (std::size_t i = 0; i < data.defects.size(); ++i) {
      if (data.by_test[t][i]) shows.push_back(data.defects[i]->id);
    }
    for (std::size_t i = 0; i < data.right.size(); ++i) {
      if (data.right_by_test[t][i]) fails.push_back(data.right[i]);
    }
    out["tests"].push_back({{"name", test.name},
                            {"what", test.what},
                            {"source", test.source},
                            {"shows", shows},
                            {"fails_right", fails}});
  }
  out["shown_by_any"] = count(in_union(data));
  Json run;
  for (const auto& [name, value] : data.run) run[name] = value;
  run["seconds"] = std::round(data.seconds * 10) / 10;
  run["seconds_by_detection"] = seconds;
  out["run"] = run;
  return out.dump(1) + "\n";
}

}  // namespace normcheck
