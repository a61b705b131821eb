// Which rows of the table advice chooses among, and what each costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/advice/evaluate.h"

namespace normcheck {

struct Candidate {
  Subject subject;  ///< held to its own bound
  std::int64_t passes = 0;
  /// Operations an element, a division counted as 8 and a pass as 2, in f64 twice as much and in f80 four
  /// times. An order, no time: kernels and machines differ.
  double cost = 0;
  std::string_view counter = {};  ///< why it is shown, and not to be chosen; empty: it may be
};

/// Those for a storage dtype, cheapest first; of equal cost in the order of the table: the usual algorithms
/// with f32 sums (f64 for f64), the cheap ones with sums of the next wider type, folded two_pass, and for
/// halves two_pass with sums in the half itself.
std::vector<Candidate> candidates(DType storage);

/// What an algorithm's bound comes to, to first order, on all rows of n numbers with a condition number up to
/// kappa: in units of the spread, sqrt(var).
struct ClosedForm {
  std::string mean_text;      ///< "n u kappa = 4096 * 6e-8 * 50 = 0.0122"
  double mean = 0;            ///< |mean^ - mean| / sqrt(var)
  std::string variance_text;  ///< likewise of |var^/var - 1|
  double variance = 0;
};
/// Nothing for algorithms whose bound is a recursion over the row. Not rounded up: first order.
std::optional<ClosedForm> closed_form(const Row& row, std::int64_t n, double kappa);

}  // namespace normcheck
