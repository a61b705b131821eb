// The known mistakes that no case shows: the probe that is named does, and says nothing of a right twin.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "impl/defects/by_probe.h"
#include "impl/plugin/worker_main.h"
#include "reports/detection.h"
#include "reports/plugins.h"
#include "reports/probes.h"
#include "reports/sweep.h"

namespace normcheck {
namespace {

/// One of the kernels, defects and right twins, of this process.
const Row& row_of(std::string_view name) {
  static const OpenedPlugin opened = [] {
    Options options;
    options.in_process = true;
    OpenedPlugin out;
    open_into(out, std::string(defect_prefix), options);
    return out;
  }();
  const auto at = std::find_if(opened.rows.begin(), opened.rows.end(), [&](const Row& row) {
    return row.name == fmt::format("{}{}", defect_prefix, name);
  });
  if (at == opened.rows.end()) throw std::runtime_error(fmt::format("no kernel {}", name));
  return *at;
}

/// What the probe alone finds of a kernel, in the dtypes of the defect.
std::int64_t found_by(std::string_view name, const Row& row, const Defect& defect) {
  const Probe* wanted = probes_named({std::string(name)}).front();
  ProbePlan plan;
  plan.run = true;
  // A watch makes no calls: it looks at those of another.
  const std::string_view runs = wanted->watch ? "row_counts" : name;
  for (const Probe& probe : probes()) {
    if (probe.name != runs && !probe.watch) plan.skipped.push_back(&probe);
  }
  std::int64_t found = 0;
  for (const DType dtype : defect.dtypes) {
    const ProbeResults results = run_probes(row, dtype, contract_of(row, "stable"), plan, false);
    for (const ProbeTally& tally : results.tallies) {
      if (tally.probe == wanted) found += tally.findings + tally.seen;
    }
  }
  return found;
}

TEST(Defects, WhatNoCaseShowsTheNamedProbeShowsAndItSaysNothingOfARightTwin) {
  int told = 0;
  for (const ShownByProbe& s : shown_by_probe) {
    const Defect* defect = find_defect(s.id);
    ASSERT_NE(defect, nullptr) << s.id;
    ASSERT_FALSE(defect->own_process) << s.id;
    if (s.probe.empty()) continue;  // the next test
    EXPECT_GT(found_by(s.probe, row_of(s.id), *defect), 0) << s.id << ": not detected by " << s.probe;
    EXPECT_EQ(found_by(s.probe, row_of(twin_name(*defect)), *defect), 0)
        << s.probe << " of the right twin of " << s.id;
    ++told;
  }
  fmt::print("{} told from their right twins by the probe that is named\n", told);
}

SweepPlan small_plan() {
  Options options;
  options.command = "check";
  options.budget = Budget{.evaluations = 400};
  return detection_plan(options, false);
}

TEST(Defects, WhatACaseShowsInAProcessOfItsOwnAloneIsDetected) {
  int told = 0;
  for (const Defect& d : defects()) {
    const bool generated = std::any_of(std::begin(shown_by_probe), std::end(shown_by_probe),
                                       [&](const auto& s) { return s.id == d.id && s.probe.empty(); });
    if (!d.own_process && !generated) continue;
    const Detected found = detect_one(d, small_plan());
    EXPECT_TRUE(found.found) << d.id;
    fmt::print("{}: {} {} {}\n", d.id, verdict_name(found.verdict), found.where, found.reason);
    ++told;
  }
  fmt::print("{} detected, in a process of their own where they need one\n", told);
}

// The miss that is planted: a right kernel under the name of a mistake.
TEST(Defects, ARightKernelInPlaceOfAMistakeIsSaidToBeMissed) {
  const Defect* defect = find_defect("B059");
  DetectionData data;
  data.defects = {defect};
  data.seeds = {1};
  data.by_test.assign(common_tests().size(), {false});
  data.right_by_test.resize(common_tests().size());
  const Detected without = detect_one(*defect, row_of(twin_name(*defect)), small_plan());
  EXPECT_FALSE(without.found) << without.where;
  Detected with = without;  // a table has both
  with.with_corpus = true;
  data.detected = {with, without};
  EXPECT_EQ(missed(data),
            (std::vector<std::string>{"B059 with the corpus, seed 1", "B059 without the corpus, seed 1"}));
  EXPECT_NE(detection_markdown(data).find("**missed**"), std::string::npos);
  EXPECT_NE(detection_json(data).find("\"found\": false"), std::string::npos);
  EXPECT_EQ(found_by("padded_rows", row_of(twin_name(*defect)), *defect), 0);
}

}  // namespace
}  // namespace normcheck

int main(int argc, char** argv) {
  // A worker around a kernel is this program too.
  if (argc > 1 && std::string_view(argv[1]) == normcheck::plugin_worker_word)
    return normcheck::plugin_worker_main(argc - 2, argv + 2, normcheck::defects_plugin);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
