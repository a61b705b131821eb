// Promise: where the mean is large against the spread, careful algorithms keep their bound and E[x^2]-E[x]^2
// is caught.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "oracles/exact.h"
#include "props/gen.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

Case row_case(std::string id, DType dtype, const std::vector<double>& x) {
  Case c;
  c.id = std::move(id);
  c.x = Tensor(dtype, {1, static_cast<std::int64_t>(x.size())});
  for (std::size_t i = 0; i < x.size(); ++i) c.x.set_value(static_cast<std::int64_t>(i), x[i]);
  return c;
}

Verdict verdict_of(std::string_view row, const Case& c) {
  return run_and_judge(*find_row(row), c, stable_contract(), true).verdict;
}

// By decades of |mean|/sd, constant rows last: how many cases were proved, voided or vacuous, and failed.
struct Decade {
  std::int64_t proved = 0;
  std::int64_t unproved = 0;
  std::int64_t failed = 0;
};
using Decades = std::array<Decade, 9>;

std::size_t decade_of(double kappa) {
  std::size_t d = 0;
  for (double limit = 10; kappa >= limit && d + 1 < Decades().size(); limit *= 10) ++d;
  return d;
}

double kappa_of(const Case& c) {
  std::vector<double> x(static_cast<std::size_t>(c.x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = c.x.value(static_cast<std::int64_t>(i));
  const ExactRow row(x.data(), c.x.size(), c.eps);
  return std::fabs(row.mean().to_double()) / std::sqrt(row.variance().to_double());
}

void count(Decades& decades, double kappa, const Judgement& judgement) {
  Decade& d = decades[decade_of(kappa)];
  if (is_finding(judgement.verdict)) {
    ++d.failed;
  } else if (judgement.verdict == Verdict::pass) {
    ++d.proved;
  } else {
    ++d.unproved;
  }
}

void print(std::string_view who, DType dtype, const Decades& decades) {
  fmt::print("{:9}{:5} proved/void/FAIL by |mean|/sd", who, dtype_name(dtype));
  double lower = 1;
  for (const Decade& d : decades) {
    if (d.proved + d.unproved + d.failed > 0)
      fmt::print("  {:.0e}: {}/{}/{}", lower, d.proved, d.unproved, d.failed);
    lower *= 10;
  }
  fmt::print("\n");
}

std::int64_t failures(const Decades& decades) {
  std::int64_t out = 0;
  for (const Decade& d : decades) out += d.failed;
  return out;
}

class CancellationOf : public testing::TestWithParam<DType> {};

TEST_P(CancellationOf, CarefulRowsKeepTheBoundAndOnePassIsCaught) {
  const DType dtype = GetParam();
  const Row& naive = *find_row(dtype == DType::f64 ? "naive/f64" : "naive/f32");
  Decades careful = {};
  Decades one_pass = {};
  Decades control = {};
  for (const std::string_view name : {"unit_normal", "bf16_spread", "large_mean", "huge_mean"})
    for (const std::int64_t n : {6, 50, 400})
      for (std::uint64_t index = 0; index < 20; ++index) {
        const GenRequest request = {.dtype = dtype, .rows = 1, .n = n};
        const Case c = make_case(*find_regime(name), request, promise_seed(), index);
        const double kappa = kappa_of(c);
        count(name == "unit_normal" ? control : one_pass, kappa, run_and_judge(naive, c, stable_contract()));
        for (const Row& row : table()) {
          if (!is_right(row) || !offers(row, dtype)) continue;
          const Judgement judgement = run_and_judge(row, c, stable_contract(), index % 2 == 0);
          count(careful, kappa, judgement);
          if (!is_finding(judgement.verdict)) continue;
          const auto fails = [&](const Case& k) {
            return !complaint(row, k, stable_contract(), true).empty();
          };
          ADD_FAILURE() << complaint(row, c, stable_contract(), true) << '\n'
                        << record_failure(c, row.name, fails);
        }
      }
  print("careful", dtype, careful);
  print("one-pass", dtype, one_pass);
  print("control", dtype, control);
  EXPECT_EQ(failures(careful), 0);
  EXPECT_GT(failures(one_pass), 10) << "one-pass was not caught: these inputs show nothing";
  EXPECT_EQ(failures(control), 0) << "the control is to pass: there one-pass keeps the bound";
}

INSTANTIATE_TEST_SUITE_P(Every, CancellationOf, testing::ValuesIn(float_dtypes),
                         [](const auto& param) { return std::string(dtype_name(param.param)); });

TEST(Cancellation, HoldsOnWhateverIsDrawn) {
  constexpr int cases = 200;
  const CaseSpace space = {.regimes = {"large_mean", "huge_mean", "bf16_spread"}, .max_n = 200};
  check_cases("careful rows keep the bound", space, cases, [](const Case& c) {
    for (const Row& row : table()) {
      if (!is_right(row) || !offers(row, c.x.dtype)) continue;
      const std::string why = complaint(row, c, stable_contract(), true);
      if (!why.empty()) return why;
    }
    return std::string();
  });
  const CaseSpace f32 = {.dtypes = {DType::f32}, .regimes = space.regimes};
  const Row& naive = *find_row("naive/f32");
  const auto simplest = counterexample("one pass is careful", f32, cases,
                                       [&](const Case& c) { return complaint(naive, c, stable_contract()); });
  ASSERT_TRUE(simplest.has_value());
  EXPECT_LE(simplest->x.size(), 4);
  fmt::print("{} cases, every right row; planted: one pass is found and shrunk to x = {}\n", cases,
             shape_text(simplest->x.shape));
}

// Rounded to f32, these four have sums and squares with a full significand.
TEST(Cancellation, FourNumbersNearTwoThousandAreEnough) {
  const Case c = row_case("near-2000", DType::f32, {2000.1F, 2000.4F, 2001.3F, 1999.2F});
  EXPECT_EQ(verdict_of("naive/f32", c), Verdict::fail);
  EXPECT_EQ(verdict_of("two_pass/f32", c), Verdict::pass);
  EXPECT_EQ(verdict_of("welford/f32", c), Verdict::pass);
  EXPECT_EQ(verdict_of("chan/f32", c), Verdict::pass);
  fmt::print("naive FAIL, two_pass, welford and chan PASS\n");
}

// And these hide it: every sum of squares is exact in f32.
TEST(Cancellation, WholeNumbersNearTwoThousandHideIt) {
  const Case c = row_case("near-2000-exact", DType::f32, {2000, 2001, 2002, 2003});
  EXPECT_EQ(verdict_of("naive/f32", c), Verdict::pass);
  EXPECT_EQ(verdict_of("two_pass/f32", c), Verdict::pass);
  fmt::print("naive PASS on 2000..2003: a control, not evidence\n");
}

TEST(Cancellation, AVarianceBelowZeroIsNaNAndCaught) {
  const Case c = row_case("near-40000", DType::f32, {40000, 40001, 40002, 40003});
  const Row& naive = *find_row("naive/f32");
  const Observation observed = run_case(naive, c);
  for (std::int64_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(observed.y.value(i))) << i;
  const Judgement judgement = judge(c, observed, stable_contract());
  EXPECT_EQ(judgement.verdict, Verdict::fail);
  ASSERT_TRUE(judgement.worst.has_value());
  EXPECT_TRUE(std::isinf(judgement.worst->error_ulp));
  for (const Row& row : table())
    if (is_right(row) && offers(row, DType::f32)) EXPECT_EQ(complaint(row, c, stable_contract()), "");
  fmt::print("naive FAIL: {}\n", judgement.reason);
}

}  // namespace
}  // namespace normcheck
