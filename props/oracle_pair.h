// Draws problems for the two oracles and compares what they say of one value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "oracles/exact.h"
#include "oracles/wide.h"

namespace normcheck {

/// The next pattern in the order of the numbers (+0 and -0 are one step).
std::uint64_t step(DType dtype, std::uint64_t bits, int by);

struct Problem {
  std::vector<double> x;
  double eps = 0;
  double gamma = 1;
  double beta = 0;
};

/// Rows of eight kinds: normal, far from 0, any patterns, neighbours, subnormal, small integers, one
/// outlier, +-c about an offset.
Problem draw_problem(CounterRng& rng, DType dtype);

struct Met {
  int elements = 0, ties = 0, differ_on_ties = 0, hits = 0, cancelled = 0, overflowed = 0, subnormal = 0;
  int errors = 0, edges = 0;
};

/// What the two oracles say of one value: empty, or the first disagreement that no tie excuses. Errors must
/// agree to the 2^-50 that ExactValue::error_ulp promises; at a power of two, just below which ulps halve,
/// the wide one may be twice as large; of an exact hit the wide oracle, which chooses its digits with 64 bits
/// to spare, may see less than 2^-60 ulp.
std::string disagreement(const ExactValue& exact, const WideValue& wide, DType dtype, Met& met);

/// What must hold of the exact oracle alone: the rounded result is the nearest pattern, and the faithful
/// ones are the one or two about the value.
std::string inconsistency(const ExactValue& exact, DType dtype);

/// The problem with the index of the element that was asked for, in hexadecimal.
std::string describe(const Problem& p, std::int64_t i);
void print_met(const char* what, const Met& m);

}  // namespace normcheck
