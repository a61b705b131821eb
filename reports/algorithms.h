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

/// All of them as text, 100 columns wide.
std::string algorithms_text();

}  // namespace normcheck
