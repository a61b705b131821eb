// Claims about what comes out: each is kept by a kernel of which it is true, and seen where it is not.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "oracles/contract.h"
#include "oracles/exact.h"
#include "oracles/judge.h"
#include "props/promise.h"

namespace normcheck {
namespace {

Case drawn(DType dtype, std::int64_t rows, std::int64_t n, double mean, std::uint64_t stream) {
  Case c;
  c.x = Tensor(dtype, {rows, n});
  c.gamma = Tensor(dtype, {n});
  c.beta = Tensor(dtype, {n});
  CounterRng rng(promise_seed(), stream);
  for (std::int64_t i = 0; i < rows * n; ++i) c.x.set_value(i, mean + rng.normal());
  for (std::int64_t i = 0; i < n; ++i) {
    c.gamma->set_value(i, rng.normal());
    c.beta->set_value(i, rng.normal());
  }
  return c;
}

ExactValue exact_y(const Case& c, std::int64_t flat) {
  const std::int64_t n = row_length(c), column = flat % n;
  std::vector<double> x;
  for (std::int64_t i = 0; i < n; ++i) x.push_back(c.x.value(flat - column + i));
  return ExactRow(x.data(), n, c.eps)
      .y(column, c.gamma ? c.gamma->value(column) : 1, c.beta ? c.beta->value(column) : 0);
}

/// y correctly rounded.
Observation nearest(const Case& c) {
  Observation o;
  o.y = Tensor(c.x.dtype, c.x.shape);
  for (std::int64_t i = 0; i < c.x.size(); ++i) o.y.set_bits(i, exact_y(c, i).round(c.x.dtype));
  return o;
}

Judgement judged(const Case& c, const Observation& o, const std::string& contract,
                 OracleChoice oracle = OracleChoice::automatic) {
  return judge(c, o, parse_contract(contract, nullptr), oracle);
}
bool kept(const Case& c, const Observation& o, const std::string& contract) {
  const Judgement j = judged(c, o, contract), slow = judged(c, o, contract, OracleChoice::exact);
  EXPECT_EQ(j.rows, slow.rows) << contract << ": by estimate and by integers";
  EXPECT_TRUE(j.verdict == Verdict::pass || j.verdict == Verdict::fail) << contract << ": " << j.reason;
  return j.verdict == Verdict::pass;
}

/// The number next to bits on the side of `up`, for a finite one other than 0.
std::uint64_t next_to(DType dtype, std::uint64_t bits, bool up) {
  return (to_double(dtype, bits) > 0) == up ? bits + 1 : bits - 1;
}

constexpr std::array dtypes = {DType::f32, DType::f64, DType::f16, DType::bf16};

TEST(Claims, OfRoundingHoldEveryElementToItsNeighbours) {
  std::int64_t moved = 0;
  for (const DType dtype : dtypes) {
    const Case c = drawn(dtype, 2, 40, 3, 1);
    const Observation right = nearest(c);
    EXPECT_TRUE(kept(c, right, "rounding=correct"));
    EXPECT_TRUE(kept(c, right, "rounding=faithful"));
    for (const std::int64_t i : {0, 7, 40, 79}) {
      const ExactValue y = exact_y(c, i);
      const std::uint64_t bits = right.y.bits(i);
      if (to_double(dtype, bits) == 0 || y.compare(to_double(dtype, bits)) == 0) continue;
      const bool above = y.compare(to_double(dtype, bits)) > 0;  // the exact y is above the nearest
      Observation o = right;
      o.y.set_bits(i, next_to(dtype, bits, above));  // the other neighbour: off by less than an ulp
      EXPECT_FALSE(kept(c, o, "rounding=correct")) << dtype_name(dtype) << " " << i;
      EXPECT_TRUE(kept(c, o, "rounding=faithful"));
      if (!is_half(dtype)) EXPECT_TRUE(kept(c, o, "stable")) << "the bound hides it";
      const Judgement j = judged(c, o, "rounding=correct");
      ASSERT_TRUE(j.worst);
      EXPECT_EQ(j.worst->column + j.worst->row * 40, i);
      EXPECT_EQ(j.worst->want_bits, bits);
      EXPECT_FALSE(j.worst->reason.empty());
      o.y.set_bits(i, next_to(dtype, bits, !above));  // the one behind: off by 1 to 1.5 ulp
      EXPECT_FALSE(kept(c, o, "rounding=faithful")) << dtype_name(dtype) << " " << i;
      ++moved;
    }
  }
  EXPECT_GE(moved, 12);
  fmt::print("{} elements moved to the other neighbour, and to the one behind\n", moved);
}

// Below a power of two the spacing is half of that above: the predecessor of 2^k is no neighbour of a y just
// above 2^k, though off by little more than half an ulp.
TEST(Claims, OfFaithfulRoundingKnowWhereABinadeEnds) {
  Case c;
  c.x = Tensor(DType::f32, {1, 2});
  c.x.set_value(0, 1);
  c.x.set_value(1, -1);
  c.eps = 0x1p-30;  // y_0 = 1/sqrt(1 + eps), just below 1; with beta just above
  c.beta = Tensor(DType::f32, {2});
  c.beta->set_value(0, 0x1p-29);
  c.beta->set_value(1, -0x1p-29);
  ASSERT_GT(exact_y(c, 0).compare(1), 0);
  Observation o = nearest(c);
  ASSERT_EQ(o.y.value(0), 1);
  o.y.set_bits(0, o.y.bits(0) - 1);
  const Judgement j = judged(c, o, "max_ulp=0.75");
  EXPECT_EQ(j.verdict, Verdict::pass) << "off by little more than half an ulp";
  EXPECT_FALSE(kept(c, o, "rounding=faithful"));
  o.y.set_bits(0, o.y.bits(0) + 2);
  EXPECT_TRUE(kept(c, o, "rounding=faithful"));
  fmt::print("1 - 2^-24 for 1 + 2^-30: within 0.75 ulp, and no neighbour\n");
}

TEST(Claims, OfUlpReplaceTheBoundOnBothSides) {
  for (const DType dtype : dtypes) {
    const Case c = drawn(dtype, 1, 24, 1, 2);
    const Observation right = nearest(c);
    EXPECT_TRUE(kept(c, right, "max_ulp=0.5"));
    for (const std::int64_t i : {3, 20}) {
      for (const int steps : {1, 3}) {
        Observation o = right;
        o.y.set_bits(i, o.y.bits(i) + static_cast<std::uint64_t>(steps));
        const double error = std::fabs(exact_y(c, i).error_ulp(dtype, o.y.bits(i)));
        EXPECT_TRUE(kept(c, o, fmt::format("max_ulp={:.6f}", error + 0.001)));
        EXPECT_FALSE(kept(c, o, fmt::format("max_ulp={:.6f}", error - 0.001)));
      }
    }
    // Wider than any bound: what every contract of theorems refuses.
    Observation far = right;
    far.y.set_value(5, far.y.value(5) * 1.25);
    const double error = std::fabs(exact_y(c, 5).error_ulp(dtype, far.y.bits(5)));
    EXPECT_EQ(judged(c, far, "stable").verdict, Verdict::fail) << dtype_name(dtype);
    EXPECT_TRUE(kept(c, far, fmt::format("max_ulp={:.0f}", error + 1)));
  }
  // Where no bound holds the number is judged all the same.
  Case steep;
  steep.x = Tensor(DType::f32, {1, 4});
  for (int i = 0; i < 4; ++i) steep.x.set_value(i, i == 1 ? 8388609 : 8388608);
  Observation o = nearest(steep);
  EXPECT_EQ(judged(steep, o, "stable").verdict, Verdict::void_bound);
  EXPECT_TRUE(kept(steep, o, "max_ulp=0.5"));
  o.y.set_bits(2, o.y.bits(2) + 9);
  EXPECT_FALSE(kept(steep, o, "max_ulp=4"));
  o.y.set_value(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(kept(steep, o, "max_ulp=1000000000"));
  fmt::print("narrower than the bound, wider than it, and where there is none\n");
}

// A two_pass may leave a constant row by u*mean/sqrt(eps); beta as it rounds is more to ask.
TEST(Claims, OfExactConstantRowsAreHeldToBeta) {
  Case c;
  c.x = Tensor(DType::f32, {2, 8});
  c.beta = Tensor(DType::f32, {8});
  for (int i = 0; i < 16; ++i) c.x.set_value(i, i < 8 ? 1234.5 : i);
  for (int i = 0; i < 8; ++i) c.beta->set_value(i, 0.1 * (i + 1));
  Observation o = nearest(c);
  EXPECT_TRUE(kept(c, o, "constant=exact"));
  EXPECT_TRUE(kept(c, o, "stable"));
  o.y.set_bits(11, o.y.bits(11) + 1);
  EXPECT_TRUE(kept(c, o, "constant=exact")) << "the other row is not constant";
  o.y.set_bits(3, o.y.bits(3) + 1);
  EXPECT_TRUE(kept(c, o, "stable"));
  EXPECT_FALSE(kept(c, o, "constant=exact"));
  const Judgement j = judged(c, o, "constant=exact");
  ASSERT_TRUE(j.worst);
  EXPECT_EQ(j.worst->reason, "not beta, as it rounds");

  // Rounded once more where y is narrower than beta.
  Case half = c;
  half.x = Tensor(DType::bf16, {2, 8});
  for (int i = 0; i < 16; ++i) half.x.set_value(i, 1234);
  o = nearest(half);
  EXPECT_TRUE(kept(half, o, "constant=exact"));
  o.y.set_bits(3, o.y.bits(3) - 1);
  EXPECT_FALSE(kept(half, o, "constant=exact"));

  // Where eps rounds to 0 in f32 a constant row is 0/0 to a careful kernel; the claim is of beta all the
  // same.
  Case flat;
  flat.x = Tensor(DType::f32, {1, 3});
  flat.eps = 1e-46;
  Observation nan = nearest(flat);
  EXPECT_TRUE(kept(flat, nan, "constant=exact"));
  nan.y.set_value(1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_NE(judged(flat, nan, "stable").verdict, Verdict::fail);
  EXPECT_FALSE(kept(flat, nan, "constant=exact"));
  fmt::print("an ulp beside beta, and NaN where eps rounds to 0: let through without the claim alone\n");
}

TEST(Claims, OfTheFullRangeAreJudgedOutsideTheSafeOne) {
  // The squares overflow f32.
  Case c;
  c.x = Tensor(DType::f32, {1, 4});
  for (int i = 0; i < 4; ++i) c.x.set_value(i, (i % 2 == 0 ? 1e20 : -1e20) * (1 + 0.25 * i));
  Observation o = nearest(c);
  EXPECT_EQ(judged(c, o, "stable").verdict, Verdict::void_bound);
  EXPECT_TRUE(kept(c, o, "range=full"));
  EXPECT_TRUE(kept(c, o, "range=full;rounding=correct"));
  EXPECT_NE(judged(c, o, "rounding=correct").verdict, Verdict::fail);
  const Observation zeros = run_case(*find_row("two_pass/f32"), c);
  EXPECT_EQ(judged(c, zeros, "range=safe").verdict, Verdict::void_bound);
  EXPECT_FALSE(kept(c, zeros, "range=full")) << "1/inf gives 0 where y is near 1";
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Observation wrong = o;
    wrong.y.set_value(2, bad);
    EXPECT_EQ(judged(c, wrong, "stable").verdict, Verdict::void_bound);
    EXPECT_FALSE(kept(c, wrong, "range=full")) << bad;
  }
  // The statistics too.
  o = run_case(*find_row("two_pass/f32"), c, {true, true});
  o.y = nearest(c).y;
  EXPECT_EQ(judged(c, o, "stable").verdict, Verdict::void_bound);
  EXPECT_FALSE(kept(c, o, "range=full")) << "rstd is 0";

  // Squares that overflow double have no bound there: a number is right, NaN is not.
  Case wide = c;
  wide.x = Tensor(DType::f64, {1, 4});
  for (int i = 0; i < 4; ++i) wide.x.set_value(i, (i % 2 == 0 ? 1e200 : -1e200) * (1 + 0.25 * i));
  o = nearest(wide);
  EXPECT_NE(judged(wide, o, "range=full").verdict, Verdict::fail);
  EXPECT_TRUE(kept(wide, o, "range=full;max_ulp=0.5"));
  o.y.set_value(0, 0);
  EXPECT_FALSE(kept(wide, o, "range=full;max_ulp=2"));
  o.y.set_value(0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(judged(wide, o, "range=full").verdict, Verdict::fail);
  fmt::print("numbers, NaN, an infinity and rstd beyond the range, in f32 and f64\n");
}

// Behind `own` they hold beside the row's bound, or in place of it.
TEST(Claims, BehindOwnHoldForTheRow) {
  const Row& row = *find_row("two_pass/f32");
  const Case c = drawn(DType::f32, 3, 300, 2, 3);
  EXPECT_EQ(judge(c, run_case(row, c), parse_contract("own", &row)).verdict, Verdict::pass);
  EXPECT_EQ(judge(c, run_case(row, c), parse_contract("own;max_ulp=1000000", &row)).verdict, Verdict::pass);
  EXPECT_EQ(judge(c, run_case(row, c), parse_contract("own;rounding=correct", &row)).verdict, Verdict::fail);
  fmt::print("two_pass/f32 keeps its own bound, and is not correctly rounded\n");
}

}  // namespace
}  // namespace normcheck
