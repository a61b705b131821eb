// Promise: where sums, mean, deviations and squares are numbers of the format, the bound of an algorithm that
// sums is the rounding of one division, however long the row.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "corpus/generate.h"
#include "impl/algorithms/all.h"
#include "impl/arithmetic/native.h"
#include "oracles/condition.h"
#include "oracles/exact.h"
#include "props/promise.h"

namespace normcheck {
namespace {

constexpr DType f32 = DType::f32;

std::vector<double> balanced_about(double mean, std::int64_t n) {
  const Tensor t = generate_tensor("balanced", 1, f32, {n});
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(t.value(i) + mean);
  return x;
}

// A variance that is a few ulp off, or of which an element is lost, is out of bounds at any length.
TEST(Exactness, OfARowLeavesTheDivisionAlone) {
  const std::set<std::string_view> by_sums = {"two_pass", "pairwise",  "cascade",
                                              "reversed", "warp_tree", "kahan",
                                              "neumaier", "corrected", "compensated_mean"};
  const double u = unit_roundoff(f32);
  std::size_t sharp = 0, wide = 0;
  std::map<std::string_view, int> by_name;
  for (const std::int64_t n : {10, 1000, 65536}) {
    const std::vector<double> x = balanced_about(3, n);
    RowCondition row;
    row.fill(x.data(), n, true);
    const ExactRow exact(x.data(), n, 0);
    const std::vector<float> narrow(x.begin(), x.end());
    EveryAlgorithm::for_each([&]<class A>(std::type_identity<A>) {
      const MomentBound b = A::bound(row.facts(), working(f32));
      const Moments<float> m = A::template moments<float>(std::span<const float>(narrow));
      const double variance = b.variance.value(), got = static_cast<double>(m.var);
      ASSERT_TRUE(exact.variance().within(got, variance)) << A::name << ' ' << n;
      if (b.mean.value() != 0 || variance > 1.001 * u * row.facts().variance) {
        ++wide;
        return;
      }
      ++sharp;
      ++by_name[A::name];
      EXPECT_TRUE(b.mean_exact) << A::name << ' ' << n;
      EXPECT_EQ(m.mean, 3) << A::name << ' ' << n;
      EXPECT_FALSE(exact.variance().within(got * (1 + 4 * u), variance)) << A::name << ' ' << n;
      EXPECT_FALSE(exact.variance().within(got * (1 - 1.0 / static_cast<double>(n)), variance)) << A::name;
    });
  }
  for (const auto& [name, lengths] : by_name)
    EXPECT_TRUE(by_sums.contains(name)) << name << " is sharp too: it joins the list";
  // two_pass stands twice: by a rounded 1/n it is sharp where n is a power of two.
  for (const std::string_view name : by_sums) EXPECT_EQ(by_name[name], name == "two_pass" ? 4 : 3) << name;
  fmt::print("{} bounds of rows of 10, 1000 and 65536 elements are those of a division, {} are not\n", sharp,
             wide);
}

// The division by n can underflow, by half of the smallest number, also where that half is no double.
TEST(Exactness, TheDivisionMayUnderflow) {
  const std::vector<double> x = {0x1p-537, -0x1p-537, 0, 0};
  RowCondition row;
  row.fill(x.data(), 4, false);
  const MomentBound b = TwoPass::bound(row.facts(), working(DType::f64));
  const double got = TwoPass::moments<double>(std::span<const double>(x)).var;
  EXPECT_EQ(got, 0);
  const ExactRow exact(x.data(), 4, 0);
  EXPECT_TRUE(exact.variance().within(got, b.variance.value()));
  EXPECT_FALSE(exact.variance().within(got, 0)) << "2^-1075";
}

// Away from such rows nothing is claimed: the mean is no number of the format, a sum is beyond its precision,
// a square is finer than its subnormal numbers.
TEST(Exactness, IsNotClaimedWhereSomethingRounds) {
  const auto claims = [](std::vector<double> x) {
    RowCondition row;
    row.fill(x.data(), static_cast<std::int64_t>(x.size()), false);
    return deviations_are_exact(row.facts(), working(f32), Division::by_count);
  };
  EXPECT_TRUE(claims({1, 2, 3}));
  EXPECT_FALSE(claims({1, 2, 4})) << "mean 7/3";
  EXPECT_FALSE(claims({0x1p24, 1, -1})) << "the sum of sizes has 25 bits";
  EXPECT_FALSE(claims({4097, -4097, 1, -1})) << "the squares' sum has 26 bits";
  EXPECT_TRUE(claims({0x1p-74, -0x1p-74}));
  EXPECT_FALSE(claims({0x1p-75, -0x1p-75})) << "the square is below 2^-149";
  EXPECT_TRUE(claims({0x1p-149, 0x1p-149})) << "no deviation at all";
  EXPECT_FALSE(claims({0x1p-149, 0})) << "half of the smallest number";
}

}  // namespace
}  // namespace normcheck
