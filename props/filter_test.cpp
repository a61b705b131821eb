// Promise: the filter is never further off than it says, on any row, and every instruction set says the same.
#include "oracles/filter/filter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <limits>
#include <utility>

#include "props/filter_rows.h"
#include "props/gen.h"
#include "props/promise.h"

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

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

// The fault: the low part of a statistic is lost. Every row where it is more than twice the stated error
// shows it.
TEST(Filter, WithTheLowPartOfAStatisticLostIsCaught) {
  using filter::Certified;
  using filter::RowStatistics;
  constexpr std::pair<const char*, Certified RowStatistics::*> statistics[] = {
      {"mean", &RowStatistics::mean}, {"variance", &RowStatistics::variance}, {"rstd", &RowStatistics::rstd}};
  for (const DType dtype : float_dtypes) {
    CounterRng rng(promise_seed(), 79);
    std::int64_t planted[3] = {}, caught[3] = {};
    for (std::uint64_t i = 0; i < 600; ++i) {
      FilterRow row = row_of_regime(dtype, promise_seed(), i);
      if (row.x.empty()) continue;
      draw_outputs(row, rng);
      const Filtered right = filtered(row, filter::widest());
      for (std::size_t k = 0; k < 3; ++k) {
        Filtered wrong = right;
        Certified& c = wrong.row.*statistics[k].second;
        if (right.row.path != filter::Path::exact_sums && right.row.path != filter::Path::pairs) continue;
        if (!(std::fabs(c.lo) > 2 * c.error)) continue;
        c.lo = 0;
        FilterTally tally;
        check_row(row, wrong, 1, 1, tally);
        ++planted[k];
        caught[k] += tally.first_wrong.starts_with(statistics[k].first) ? 1 : 0;
      }
    }
    for (std::size_t k = 0; k < 3; ++k) {
      fmt::print("{}: {} without its low part: {} of {} caught\n", dtype_name(dtype), statistics[k].first,
                 caught[k], planted[k]);
      EXPECT_EQ(caught[k], planted[k]);
      EXPECT_GT(planted[k], 50);
    }
  }
}

template <class Set, class Reset>
void expect_nothing_is_computed(const FilterRow& row, const Set& set, const Reset& reset) {
  set();
  const Filtered f = filtered(row, filter::widest());
  reset();
  EXPECT_EQ(f.row.path, filter::Path::environment);
  for (const double u : f.uncertainty) EXPECT_EQ(u, std::numeric_limits<double>::infinity());
}

// The fault: a thread that rounds otherwise, or flushes subnormals. The filter proves nothing there, and says
// so.
TEST(Filter, ComputesNothingWhereTheArithmeticIsAnother) {
  FilterRow row;
  row.x = {round_to(DType::f32, 1), round_to(DType::f32, 2)};
  row.got = row.x;
  const auto to_nearest = [] { std::fesetround(FE_TONEAREST); };
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    const auto otherwise = [mode] { std::fesetround(mode); };
    expect_nothing_is_computed(row, otherwise, to_nearest);
  }
#ifdef __SSE2__
  for (const unsigned bit : {0x8000U, 0x0040U}) {  // of the control word: flush to zero, denormals are zeros
    const auto on = [bit] { _mm_setcsr(_mm_getcsr() | bit); };
    const auto off = [bit] { _mm_setcsr(_mm_getcsr() & ~bit); };
    expect_nothing_is_computed(row, on, off);
  }
  fmt::print("3 rounding modes, flush to zero, denormals are zeros: nothing was computed\n");
#else
  fmt::print("3 rounding modes: nothing was computed; skipped: flushing is set on x86 alone\n");
#endif
  EXPECT_EQ(filtered(row, filter::widest()).row.path, filter::Path::exact_sums);
}

}  // namespace
}  // namespace normcheck
