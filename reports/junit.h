// The results of a check as JUnit XML, which CI servers show as tests.
#pragma once

#include <string>
#include <vector>

#include "reports/check_baseline.h"
#include "reports/sweep.h"

namespace normcheck {

/// A test by itself. `failure`, where it failed, is of what kind; `skipped`, where it was, says why.
struct JUnitTest {
  std::string name, failure, message, text, skipped;
};

struct JUnitSuite {
  std::string name;
  std::vector<JUnitTest> tests;
};

/// One suite of these tests.
std::string junit_xml(const std::string& suite, const std::vector<JUnitTest>& tests);
/// Several, under a name for all.
std::string junit_xml(const std::string& name, const std::vector<JUnitSuite>& suites);

/// A suite for each implementation and dtype, a test for each regime or group of the corpus. A test with a
/// finding is a failure with the block of its worst; one that a baseline accepts, or, with a baseline, the
/// table expects, is skipped and says so, as is one where nothing was judged. What a baseline has against its
/// own entries is a suite of its own. `baseline` may be null. No times, so that the same results give the
/// same bytes.
std::string junit_xml(const std::vector<SweepEntry>& entries, const BaselineResult* baseline,
                      const std::vector<BaselineEntry>& list);

}  // namespace normcheck
