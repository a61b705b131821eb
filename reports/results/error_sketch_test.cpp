// The sketch of errors: its percentile is the true one or at most a sixteenth above, in whatever order it was
// added up.
#include "oracles/error_sketch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "corpus/generate.h"
#include "props/promise.h"

namespace normcheck {
namespace {

double true_p99(std::vector<double> errors) {
  std::sort(errors.begin(), errors.end());
  return errors[(errors.size() * 99 + 99) / 100 - 1];
}

TEST(ErrorSketch, ItsPercentileIsTheTrueOneOrASixteenthAbove) {
  CounterRng rng(promise_seed(), 0x736b);
  double largest = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> errors;
    const std::int64_t size = rng.between(1, 700);
    for (std::int64_t i = 0; i < size; ++i)
      errors.push_back(std::ldexp(rng.uniform(), static_cast<int>(rng.between(-20, 60))));
    const double want = true_p99(errors);
    // In two parts, either first.
    const std::size_t cut = errors.size() / 3;
    const std::span<const double> all(errors);
    const ErrorSketch a(all.first(cut)), b(all.subspan(cut));
    ErrorSketch ab = a, ba = b;
    ab.add(b);
    ba.add(a);
    ASSERT_EQ(ab, ba);
    ASSERT_EQ(ab, ErrorSketch(errors));
    ASSERT_EQ(ab.count(), size);
    if (want < 0x1p-24) continue;
    ASSERT_GE(ab.p99(), want);
    ASSERT_LE(ab.p99(), want * (1 + 1.0 / 16));
    largest = std::max(largest, ab.p99() / want);
  }
  fmt::print("2000 lots of up to 700 errors: at most {:.4f} times the true percentile\n", largest);
}

TEST(ErrorSketch, NothingZeroAndInfinityAreWhatTheyAre) {
  EXPECT_EQ(ErrorSketch().p99(), -1);
  const std::vector<double> zeros(50, 0.0);
  EXPECT_LE(ErrorSketch(zeros).p99(), 0x1p-24 * (1 + 1.0 / 16));
  std::vector<double> some(98, 0.25);
  some.push_back(0.5);
  some.push_back(std::numeric_limits<double>::infinity());
  EXPECT_LE(ErrorSketch(some).p99(), 0.5 * (1 + 1.0 / 16)) << "one of a hundred is beyond the percentile";
  some.push_back(std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isinf(ErrorSketch(some).p99())) << "two are not";
}

}  // namespace
}  // namespace normcheck
