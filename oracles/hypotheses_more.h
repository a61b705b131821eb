// The parts of the list of hypotheses that have a source of their own.
#pragma once

#include <vector>

#include "oracles/hypotheses.h"

namespace normcheck {

/// y itself: x, another row's, of another sign or scale, a tail that is not written, absent parameters.
void add_output_hypotheses(std::vector<Hypothesis>& out);
/// y or x_hat in a type of fewer digits on the way, or not rounded to nearest.
void add_rounding_hypotheses(std::vector<Hypothesis>& out);
/// Recurrences and merges of moments that lack a factor or a term, and other measures of spread.
void add_moment_hypotheses(std::vector<Hypothesis>& out);

/// Statistics of chunks of a row that are put together wrongly.
void add_chunk_hypotheses(std::vector<Hypothesis>& out);
/// Parameters read as another type, subnormal numbers as 0.
void add_read_hypotheses(std::vector<Hypothesis>& out);

}  // namespace normcheck
