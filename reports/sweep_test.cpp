// A kernel whose calls are slow: less of it is run, and what was not run is said.
#include "reports/sweep.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "reports/probes_text.h"

namespace normcheck {
namespace {

SweepEntry entry_of(double patience) {
  Options options;
  options.command = "check";
  options.names = {std::string(NORMCHECK_PLUGINS) + "/plugin_right.so"};
  options.dtypes = {"f32"};
  options.in_process = true;
  options.regimes = {"unit_normal"};
  SweepPlan plan = make_plan(options, 400);
  EXPECT_GT(plan.patience, 0);
  plan.patience = plan.probes.patience = patience;
  const std::vector<SweepJob> jobs = make_jobs(options);
  return sweep(*jobs.at(0).row, jobs[0].dtype, plan);
}

TEST(Sweep, AFirstVerdictIsSaidOnceTheCorpusIsRun) {
  for (const auto& [name, verdict] :
       {std::pair("right", "no finding in the "), {"divisor", " findings in the "}}) {
    Options options;
    options.command = "check";
    options.names = {fmt::format("{}/plugin_{}.so", NORMCHECK_PLUGINS, name)};
    options.dtypes = {"f32"};
    options.in_process = true;
    SweepPlan plan = make_plan(options, 8);
    ASSERT_FALSE(plan.corpus.empty());
    plan.probes.run = false;
    std::vector<std::string> said;
    plan.first_look = [&](const std::string& text) { said.push_back(text); };
    const std::vector<SweepJob> jobs = make_jobs(options);
    sweep(*jobs.at(0).row, jobs[0].dtype, plan);
    ASSERT_EQ(said.size(), 1U) << name;
    EXPECT_NE(said[0].find(verdict), std::string::npos) << said[0];
    EXPECT_EQ(said[0].find(" 0 cases"), std::string::npos) << said[0];
    fmt::print("{}\n", said[0]);
  }
}

TEST(Sweep, OfASlowKernelLessIsRunAndThatIsSaid) {
  const SweepEntry all = entry_of(1e9), some = entry_of(1e-9);
  EXPECT_GE(all.total().evaluations, 400);
  EXPECT_TRUE(all.notes.empty());
  EXPECT_LT(some.total().evaluations, 400);
  EXPECT_GT(some.total().evaluations, 0) << "one case at least";
  ASSERT_EQ(some.notes.size(), 1U);
  EXPECT_NE(entry_notes(some).find("its calls are slow"), std::string::npos) << entry_notes(some);
  const auto left_out = [](const SweepEntry& e) {
    return std::count_if(e.probes.begin(), e.probes.end(),
                         [](const ProbeTally& t) { return t.left_out.find("slow") != std::string::npos; });
  };
  EXPECT_EQ(left_out(all), 0);
  EXPECT_GT(left_out(some), 10);
  fmt::print("{} evaluations of {}, {} probes left out: {}", some.total().evaluations,
             all.total().evaluations, left_out(some), entry_notes(some));
}

}  // namespace
}  // namespace normcheck
