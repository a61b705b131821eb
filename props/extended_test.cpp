// Promise: what is computed in f80, the x87's long double, keeps the bound of 64 significant bits, and is
// rounded once to f64 on the way out; f80 is no type of a tensor.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "impl/algorithms/two_pass.h"
#include "impl/layer_norm.h"
#include "oracles/bound.h"
#include "oracles/row_input.h"
#include "props/build_case.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

using Extended = long double;

/// Counted, and says why, where long double is another format.
class ExtendedOf : public testing::Test {
 protected:
  void SetUp() override {
    if (!missing_f80().empty()) GTEST_SKIP() << "this machine lacks " << missing_f80();
  }
};

/// Sums that are taken in double, inside a layer norm that is in f80 else.
struct SumsInDouble {
  template <class R, class Term>
  static R sum(std::int64_t lo, std::int64_t hi, const Term& term) {
    double s = 0;
    for (std::int64_t i = lo; i < hi; ++i) s += ArithmeticTraits<R>::to_double(term(i));
    return ArithmeticTraits<R>::from_double(s);
  }
  static Growth growth(std::int64_t n, const Working& f) { return growth_in_any_order(n, f); }
};
struct Impostor : TwoPassOver<SumsInDouble> {
  static constexpr std::string_view name = "two_pass", formula = "", first_order_mean = "",
                                    first_order_variance = "", derivation = "";
};

TEST_F(ExtendedOf, SumsInDoubleAreSeenUnderOwnAndTheStageIsNamed) {
  static constexpr Row impostor = make_row<Impostor, Extended>("two_pass/f80", "pass");
  const Row& right = *find_row("two_pass/f80");
  int caught = 0, named = 0;
  constexpr int cases = 20;
  for (std::uint64_t index = 0; index < cases; ++index) {
    const GenRequest request = {.dtype = DType::f64, .rows = 1, .n = 64};
    const Case c = make_case(*find_regime("large_mean"), request, promise_seed(), index);
    EXPECT_EQ(complaint(right, c, own_contract(right), true), "") << c.id;
    EXPECT_FALSE(first_wrong_stage(c, right, 0, own_contract(right)).has_value()) << c.id;
    EXPECT_EQ(complaint(impostor, c, stable_contract(), true), "") << c.id;
    if (run_and_judge(impostor, c, own_contract(impostor)).verdict != Verdict::fail) continue;
    ++caught;
    const auto stage = first_wrong_stage(c, impostor, 0, own_contract(impostor));
    named += stage.has_value() && (stage->step == "mean" || stage->step == "centre");
  }
  EXPECT_GT(caught, cases / 2);
  EXPECT_EQ(named, caught);
  fmt::print("planted: sums in double: {} of {} cases fail own, {} by their mean; none fails stable\n",
             caught, cases, named);
}

// A trace is rounded to double, and its bounds say so: a step of a right row is never called wrong.
TEST_F(ExtendedOf, NoStageOfARightRowIsWrong) {
  std::int64_t traced = 0;
  for (const Row& row : table()) {
    if (row.accumulate != DType::f80) continue;
    for (const Regime& regime : regimes()) {
      const GenRequest request = {.dtype = DType::f64, .rows = 1, .n = 24};
      const Case c = make_case(regime, request, promise_seed(), 3);
      if (row_length(c) == 0 || row_count(c) == 0) continue;
      const auto stage = first_wrong_stage(c, row, 0, own_contract(row));
      EXPECT_FALSE(stage.has_value()) << row.name << ' ' << c.id << ": " << stage->step;
      ++traced;
    }
  }
  EXPECT_GT(traced, 0);
  fmt::print("{} traces\n", traced);
}

/// The layer norm by long double, written out, with y as it is before it is rounded.
std::vector<Extended> written_out(const Case& c) {
  const std::int64_t n = row_length(c);
  Extended sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += c.x.value(i);
  const Extended mean = sum / static_cast<Extended>(n);
  for (std::int64_t i = 0; i < n; ++i) squares += (c.x.value(i) - mean) * (c.x.value(i) - mean);
  const Extended rstd = 1 / std::sqrt(squares / static_cast<Extended>(n) + c.eps);
  std::vector<Extended> out;
  for (std::int64_t i = 0; i < n; ++i)
    out.push_back((c.x.value(i) - mean) * rstd * c.gamma->value(i) + c.beta->value(i));
  return out;
}

