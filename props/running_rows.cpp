// Running bounds of the moments of whole rows: every algorithm on every regime.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "impl/algorithms/all.h"
#include "impl/arithmetic/running.h"
#include "oracles/exact.h"
#include "props/bound_rows.h"
#include "props/gen.h"
#include "props/promise.h"
#include "props/running_faults.h"

namespace normcheck {
namespace {

struct RowTally {
  std::int64_t rows = 0, unbounded = 0, below = 0, wrong_value = 0;
  /// Rows of a clamp that is open, so that the bound may not be that of the exact variance; and is not.
  std::int64_t open = 0, open_below = 0;
  std::string first;  ///< what was first found below the error
  double share = 0;   ///< the errors are within this share of their bounds, to 1/64
};

/// Looks at one computed statistic of a row.
template <class R, class Rules>
void look_at(const Running<R, Rules>& got, const R& plain, const ExactValue& truth, RowTally& seen) {
  const double value = ArithmeticTraits<R>::to_double(got.value()), bound = got.error().value();
  seen.wrong_value += !same_bits(value, ArithmeticTraits<R>::to_double(plain));
  if (!(bound < Upward::infinity())) {
    ++seen.unbounded;
    return;
  }
  if (!truth.within(value, bound) && seen.below++ == 0)
    seen.first = fmt::format("{:a}, exact {:a}, bound {:a}", value, truth.to_double(), bound);
  while (seen.share < 1 && !truth.within(value, bound * seen.share)) seen.share += 0x1p-6;
}

/// Every finite row of every regime, by every algorithm.
template <class R, class Rules = RunningRules>
RowTally rows(std::initializer_list<std::int64_t> lengths) {
  RowTally seen;
  for (const Regime& regime : regimes()) {
    for (const std::int64_t length : lengths) {
      const Case c = make_case(regime, {.dtype = dtype_of<R>, .rows = 2, .n = length}, promise_seed(),
                               static_cast<std::uint64_t>(length));
      const std::int64_t n = row_length(c);
      for (std::int64_t r = 0; r < row_count(c) && n > 0; ++r) {
        std::vector<double> x(static_cast<std::size_t>(n));
        for (std::int64_t i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = c.x.value(r * n + i);
        if (!std::all_of(x.begin(), x.end(), [](double v) { return std::isfinite(v); })) continue;
        const std::vector<R> plain = narrowed_row<R>(x);
        std::vector<Running<R, Rules>> running;
        for (const R& v : plain) running.push_back(Running<R, Rules>(v));
        const ExactRow exact(x.data(), n, 0);
        const ExactValue mean = exact.mean(), variance = exact.variance();
        EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
          const auto want = A::moments(std::span<const R>(plain));
          const OpenComparisons comparisons;
          const auto got = A::moments(std::span<const Running<R, Rules>>(running));
          ++seen.rows;
          look_at(got.mean, want.mean, mean, seen);
          if (std::is_same_v<A, NaiveClamped> && comparisons.count() > 0) {
            ++seen.open;
            seen.open_below +=
                got.var.error().finite() && !variance.within(in_double(want).var, got.var.error().value());
          } else {
            look_at(got.var, want.var, variance, seen);
          }
        });
      }
    }
  }
  return seen;
}

template <class R>
void expect_sound_rows() {
  const RowTally seen = rows<R>({1, 2, 3, 24, 150});
  EXPECT_EQ(seen.below, 0) << dtype_name(dtype_of<R>) << ": " << seen.first;
  EXPECT_EQ(seen.wrong_value, 0) << dtype_name(dtype_of<R>);
  EXPECT_LT(seen.unbounded, seen.rows);
  EXPECT_GT(seen.open_below, 0) << "an open clamp is no case apart";
  fmt::print(
      "{}: {} rows of {} algorithms x {} regimes, {} of {} statistics without a bound, errors up to {:.2f} "
      "of it, "
      "{} open clamps, {} of them below\n",
      dtype_name(dtype_of<R>), seen.rows, EveryAlgorithm::size, regimes().size(), seen.unbounded,
      2 * seen.rows, seen.share, seen.open, seen.open_below);
}

TEST(Running, TheBoundOfARowsMomentsIsNotBelowTheirError) {
  expect_sound_rows<float>();
  expect_sound_rows<double>();
  expect_sound_rows<Half>();
  expect_sound_rows<BFloat16>();
  const RowTally planted = rows<Half, NoUnderflow<Half>>({1, 2, 3, 24});
  EXPECT_GT(planted.below, 0);
  fmt::print("planted: f16 without underflow terms: {} statistics below the error\n", planted.below);
}

}  // namespace
}  // namespace normcheck
