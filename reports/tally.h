// What is counted over many judged cases: verdicts, how elements were settled, the largest error.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>

#include "corpus/case.h"
#include "oracles/judge.h"

namespace normcheck {

/// The largest error of y, in ulp, with what stood beside it.
struct LargestError {
  double ulp = -1;  ///< below 0: none was judged
  double allowed_ulp = std::numeric_limits<double>::quiet_NaN();
  double kappa = 0;
  std::int64_t n = 0;
  std::string regime;
  std::string case_id;
  std::shared_ptr<const Case> source{};  ///< the case, where the tally keeps its cases
};

/// The largest finite normwise error of y, in u*(|gamma*x_hat|+|beta|).
struct LargestNormwise {
  double u = -1;  ///< below 0: none
  std::int64_t n = 0;
  std::string regime;
  std::string case_id;
  std::shared_ptr<const Case> source{};
};

/// What was counted over the cases of one regime.
struct Tally {
  std::string regime;
  bool keeps_cases = false;
  std::int64_t cases = 0;
  std::int64_t evaluations = 0;
  std::array<std::int64_t, 10> verdicts{};  ///< by Verdict, in cases
  ElementCounts counts{};
  std::int64_t judged = 0;
  std::int64_t not_correctly_rounded = 0;
  double max_share_of_bound = 0;
  ErrorSketch sketch{};           ///< of |error| of the judged elements of y
  LargestError largest{};         ///< NaN and wrong infinities included
  LargestError largest_finite{};  ///< of cases in which every error was finite
  LargestNormwise normwise{};     ///< likewise; infinite where y was to be exactly 0, and those are left out
  std::map<std::string, std::int64_t> out_of_range{};  ///< cases outside the safe range, by what came out
  std::map<std::string, std::int64_t> notes{};
  std::int64_t of(Verdict v) const { return verdicts[static_cast<std::size_t>(v)]; }
  std::int64_t findings() const;
  /// The worst of the verdicts that rank; of cases that none of them was given, the most frequent.
  Verdict worst() const;
  /// Counts one judged case.
  void count(const Judgement& judgement, const Case& c);
  /// Adds what another counted; `regime` stays.
  void add(const Tally& other);
};

}  // namespace normcheck
