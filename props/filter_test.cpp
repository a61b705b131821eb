// Promise: the filter is never further off than it says, on any row, and every instruction set says the same.
#include "oracles/filter/filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>

#include "props/filter_rows.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

void print(const char* what, const FilterTally& t) {
  fmt::print(
      "{}: {} rows ({} by exact sums, {} by pairs, {} left), {} checks against exact, {} elements left open, "
      "{} of unknown rounding, {} without a number, largest uncertainty {:.2g} ulp, {} wrong\n",
      what, t.rows, t.by_exact_sums, t.by_pairs, t.left, t.checks, t.open, t.unrounded, t.skipped, t.largest,
      t.wrong);
}

void take(FilterRow row, CounterRng& rng, double divisor, FilterTally& tally) {
  if (row.x.empty()) return;
  draw_outputs(row, rng);
  check_row(row, filtered(row, filter::widest()), divisor, 40, tally);
}

TEST(Filter, IsNeverFurtherOffThanItSaysInAnyRegime) {
  const std::uint64_t each = exhaustive() ? 15000 : 1500;
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 71);
    FilterTally tally;
    for (std::uint64_t i = 0; i < each; ++i) take(row_of_regime(dtype, promise_seed(), i), rng, 1, tally);
    print(fmt::format("{}, {} regimes", dtype_name(dtype), regimes().size()).c_str(), tally);
    EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
    EXPECT_GT(tally.checks, 10 * static_cast<std::int64_t>(each));
    EXPECT_LT(tally.open, tally.checks / 4);
  }
}

TEST(Filter, IsNeverFurtherOffThanItSaysOnHostileRows) {
  const std::uint64_t each = exhaustive() ? 120000 : 6000;
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 72);
    FilterTally tally;
    for (std::uint64_t i = 0; i < each; ++i) take(hostile_row(dtype, rng, i % kHostileKinds), rng, 1, tally);
    print(fmt::format("{}, hostile", dtype_name(dtype)).c_str(), tally);
    EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
    EXPECT_TRUE(dtype == DType::f16 || tally.by_pairs > 0);  // exact sums take every row of f16
    EXPECT_TRUE(dtype == DType::f64 || tally.by_exact_sums > 0);
  }
}

TEST(Filter, IsNeverFurtherOffThanItSaysOnRowsOfAMillion) {
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 73);
    FilterTally tally;
    for (const int kind : {0, 1}) {
      FilterRow row;
      row.dtype = dtype;
      row.eps = 1e-5;
      for (std::int64_t i = 0; i < 1 << 20; ++i)
        row.x.push_back(round_to(dtype, kind == 0 ? rng.normal() : 100 + rng.normal()));
      draw_outputs(row, rng);
      check_row(row, filtered(row, filter::widest()), 1, 500, tally);
    }
    print(fmt::format("{}, n = 2^20", dtype_name(dtype)).c_str(), tally);
    EXPECT_EQ(tally.wrong, 0) << tally.first_wrong;
    EXPECT_GT(tally.checks, 900);
  }
}

// The share that goes to the exact oracle: of random rows, against what a right kernel gives, nearly nothing.
TEST(Filter, LeavesNearlyNothingOfRandomRowsOpen) {
  const std::int64_t elements = exhaustive() ? 50'000'000 : 2'000'000;
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 74);
    std::int64_t open = 0, seen = 0;
    FilterRow row;
    row.dtype = dtype;
    row.eps = 1e-5;
    row.x.resize(1024);
    while (seen < elements) {
      for (auto& x : row.x) x = round_to(dtype, rng.normal());
      row.got.assign(row.x.size(), 0);
      Filtered f = filtered(row, filter::widest());
      for (std::size_t i = 0; i < row.x.size(); ++i) row.got[i] = round_to(dtype, f.reference[i]);
      f = filtered(row, filter::widest());
      for (std::size_t i = 0; i < row.x.size(); ++i)
        open += filter::correctly_rounded(f.error[i], f.uncertainty[i]) == filter::Rounded::unknown ? 1 : 0;
      seen += row.n();
    }
    fmt::print("{}: {} of {} random elements left open\n", dtype_name(dtype), open, seen);
    EXPECT_LE(static_cast<double>(open), 1 + 1e-7 * static_cast<double>(seen));
  }
}

TEST(Filter, SaysTheSameBitForBitInEveryInstructionSet) {
  std::vector<filter::InstructionSet> here;
  for (const auto set : filter::kInstructionSets) {
    if (filter::has(set)) {
      here.push_back(set);
    } else {
      fmt::print("skipped: {}: this processor has no such instructions\n", filter::instruction_set_name(set));
    }
  }
  std::int64_t rows = 0, elements = 0, different = 0;
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 75);
    for (std::uint64_t i = 0; i < 4000; ++i) {
      FilterRow row = i % 2 == 0 ? row_of_regime(dtype, promise_seed(), i / 2)
                                 : hostile_row(dtype, rng, i / 2 % kHostileKinds);
      if (row.x.empty()) continue;
      draw_outputs(row, rng);
      const Filtered first = filtered(row, here.front());
      ++rows;
      elements += row.n();
      for (const auto set : here) different += same(first, filtered(row, set)) ? 0 : 1;
    }
  }
  fmt::print("{} instruction sets, {} rows, {} elements: {} differences\n", here.size(), rows, elements,
             different);
  EXPECT_EQ(different, 0);
  if (here.size() == 1) GTEST_SKIP() << "one instruction set alone: nothing to compare";
}

// The fault: an uncertainty claimed too small.
TEST(Filter, WithItsUncertaintyClaimedTooSmallIsCaught) {
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 76);
    FilterTally tally;
    for (std::uint64_t i = 0; i < 600; ++i)
      take(row_of_regime(dtype, promise_seed(), i), rng, 0x1p+20, tally);
    fmt::print("{}: uncertainty divided by 2^20: {} of {} caught\n", dtype_name(dtype), tally.wrong,
               tally.checks);
    EXPECT_GT(tally.wrong, 0);
  }
}

// The fault: a thread that rounds upwards, or flushes subnormals. The filter proves nothing there, and says
// so.
TEST(Filter, ComputesNothingInAnotherRoundingMode) {
  FilterRow row;
  row.x = {round_to(DType::f32, 1), round_to(DType::f32, 2)};
  row.got = row.x;
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    std::fesetround(mode);
    const Filtered f = filtered(row, filter::widest());
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(f.row.path, filter::Path::environment);
    EXPECT_TRUE(std::isinf(f.uncertainty[0]) && std::isinf(f.uncertainty[1]));
  }
  EXPECT_EQ(filtered(row, filter::widest()).row.path, filter::Path::exact_sums);
}

}  // namespace
}  // namespace normcheck
