// The algorithms as a table for people: what each computes, what it costs, how far off it can be.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck {

/// Operations that one more element costs, of mean and variance together (the finish not among them).
struct ElementCost {
  double adds = 0;  ///< + and -
  double multiplies = 0;
  double divides = 0;
  double compares = 0;
};

struct AlgorithmSummary {
  std::string_view name;
  std::string_view formula, first_order_mean, first_order_variance, derivation;
  std::vector<DType> accumulates;  ///< of the rows of the table, in its order
  std::int64_t rows = 0;           ///< of the table, all variants and builds
  std::int64_t passes = 0;
  ElementCost cost;
};

/// The lengths at which the operations are counted; a cost is the difference over the difference.
inline constexpr std::int64_t cost_length = 4096, cost_length_2 = 8192;

/// One of each name, in the order of impl/algorithms/all.h.
std::vector<AlgorithmSummary> algorithm_summaries();

/// "2 passes; an element 3 additions, 1 multiplication".
std::string cost_text(const AlgorithmSummary& algorithm);

/// What the letters of the first-order forms mean.
inline constexpr std::string_view first_order_legend =
    "mean and variance: at most how far off, to first order; the proven bound, with every term, is "
    "evaluated on each row of data (normcheck check IMPL --contract own). u: unit roundoff of the "
    "accumulate type (2^-24 in f32). mu, V: the exact mean and variance. mean(..): the average over the "
    "row. D = mean|x-mu|. E: the bound of the mean. h: height of the summation tree. An index: after so "
    "many elements, or of a part.";

/// All of them as text, 100 columns wide.
std::string algorithms_text();

}  // namespace normcheck
