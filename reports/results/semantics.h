// What a layer norm means by its words: where eps goes, which variance, what it refuses. Observed, not
// believed.
#pragma once

#include <optional>
#include <string>

#include "corpus/dtype.h"
#include "impl/table.h"

namespace normcheck {

/// A sentence each; nothing where it was not run.
struct Semantics {
  std::optional<std::string> eps_place;      ///< "inside the root"
  std::optional<std::string> variance;       ///< "biased: divides by n"
  std::optional<std::string> constant_rows;  ///< what y is on rows of one value
  std::optional<std::string> broadcasting;   ///< of gamma and beta
  std::optional<std::string> rounding;       ///< as the table or its claims say: this one is not observed
  std::optional<std::string> non_finite;     ///< what a NaN or an infinity in a row does
  std::optional<std::string> refusals;       ///< of the calls that are to be refused, those that it accepts
};

/// Runs the row on a few small cases. A kernel from outside is asked what is to be refused only where it
/// claims to refuse it: it might read out of bounds.
Semantics observed_semantics(const Row& row, DType dtype);

}  // namespace normcheck
