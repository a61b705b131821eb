// Promise: a constant row gives beta: exactly where the mean is exact, within the bound elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "props/gen.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

/// Elements of y that are not beta (0 where there is none) rounded to y's type; +0 and -0 are equal. An eps
/// that rounds to 0 in the accumulate type leaves 0/0: NaN is then what is wanted.
std::int64_t differs_from_beta(const Row& row, const Case& c) {
  const Observation observed = run_case(row, c);
  if (observed.status != Status::ok) return 0;
  const bool no_eps = to_double(row.accumulate, round_to(row.accumulate, c.eps)) == 0;
  const std::int64_t n = row_length(c);
  std::int64_t out = 0;
  for (std::int64_t i = 0; i < observed.y.size(); ++i) {
    const double beta = c.beta ? c.beta->value(i % n) : 0.0;
    const double want = to_double(c.x.dtype, round_to(c.x.dtype, beta));
    const double got = observed.y.value(i);
    if (no_eps ? !std::isnan(got) : !(got == want)) ++out;
  }
  return out;
}

bool exact_by_design(const Row& row) {
  return (row.algorithm == "welford" || row.algorithm == "chan") && row.variant.finish == Finish::direct;
}

template <class Visit>
std::int64_t each_constant_case(const Row& row, const Visit& visit) {
  std::int64_t cases = 0;
  for (const DType dtype : row.storages)
    for (const std::string_view regime : {"constant", "signed_zeros", "single_element"})
      for (const std::int64_t n : {1, 3, 10, 48, 64, 100, 1000})
        for (std::uint64_t index = 0; index < 4; ++index) {
          const GenRequest request = {.dtype = dtype, .rows = 2, .n = n};
          Case c = make_case(*find_regime(regime), request, promise_seed(), index);
          if (regime == "signed_zeros")  // one of its rows in four holds a 1
            for (std::int64_t i = 0; i < c.x.size(); ++i)
              if (c.x.value(i) != 0) c.x.set_value(i, 0.0);
          visit(c);
          ++cases;
        }
  return cases;
}

TEST(Constant, WelfordAndChanGiveBetaExactlyWithTheDirectFinish) {
  std::int64_t cases = 0;
  std::int64_t rows = 0;
  for (const Row& row : table()) {
    if (!exact_by_design(row)) continue;
    ++rows;
    cases += each_constant_case(row, [&](const Case& c) {
      const auto fails = [&](const Case& k) {
        return differs_from_beta(row, k) > 0 && complaint(row, k, stable_contract()).empty();
      };
      EXPECT_EQ(differs_from_beta(row, c), 0) << row.name << " on " << c.id << '\n'
                                              << record_failure(c, row.name, fails);
    });
  }
  EXPECT_GE(rows, 8);
  fmt::print("{} rows, {} cases: y is beta in every element\n", rows, cases);
}

// A constant row in the safe range is never void for a careful algorithm: the bound has to hold, and says
// something. single_element leaves the safe range on purpose (x and gamma of any size), and may be void.
TEST(Constant, CarefulRowsKeepTheBoundAndItIsNeverVoid) {
  std::int64_t cases = 0;
  std::int64_t not_beta = 0;
  std::int64_t voided = 0;
  for (const Row& row : table()) {
    if (!is_right(row)) continue;
    cases += each_constant_case(row, [&](const Case& c) {
      const Judgement judgement = run_and_judge(row, c, stable_contract());
      if (differs_from_beta(row, c) > 0) ++not_beta;
      if (judgement.verdict == Verdict::pass) return;
      if (judgement.verdict == Verdict::void_bound && c.id.starts_with("single_element")) {
        ++voided;
        return;
      }
      const auto fails = [&](const Case& k) {
        return run_and_judge(row, k, stable_contract()).verdict == judgement.verdict;
      };
      ADD_FAILURE() << row.name << " on " << c.id << ": " << verdict_name(judgement.verdict) << ' '
                    << judgement.reason << '\n'
                    << record_failure(c, row.name, fails);
    });
  }
  EXPECT_GT(not_beta, 0) << "no right row was ever off beta: these constants are too easy";
  fmt::print("{} cases, {} out of range; in {} of them y is not beta exactly, and within the bound\n", cases,
             voided, not_beta);
}

bool is_constant(const Case& c) {
  const std::int64_t n = row_length(c);
  for (std::int64_t i = 0; i < c.x.size(); ++i)
    if (!(c.x.value(i) == c.x.value(i / n * n))) return false;
  return true;
}

