// Rows for the filter: of the regimes, and hostile ones; and the comparison of its words with the exact
// oracle's.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "oracles/filter/filter.h"

namespace normcheck {

/// One row with outputs to be measured, in the bits of `dtype`. gamma and beta as doubles; empty: absent.
struct FilterRow {
  DType dtype = DType::f32;
  std::vector<std::uint64_t> x, got;
  std::vector<double> gamma, beta;
  double eps = 0;
  std::int64_t n() const { return static_cast<std::int64_t>(x.size()); }
};

/// What the filter says of a row.
struct Filtered {
  filter::RowStatistics row;
  std::vector<double> reference, error, uncertainty;
};
Filtered filtered(const FilterRow& row, filter::InstructionSet set);
/// Bit for bit.
bool same(const Filtered& a, const Filtered& b);

/// Row `index` of the regimes, which take turns, with gamma and beta as they come.
FilterRow row_of_regime(DType dtype, std::uint64_t seed, std::uint64_t index);
/// What has deceived filters: spans of 60 binades and more, subnormals, neighbours, ties, beta = -round(y),
/// constants, n = 1, eps = 0, tiny and huge eps.
FilterRow hostile_row(DType dtype, CounterRng& rng, std::uint64_t kind);
constexpr std::uint64_t kHostileKinds = 12;

/// Outputs to be measured: near y, where the filter has one; any pattern; NaN and infinities.
void draw_outputs(FilterRow& row, CounterRng& rng);

struct FilterTally {
  std::int64_t rows = 0, checks = 0, wrong = 0;
  std::int64_t by_exact_sums = 0, by_pairs = 0, left = 0;  ///< rows
  std::int64_t open = 0;                                   ///< elements with no certificate
  std::int64_t unrounded = 0;  ///< certified, but not whether got is the correctly rounded y
  std::int64_t skipped = 0;    ///< classes: got, gamma or beta not finite
  double largest = 0;          ///< uncertainty of a certified element
  std::string first_wrong;
};
/// Compares with the exact oracle: statistics, and elements (at most `most` of them, spread evenly). With
/// `divisor` > 1 every stated error is divided by it.
void check_row(const FilterRow& row, const Filtered& f, double divisor, std::int64_t most,
               FilterTally& tally);

}  // namespace normcheck
