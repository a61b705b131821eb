// What a tolerance is worth: the smallest that no right kernel fails, and the known mistakes that it lets
// through.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reports/advice/rows.h"

namespace normcheck {

struct TolerancePlan {
  Setting setting;
  std::vector<Case> data;      ///< a user's rows, run in place of made ones; their dtype is the setting's
  std::optional<Subject> ref;  ///< what outputs are compared with; absent: the exact y
  std::optional<double> atol, rtol;  ///< a tolerance to be weighed; where one is given the other is 0
};

/// |got - expected| <= atol + rtol |expected| for every element, as in torch.testing.assert_close.
struct Tolerance {
  double atol = 0, rtol = 0;
};

/// A kernel on all rows. Indices are those of Weighed::rtols.
struct Compared {
  std::string name, kind;      ///< kind: of a mistake
  bool right = false;          ///< a row of the table; else a known mistake
  std::vector<double> needed;  ///< the smallest atol that what it gave here passes
  std::vector<double> proven;  ///< of a right row: the smallest that it is proven to pass; infinite: none
  std::int64_t void_rows = 0;
  bool off = false;  ///< on some row off by more than twice what any right row is
};

/// A tolerance, and what it does on these rows.
struct Verdicts {
  std::string label;  ///< "proven", "known", "yours"
  Tolerance tolerance;
  std::vector<const Compared*> false_alarms;  ///< right rows that fail it
  std::vector<const Compared*> unproven;      ///< right rows that pass it here, not proven to
  std::vector<const Compared*> let_through;   ///< mistakes that are off, and pass it
  bool too_tight() const { return !false_alarms.empty(); }
};

struct Weighed {
  TolerancePlan plan;
  std::int64_t rows = 0;
  std::vector<double> rtols;      ///< 0, that of torch.testing for the dtype, and the one given
  std::vector<Compared> kernels;  ///< right rows, then mistakes
  std::int64_t right = 0, off = 0, not_off = 0, not_run = 0;
  std::vector<Verdicts> lines;
  std::vector<Verdicts>
      curve;  ///< atol by decades, rtol 0: from where all right rows fail to where none does
  const Compared* widest = nullptr;  ///< the right row whose bound is the largest
  /// Whether the tolerance that was asked about fails a right row.
  bool too_tight() const { return lines.size() > 4 && lines[4].too_tight(); }
};

/// Right rows of the table that offer the dtype, and the mistakes of impl/defects that do and run in a
/// process with others, on the data, or on advice_rows with gamma from 0.5 to 1.5 and beta from -0.5 to 0.5.
/// InputError where no such row exists.
Weighed weigh_tolerance(TolerancePlan plan);
/// Two digits, not below the value.
double round_up(double value);
std::string tolerance_text(const Weighed& w);

}  // namespace normcheck