std::string first_complaint(const Case& c) {
  if (!is_constant(c)) return {};  // signed_zeros has rows with a 1, and shrinking may part two elements
  for (const Row& row : table()) {
    if (!is_right(row) || !offers(row, c.x.dtype)) continue;
    if (exact_by_design(row) && differs_from_beta(row, c) > 0)
      return fmt::format("{}: {} elements are not beta", row.name, differs_from_beta(row, c));
    const std::string why = complaint(row, c, stable_contract());
    if (!why.empty()) return why;
  }
  return {};
}

// An eps in double can be far below what squares in f32 lose to underflow: then a mean that is an ulp off
// gives an |x_hat| of far more than 1.
TEST(Constant, AnEpsBelowTheAccumulateTypeBoundsNoSquare) {
  const Row& row = *find_row("two_pass/f32/eps_f64");
  std::int64_t cases = 0;
  double largest = 0;
  for (int eps = -300; eps <= -140; eps += 4) {
    for (int x = -110; x <= -60; ++x) {
      Case c;
      c.id = "small-eps";
      c.eps = std::ldexp(1.0, eps);
      c.x = Tensor(DType::f32, {1, 12});
      for (std::int64_t i = 0; i < 12; ++i) c.x.set_value(i, std::ldexp(0x1.fa6b84p+0, x));
      const Observation o = run_case(row, c, {true, true});
      for (const char* contract : {"own", "algorithm=two_pass;eps=f64"}) {
        const Judgement j = judge(c, o, parse_contract(contract, &row));
        EXPECT_FALSE(is_finding(j.verdict))
            << contract << " eps 2^" << eps << " x 2^" << x << ' ' << j.reason;
      }
      const double y = std::fabs(o.y.value(0));
      if (std::isfinite(y)) largest = std::max(largest, y);
      ++cases;
    }
  }
  EXPECT_GT(largest, 100);
  fmt::print("{} constant rows, |y| up to {:.3g} for 0, all within their bound\n", cases, largest);
}

TEST(Constant, HoldsOnWhateverIsDrawn) {
  constexpr int cases = 300;
  const CaseSpace space = {.regimes = {"constant", "signed_zeros", "single_element"}, .max_n = 200};
  check_cases("a constant row gives beta", space, cases, first_complaint);
  const auto simplest = counterexample("two passes give beta exactly", space, cases, [](const Case& c) {
    const Row& row = *find_row("two_pass/f32");
    if (!is_constant(c) || !offers(row, c.x.dtype) || differs_from_beta(row, c) == 0) return "";
    return "not beta";
  });
  EXPECT_TRUE(simplest.has_value()) << "no constant drawn was hard";
  fmt::print("{} cases, every right row; planted: two_pass as exact is found and shrunk to x = {}\n", cases,
             simplest ? shape_text(simplest->x.shape) : "nothing");
}

Case copies(double value, std::int64_t n) {
  Case c;
  c.id = fmt::format("{}-times-{}", n, value);
  c.x = Tensor(DType::f32, {1, n});
  for (std::int64_t i = 0; i < n; ++i) c.x.set_value(i, value);
  return c;
}

TEST(Constant, OnePassIsCaughtOnSixtyFourEqualNumbers) {
  const Case c = copies(-7.7F, 64);
  EXPECT_NE(complaint(*find_row("naive/f32"), c, stable_contract()), "");
  EXPECT_EQ(differs_from_beta(*find_row("welford/f32"), c), 0);
  EXPECT_EQ(complaint(*find_row("two_pass/f32"), c, stable_contract()), "");
  fmt::print("64 times -7.7: naive found, welford exact, two_pass within its bound\n");
}

// The count must be able to see a row that is not exact: a right two_pass is one.
TEST(Constant, TwoPassIsNotExactAndTheCountSeesIt) {
  const Case c = copies(1000000.1F, 1000);
  EXPECT_GT(differs_from_beta(*find_row("two_pass/f32"), c), 0);
  const Observation observed = run_case(*find_row("two_pass/f32"), c);
  EXPECT_EQ(complaint(*find_row("two_pass/f32"), c, stable_contract()), "");
  fmt::print("1000 times 1000000.1: two_pass gives y = {}, and that is within the bound\n",
             observed.y.value(0));
}

}  // namespace
}  // namespace normcheck
