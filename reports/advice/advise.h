// Which algorithm to use: what is proven of each candidate, the largest error known, and that on a user's
// data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/advice/candidates.h"
#include "reports/advice/measure_dump.h"
#include "reports/advice/rows.h"

namespace normcheck {

/// The largest error that will do: in ulp of a row's largest |y|, or absolute. By default one ulp beside the
/// half that rounding y to its dtype costs.
struct Limit {
  double value = 1.5;
  bool in_ulp = true;
  double of_error(const Evaluated& e) const { return in_ulp ? e.error_ulp : e.error_abs; }
  double of_bound(const Evaluated& e) const { return in_ulp ? e.bound_ulp : e.bound_abs; }
  bool proven(const Evaluated& e) const { return e.proven() && of_bound(e) <= value; }
  std::string text() const;  ///< "1 ulp of max|y|", "1e-3"
};

struct AdvicePlan {
  Setting setting;
  std::optional<Limit> limit;  ///< absent: Limit{}
  std::int64_t passes = 0;     ///< at most; 0: any
  std::vector<LayerMeasure> layers;
};

struct Advised {
  Candidate candidate;
  Evaluated built;                ///< on advice_rows and searched_rows
  std::optional<Evaluated> mine;  ///< on the rows of the user's data that were run
  bool allowed = true;            ///< by the number of passes
  bool proven(const Limit& limit) const {
    return limit.proven(built) && (!mine || mine->rows == 0 || limit.proven(*mine));
  }
};

/// Where the bound of a candidate ceases to help, by bounds alone, on few_rows; 0: not reached.
struct Breaks {
  double kappa_over = 0;     ///< from about this kappa its bound is above the limit, at this n
  double kappa_void = 0;     ///< ... or there is none
  std::int64_t n_over = 0;   ///< from about this n, at this kappa
  std::int64_t n_tried = 0;  ///< the longest row tried
};
Breaks breaks_of(const Subject& subject, const Setting& setting, const Limit& limit);

struct Advice {
  AdvicePlan plan;
  Limit limit;
  std::vector<Advised> table;  ///< cheapest first
  std::int64_t rows = 0, searched = 0, mine_rows = 0;
  int use = -1;       ///< the cheapest that is proven to keep the limit, on the user's data too
  int sharpest = -1;  ///< the smallest proven bound among sums of the natural type
  int steady = -1;    ///< where `use` is no right row of the table: the cheapest proven one that is
  int known = -1;     ///< where `use` is none: the cheapest whose largest known error keeps it
  std::optional<Breaks> use_breaks, naive_breaks;
};

/// Runs everything; InputError where no row of that n and kappa exists in the dtype.
Advice advise(AdvicePlan plan);

/// As text of 100 columns, ending in a sentence that says what to use.
std::string advice_text(const Advice& advice);

}  // namespace normcheck