TEST_F(ExtendedOf, YIsRoundedOnceAndElevenBitsMoreAreSeenInIt) {
  CounterRng rng(promise_seed(), 91);
  std::int64_t elements = 0, rounded_f80 = 0, rounded_f64 = 0, past_half = 0;
  const Row &extended = *find_row("two_pass/f80"), &plain = *find_row("two_pass/f64");
  for (std::int64_t n = 2; n <= 64; ++n) {
    Case c = case_of(normal_tensor(rng, DType::f64, {1, n}, 3, 2));
    c.gamma = normal_tensor(rng, DType::f64, {n});
    c.beta = normal_tensor(rng, DType::f64, {n}, 0, 10);
    const Tensor y = run_case(extended, c).y, y_f64 = run_case(plain, c).y;
    const std::vector<Extended> want = written_out(c);
    RowInput input(c);
    ASSERT_TRUE(input.load(0, false));
    const RowAllowance halved(own_contract(extended), DType::f64, input.condition.facts(), c.eps,
                              BoundTerm::narrowing_rounding);
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_EQ(y.value(i), static_cast<double>(want[static_cast<std::size_t>(i)]));
      const ExactValue exact = input.exact_row().y(i, c.gamma->value(i), c.beta->value(i));
      rounded_f80 += exact.round(DType::f64) == y.bits(i);
      rounded_f64 += exact.round(DType::f64) == y_f64.bits(i);
      past_half += !exact.within(y.value(i), halved.y_error(input.element(i).facts));
      ++elements;
    }
  }
  EXPECT_GT(100 * rounded_f80, 98 * elements);
  EXPECT_LT(100 * rounded_f64, 90 * elements);
  EXPECT_GT(past_half, 0) << "a bound with half of the last rounding is not exceeded";
  fmt::print(
      "{} elements: correctly rounded {} in f80, {} in f64; planted: with half of the last rounding {} "
      "exceed "
      "the bound\n",
      elements, rounded_f80, rounded_f64, past_half);
}

/// How many cases break the claims.
int broken(std::string_view name, std::string_view claims) {
  const Row& row = *find_row(name);
  const Contract contract = parse_contract(claims, &row);
  int out = 0;
  for (const Regime& regime : regimes()) {
    for (const std::int64_t n : {2, 33, 500}) {
      const Case c = make_case(regime, {.dtype = DType::f64, .rows = 1, .n = n}, promise_seed(), 5);
      out += run_and_judge(row, c, contract, true).verdict == Verdict::fail;
    }
  }
  return out;
}

// With eps=f64 the root is a double, and 2 ulp of that are 4096 of f80.
TEST_F(ExtendedOf, AClaimOfF80IsKeptByItsRowsAndBrokenByDouble) {
  const std::string_view f80 = "accumulate=f80", eps_f64 = "accumulate=f80;eps=f64";
  for (const Row& row : table()) {
    if (row.accumulate == DType::f80 && is_right(row)) EXPECT_EQ(broken(row.name, eps_f64), 0) << row.name;
    if (row.accumulate == DType::f80 && is_right(row) && !row.variant.eps_f64)
      EXPECT_EQ(broken(row.name, f80), 0) << row.name;
  }
  const int by_sums = broken("two_pass/f64", f80), by_root = broken("two_pass/f80/eps_f64", f80),
            in_any_case = broken("two_pass/f64", eps_f64), by_cancelling = broken("naive/f80", f80);
  EXPECT_GT(by_sums, 0);
  EXPECT_GT(by_root, 0);
  EXPECT_GT(in_any_case, 0);
  EXPECT_GT(by_cancelling, 0);
  fmt::print("planted: broken by sums in double in {} cases, by a root in double in {}, by naive in {}\n",
             by_sums, by_root, by_cancelling);
}

std::string error_of(const std::string& text) {
  try {
    parse_case(text, "t", {});
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Extended, IsNoTypeOfATensor) {
  const std::string head = "normcheck-case 1\nid t\nop layernorm_fwd\nnorm_ndim 1\neps 0x1p-10\n";
  const std::string tail = " 1 2\n  1 2\ngamma none\nbeta none\nexpect bound\n";
  const std::string stored = error_of(head + "x f64" + tail), wide = error_of(head + "x f80" + tail);
  EXPECT_EQ(stored, "");
  EXPECT_NE(wide.find("f80"), std::string::npos) << wide;
  EXPECT_EQ(wide.find('\n'), std::string::npos) << wide;
  EXPECT_EQ(parse_dtype("f80"), std::nullopt);
  EXPECT_THROW(Tensor(DType::f80, {2}), InputError);
  Case c = case_of(tensor_of(DType::f64, {1, 2}, {1, 2}));
  c.x.dtype = DType::f80;
  const Observation out = run_case(*find_row("two_pass/f64"), c);
  EXPECT_EQ(out.status, Status::invalid);
  EXPECT_NE(out.message.find("x is f80"), std::string::npos) << out.message;
  fmt::print("{}\n", wide);
}

TEST(Extended, WhereLongDoubleIsAnotherFormatItsRowsSaySo) {
  Row lacking = *find_row("two_pass/f80");
  lacking.missing = [] { return std::string_view("a long double of 64 significant bits"); };
  const Case c = case_of(tensor_of(DType::f64, {1, 4}, {1, 2, 3, 5}));
  const Observation out = run_case(lacking, c);
  EXPECT_EQ(out.status, Status::unsupported);
  EXPECT_FALSE(offers(lacking, DType::f64));
  EXPECT_THROW(trace_case(lacking, c), InputError);
  fmt::print("{}\n", out.message);
}

}  // namespace
}  // namespace normcheck
