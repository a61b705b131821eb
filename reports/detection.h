// Every known mistake of impl/defects under check and under what others test with: which finds it, and when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "impl/defects/defect.h"
#include "oracles/judge.h"
#include "reports/common_tests.h"
#include "reports/options.h"

namespace normcheck {

struct SweepPlan;

/// One mistake, one seed, `check` up to its first finding.
struct Detected {
  const Defect* defect = nullptr;
  std::uint64_t seed = 0;
  bool with_corpus = false;  ///< else generated cases and probes alone
  bool found = false;
  DType dtype = DType::f32;  ///< the first in which it was found
  std::string where;         ///< "regime large_mean", "probe dims", "corpus/public"
  Verdict verdict = Verdict::pass;
  std::string reason;            ///< of a finding without a number
  std::string cause;             ///< the mistake that explains it; empty where none does
  std::int64_t evaluations = 0;  ///< rows, over its dtypes up to that one, until it was found
  double seconds = 0;
};

struct DetectionData {
  std::vector<std::uint64_t> seeds;
  std::int64_t budget = 0;
  std::string command;
  bool huge = false;               ///< those of the tests that take long were run too
  std::vector<Detected> detected;  ///< by defect, then corpus or not, then seed
  /// by_test[t][d]: whether common_tests()[t] shows defects[d].
  std::vector<const Defect*> defects;
  std::vector<std::vector<bool>> by_test;
  /// Likewise of right layer norms, by name: a test that fails one proves nothing.
  std::vector<std::string> right;
  std::vector<std::vector<bool>> right_by_test;
  std::vector<std::pair<std::string, std::string>> run;  ///< provenance
  double seconds = 0;
};

/// What `check` is to do with each, up to its first finding, at the seed and budget of the options.
SweepPlan detection_plan(const Options& options, bool with_corpus);
/// One of them under that plan, in the process that it needs.
Detected detect_one(const Defect& defect, const SweepPlan& plan);
/// The same of a kernel in its place, which its right twin may be.
Detected detect_one(const Defect& defect, const Row& row, const SweepPlan& plan);

/// Runs the defects of these ids (all for none), on all cores. InputError for an id that is none.
DetectionData detect(const Options& options);

/// Those that some seed missed, with the corpus or without: "B200 without the corpus, seed 2".
std::vector<std::string> missed(const DetectionData& data);

std::string detection_markdown(const DetectionData& data);
std::string detection_json(const DetectionData& data);

}  // namespace normcheck
