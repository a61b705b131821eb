// Which known mistake explains an output that is wrong: evidence for a person, never a verdict.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/case.h"
#include "impl/observation.h"
#include "oracles/contract.h"

namespace normcheck {

/// A hypothesis that fits what came out.
struct Explanation {
  std::string name;         ///< "eps outside the root: sqrt(var) + eps"
  std::string detail;       ///< what more was seen: ", clamped at 0"
  bool convention = false;  ///< another function that is in use on purpose
  std::int64_t explained = 0;
  std::int64_t elements = 0;  ///< that were looked at: at most 256 of a row, of at most 8 rows
  std::string group{};        ///< what it has in common with explanations of other cases; empty: the name
  std::string kind{};         ///< likewise, of many groups
  int bits = 0;               ///< of a coarse root: to how many it is good; else 0
};

/// What explains y (never a right output: the exact formula comes first), best first; empty if nothing does.
///
/// A formula (hypotheses.h) fits where 19 of 20 elements lie as near to it as the contract allows a careful
/// kernel to lie to the exact y, in proportion to their sizes, and at most a quarter as far, in the root mean
/// square, as from the exact y; a 32nd as far where a number in it was chosen to fit, or where elements lie
/// not that near, but a 16th as far as from the exact y. Of several the nearest comes first, with those
/// behind it that are no more than twice as far. A rounding fits where y is an affine function of x, row by
/// row, whose mean and variance lie within the proven bound of that rounding (one-pass variance, sums in a
/// narrower type) and, but where the output is wrong in f32 or f64, not within the contract's: by its bound,
/// never by bits. A slope that no bound explains is a coarse root, of so many bits. The multiples of rounding
/// in all this weigh evidence; they are no tolerance of a verdict.
std::vector<Explanation> diagnose(const Case& c, const Observation& observed, const Contract& contract);

/// Likewise of mean and rstd, where they were asked for: another statistic in the place of one, or one of
/// another definition. A statistic that keeps its contract is not looked at.
std::vector<Explanation> diagnose_statistics(const Case& c, const Observation& observed,
                                             const Contract& contract);

/// "one-pass variance explains 4 of 4 elements".
std::string explanation_text(const std::vector<Explanation>& explanations);

}  // namespace normcheck
