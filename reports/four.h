// The four layer norms that everyone asks about (naive, two_pass, welford, half precision), side by side.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/kappa_sweep.h"
#include "reports/sweep.h"

namespace normcheck {

/// naive, two_pass and welford with the accumulate type that the storage asks for, and half: any algorithm
/// with every operation rounded to a half.
enum class Family : std::uint8_t { naive, two_pass, welford, half };
constexpr std::array<std::string_view, 4> family_names = {"naive", "two_pass", "welford", "half"};

/// nullopt for a row that is none of them: chan, or a variant that is expected to fail of one that is right.
std::optional<Family> family_of(const Row& row);
/// The row that speaks for the family on a storage dtype: direct finish; accumulated in f32 for halves, else
/// in the dtype itself; for half, two_pass in the dtype. nullptr for half on f32 and f64.
const Row* family_row(Family family, DType storage);

/// A family over every one of its rows and dtypes that was swept.
struct FamilyResult {
  Family family;
  Tally total;
  std::int64_t rows_by_dtype = 0;  ///< implementations x dtypes
  bool expected_to_fail = false;
  /// The largest part of its allowance that an error reached, of the pairs that store what they accumulate:
  /// a narrower output is allowed little but its own last rounding, and half an ulp of that is reached soon.
  double largest_share = 0;
  std::vector<DType> share_of{};            ///< the dtypes of those pairs
  const SweepEntry* of_normwise = nullptr;  ///< where total.normwise was seen
};
std::vector<FamilyResult> family_results(const std::vector<SweepEntry>& entries);

/// The curve that speaks for the family: f32 (for half: f16), rows of n.
const KappaCurve* family_curve(Family family, std::int64_t n, const std::vector<KappaCurve>& curves);

/// What each family gives on one input from a public bug report.
struct PublicInput {
  const CorpusCase* source;
  std::array<std::optional<CorpusResult>, 4> results;
  std::array<std::string_view, 4> rows;
};
std::vector<PublicInput> public_inputs(const std::vector<SweepEntry>& entries, const SweepPlan& plan);

/// 2048 ones, then 2048 twos, in f16: the mean that a half accumulator gives, and the exact one.
struct HalfSum {
  std::string impl;
  double mean = 0;
  double exact_mean = 0;
  double mean_f32 = 0;  ///< the same algorithm accumulated in f32
  Verdict verdict = Verdict::not_run;
  double max_ulp = 0;
};
HalfSum half_sum(OracleChoice oracle);

}  // namespace normcheck
