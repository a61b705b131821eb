// Promise: a contract in words is the bound that it says: it narrows `stable`, widens it, or is refused by
// name.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "impl/table.h"
#include "oracles/contract.h"
#include "oracles/judge.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

struct Kept {
  std::int64_t cases = 0, broken = 0;
};
/// How many cases of f32 and bf16 rows, of lengths that show an order, break the claims.
Kept judged(const std::string& name, const std::string& claims) {
  const Row* row = find_row(name);
  if (row == nullptr) throw std::invalid_argument(name);
  const Contract contract = parse_contract(claims, row);
  Kept out;
  for (const DType dtype : {DType::f32, DType::bf16}) {
    if (!offers(*row, dtype)) continue;
    for (const Regime& regime : regimes()) {
      for (const std::int64_t n : {1, 3, 32, 257, 1000}) {
        GenRequest request;
        request.dtype = dtype;
        request.rows = 1;
        request.n = n;
        const Case c = make_case(regime, request, promise_seed(), 0);
        const Judgement j = judge(c, run_case(*row, c, {true, true}), contract);
        ++out.cases;
        out.broken += j.verdict == Verdict::fail ? 1 : 0;
      }
    }
  }
  return out;
}

TEST(Claims, AreKeptByTheRowsTheyDescribe) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"two_pass/f32", "algorithm=two_pass"},
      {"two_pass/f32", "algorithm=two_pass;order=sequential;finish=direct;rsqrt_ulp=1.01"},
      {"pairwise/f32", "algorithm=two_pass;order=pairwise"},
      {"lanes8/f32", "algorithm=lanes8;finish=direct"},
      {"lanes8/f32", "algorithm=welford;order=any"},
      {"chan/f32", "algorithm=chan;order=any"},
      {"compensated_mean/f32", "algorithm=compensated_mean;finish=direct"},
      {"two_pass/f64", "accumulate=f64"},
      {"naive/f32", "algorithm=naive"},
      {"two_pass/f32/folded", "finish=folded"},
      {"two_pass/f32/half_folded", "finish=half_folded"},
      {"two_pass/f32/newton0", "rsqrt_ulp=520"},
      {"two_pass/f32/eps_f64", "eps=f64"},
      {"two_pass/f32/x_hat_storage", "xhat_rounding=storage"}};
  std::int64_t cases = 0;
  for (const auto& [row, claims] : pairs) {
    const Kept kept = judged(row, claims);
    EXPECT_EQ(kept.broken, 0) << row << " under " << claims;
    cases += kept.cases;
  }
  fmt::print("{} rows and claims, {} cases\n", pairs.size(), cases);
}

// Each key by itself is seen: a row that it does not describe breaks it.
TEST(Claims, AreBrokenByOthers) {
  const std::vector<std::pair<const char*, const char*>> pairs = {
      {"two_pass/f32", "algorithm=two_pass;order=pairwise"},
      {"two_pass/f32", "algorithm=compensated_mean"},
      {"two_pass/f32", "algorithm=neumaier"},
      {"two_pass/f32", "accumulate=f64"},
      {"two_pass/f32/folded", "algorithm=compensated_mean;finish=direct"},
      {"two_pass/f32/newton0", "rsqrt_ulp=2"},
      {"two_pass/f32/x_hat_storage", "xhat_rounding=none"},
      {"naive/f32", "algorithm=two_pass"}};
  for (const auto& [row, claims] : pairs) {
    const Kept kept = judged(row, claims);
    EXPECT_GT(kept.broken, 0) << row << " under " << claims;
    fmt::print("{} breaks {} on {} of {} cases\n", row, claims, kept.broken, kept.cases);
  }
}

// A kernel in f32 for f64 data rounds them first: two numbers either side of a tie part by an ulp, which no
// bound of Welford's in f32 counts.
TEST(Claims, HoldNothingAgainstDataThatTheAccumulateTypeLacks) {
  Case c;
  c.id = "narrow";
  c.x = Tensor(DType::f64, {1, 2});
  c.x.set_value(0, 1 + 0x1p-24 - 0x1p-40);
  c.x.set_value(1, 1 + 0x1p-24 + 0x1p-40);
  Case rounded = c;
  rounded.x = Tensor(DType::f32, {1, 2});
  for (std::int64_t i = 0; i < 2; ++i) rounded.x.set_value(i, c.x.value(i));
  const Observation narrow = run_case(*find_row("welford/f32"), rounded);
  ASSERT_GT(std::fabs(narrow.y.value(1)), 0);
  Observation answer;
  answer.y = Tensor(DType::f64, {1, 2});
  for (std::int64_t i = 0; i < 2; ++i) answer.y.set_value(i, narrow.y.value(i));
  const auto under = [&](const char* claims) { return judge(c, answer, parse_contract(claims, nullptr)); };
  const Judgement j = under("algorithm=welford;accumulate=f32;finish=direct");
  EXPECT_EQ(j.verdict, Verdict::void_bound) << j.reason;
  EXPECT_NE(j.reason.find("f64 rounds before it is computed with"), std::string::npos) << j.reason;
  EXPECT_EQ(under("algorithm=welford;finish=direct").verdict, Verdict::fail);
  EXPECT_EQ(under("accumulate=f32;max_ulp=1").verdict, Verdict::fail);  // a demand in ulp asks for no bound

  // Nor gamma and beta of f32 in f16, whose numbers are f32's in turn; f16 and bf16 lack numbers of each
  // other.
  Case halves;
  halves.id = "halves";
  halves.x = Tensor(DType::f16, {1, 2});
  halves.x.set_value(1, 1);
  halves.gamma = Tensor(DType::f32, {2});
  const auto lacking = [&](const char* claims) {
    return rounded_on_reading(parse_contract(claims, nullptr), halves);
  };
  EXPECT_EQ(lacking("accumulate=f16"), DType::f32);
  halves.gamma.reset();
  EXPECT_EQ(lacking("accumulate=f16"), std::nullopt);
  EXPECT_EQ(lacking("accumulate=bf16"), DType::f16);
  for (const char* wide : {"accumulate=f32", "accumulate=f64", "accumulate=f80", "algorithm=two_pass"})
    EXPECT_EQ(lacking(wide), std::nullopt) << wide;
  fmt::print("f64 in f32, f32 in f16 and f16 in bf16 are void by name; max_ulp is judged all the same\n");
}

}  // namespace
}  // namespace normcheck
