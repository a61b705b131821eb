// Promise: the judge catches what is wrong, stage by stage and close to the bound, and lets through what is
// right.
#include "oracles/judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "corpus/generate.h"
#include "impl/trace.h"
#include "oracles/bound.h"
#include "oracles/row_input.h"
#include "props/mistakes.h"

namespace normcheck {
namespace {

Case make(DType dtype, std::int64_t rows, const std::vector<double>& values, double eps) {
  Case c;
  c.eps = eps;
  c.x = Tensor(dtype, {rows, static_cast<std::int64_t>(values.size()) / rows});
  for (std::size_t i = 0; i < values.size(); ++i) c.x.set_value(static_cast<std::int64_t>(i), values[i]);
  return c;
}

/// Three rows of different scale and offset, gamma and beta distinct: no two defects below agree on it.
Case plain_case() {
  CounterRng rng(1, 81);
  std::vector<double> x;
  for (int row = 0; row < 3; ++row) {
    for (int i = 0; i < 12; ++i) x.push_back(row * 3 + 0.01 * (row + 1) * rng.normal());
  }
  Case c = make(DType::f32, 3, x, 1e-4);
  c.gamma = Tensor(DType::f32, {12});
  c.beta = Tensor(DType::f32, {12});
  for (int i = 0; i < 12; ++i) {
    c.gamma->set_value(i, 0.5 + 0.25 * i);
    c.beta->set_value(i, 0.125 * i - 1);
  }
  return c;
}

Observation run(const Case& c, Wanted wanted = {true, true}) {
  return run_case(*find_row("two_pass/f32"), c, wanted);
}
Judgement judged(const Case& c, const Observation& o) { return judge(c, o, Contract{}); }

TEST(Judge, CatchesPlantedDefects) {
  const Case c = plain_case();
  ASSERT_EQ(judged(c, wrong_kernel(c, Mistake{})).verdict, Verdict::pass)
      << "the same kernel without a mistake";
  std::int64_t caught = 0;
  for (const Mistake& m : mistakes()) {
    const Judgement j = judged(c, wrong_kernel(c, m));
    EXPECT_EQ(j.verdict, Verdict::fail) << m.name;
    if (j.verdict != Verdict::fail) continue;
    ++caught;
    EXPECT_TRUE(j.worst && std::fabs(j.worst->error_ulp) > j.worst->allowed_ulp) << m.name;
  }
  fmt::print("planted defects caught: {} of {}\n", caught, mistakes().size());
  EXPECT_GE(caught, 15);
}

/// The bound itself, and a case on which an output can be moved to either side of it.
struct NearBound {
  Case c = plain_case();
  RowInput input{c};
  RowAllowance allowance;
  static RowAllowance of(RowInput& in, const Case& c) {
    in.load(1, true);
    return RowAllowance(Contract{}, c.x.dtype, in.condition.facts(), c.eps);
  }
  NearBound() : allowance(of(input, c)) {}
  double exact_y(std::int64_t i) {
    return input.exact_row().y(i, input.gamma_at(i), input.beta_at(i)).to_double();
  }
  double allowed_y(std::int64_t i) { return allowance.y(input.element(i).facts).y; }
};

TEST(Judge, SeesDefectsWithinFourTimesOfTheBound) {
  NearBound near;
  ASSERT_EQ(judged(near.c, run(near.c)).verdict, Verdict::pass);
  int caught = 0;
  const auto expect_edge = [&](const char* what, const std::function<void(Observation&, double)>& move) {
    for (const double factor : {0.9, 1.1, 2.0, 4.0}) {
      Observation o = run(near.c);
      move(o, factor);
      const Verdict verdict = judged(near.c, o).verdict;
      EXPECT_EQ(verdict, factor < 1 ? Verdict::pass : Verdict::fail)
          << what << " moved by " << factor << " bounds";
      caught += verdict == Verdict::fail ? 1 : 0;
    }
  };
  const std::int64_t at = 12 + 5;
  const double y = near.exact_y(5), allowed = near.allowed_y(5);
  expect_edge("y up", [&](Observation& o, double f) { o.y.set_value(at, y + f * allowed); });
  expect_edge("y down", [&](Observation& o, double f) { o.y.set_value(at, y - f * allowed); });
  const double mean = near.input.exact_row().mean().to_double();
  expect_edge("mean",
              [&](Observation& o, double f) { o.mean->set_value(1, mean + f * near.allowance.mean()); });
  const double rstd = near.input.exact_row().rstd().to_double();
  expect_edge("rstd up",
              [&](Observation& o, double f) { o.rstd->set_value(1, rstd + f * near.allowance.rstd()); });
  expect_edge("rstd down",
              [&](Observation& o, double f) { o.rstd->set_value(1, rstd - f * near.allowance.rstd()); });
  expect_edge("a whole row", [&](Observation& o, double f) {
    for (std::int64_t i = 0; i < 12; ++i) o.y.set_value(12 + i, near.exact_y(i) + f * near.allowed_y(i));
  });
  fmt::print("moved by 1.1, 2 and 4 bounds: {} of 18 caught; by 0.9: let through\n", caught);
}

/// A step moved by `tenths`/10 of its own bound away from its exact value. The trace function of a row is a
/// plain function, hence one a step and a distance.
template <Step step, int tenths>
void moved_trace(const LayerNormCall& call, std::int64_t index, RowTrace& out) {
  find_row("two_pass/f32")->trace(call, index, out);
  NearBound near;
  const ExactRow& exact = near.input.exact_row();
  const auto place = [](double& v, const ExactValue& truth, double allowed) {
    v = truth.to_double() + 0.1 * tenths * allowed;
  };
  const auto e = near.input.element(2).facts;
  if (step == Step::mean) place(out.mean, exact.mean(), near.allowance.mean_step());
  if (step == Step::centre) place(out.centre[2], exact.deviation(2), near.allowance.centre(e.deviation));
  if (step == Step::variance) place(out.variance, exact.variance(), near.allowance.variance_step());
  if (step == Step::rstd) place(out.rstd, exact.rstd(), near.allowance.rstd_step());
  if (step == Step::normalize) place(out.normalize[2], exact.x_hat(2), near.allowance.x_hat(e));
  if (step == Step::scale_shift) {
    place(out.scale_shift[2], exact.y(2, near.input.gamma_at(2), near.input.beta_at(2)),
          near.allowance.y(e).y);
  }
}

template <Step step>
void expect_named(const Case& c) {
  Row row = *find_row("two_pass/f32");
  row.trace = moved_trace<step, 9>;
  EXPECT_FALSE(first_wrong_stage(c, row, 1, Contract{})) << "0.9 of its bound";
  for (const auto trace : {moved_trace<step, 11>, moved_trace<step, 20>, moved_trace<step, 40>}) {
    row.trace = trace;
    const auto found = first_wrong_stage(c, row, 1, Contract{});
    ASSERT_TRUE(found) << step_names[static_cast<std::size_t>(step)];
    EXPECT_EQ(found->step, step_names[static_cast<std::size_t>(step)]);
  }
}

TEST(Judge, NamesTheFirstStageThatIsOutOfItsBoundFrom1p1To4Bounds) {
  const Case c = plain_case();
  EXPECT_FALSE(first_wrong_stage(c, *find_row("two_pass/f32"), 1, Contract{}));
  expect_named<Step::mean>(c);
  expect_named<Step::centre>(c);
  expect_named<Step::variance>(c);
  expect_named<Step::rstd>(c);
  expect_named<Step::normalize>(c);
  expect_named<Step::scale_shift>(c);
  fmt::print("each of 6 steps: named when moved by 1.1, 2 and 4 of its bounds, let through at 0.9\n");
}

TEST(Judge, HoldsNonFiniteColumnsToTheirClassOnEveryKindOfRow) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  std::int64_t seen = 0;
  // A constant row with eps 0 (no value), a void row, a row beyond the range, an ordinary one.
  for (const auto& [x, eps] : {std::pair{std::vector<double>{1.5, 1.5, 1.5}, 0.0},
                               std::pair{std::vector<double>{8388608, 8388609, 8388608}, 1e-5},
                               std::pair{std::vector<double>{1e20, -1e20, 1e20}, 1e-5},
                               std::pair{std::vector<double>{1, 2, 4}, 1e-5}}) {
    Case c = make(DType::f32, 1, x, eps);
    c.gamma = Tensor(DType::f32, {3});
    for (int i = 0; i < 3; ++i) c.gamma->set_value(i, i == 0 ? nan : i == 1 ? inf : 1.0);
    Observation o = run(c);
    EXPECT_NE(judged(c, o).verdict, Verdict::fail);
    o.y.set_value(0, 5);
    EXPECT_EQ(judged(c, o).verdict, Verdict::fail) << "a number where gamma is NaN";
    o = run(c);
    o.y.set_value(1, 5);
    EXPECT_EQ(judged(c, o).verdict, Verdict::fail) << "a number where gamma is infinite";
    seen += 2;
  }
  // A kernel that gives beta for a constant row at once forms no 0*inf, no 0*NaN; any other number is wrong.
  Case constant = make(DType::f32, 1, {1.5, 1.5}, 1e-5);
  constant.gamma = Tensor(DType::f32, {2});
  constant.beta = Tensor(DType::f32, {2});
  for (int i = 0; i < 2; ++i) {
    constant.gamma->set_value(i, i == 0 ? nan : inf);
    constant.beta->set_value(i, i + 1);
  }
  Observation short_cut = run(constant);
  for (int i = 0; i < 2; ++i) short_cut.y.set_value(i, i + 1);
  EXPECT_NE(judged(constant, short_cut).verdict, Verdict::fail);
  for (int i = 0; i < 2; ++i) {
    Observation wrong = short_cut;
    wrong.y.set_value(i, 5);
    EXPECT_EQ(judged(constant, wrong).verdict, Verdict::fail) << i;
    ++seen;
  }
  // Nor 0/0, where the variance and eps are both 0. A root by Newton's steps makes NaN of an infinite rstd.
  const Case nothing = make(DType::f32, 1, {1.5}, 0);
  for (const auto& [y, rstd, right] : {std::tuple{nan, inf, true},
                                       {nan, nan, true},
                                       {0.0, inf, true},
                                       {5.0, inf, false},
                                       {nan, 0.0, false}}) {
    Observation o = run(nothing);
    o.y.set_value(0, y);
    o.rstd->set_value(0, rstd);
    EXPECT_EQ(judged(nothing, o).verdict != Verdict::fail, right) << y << " " << rstd;
    ++seen;
  }
  // In a row with an infinity max(var, 0) of a NaN may be 0, and a short cut gives beta where all x are
  // equal.
  struct Given {
    std::vector<double> x, y;
    double rstd;
    bool right;
  };
  for (const auto& [x, y, rstd, right] :
       {Given{{1, inf}, {-inf, nan}, 300, true}, Given{{1, inf}, {-inf, 2}, 300, false},
        Given{{1, inf}, {nan, nan}, -1, false}, Given{{inf, inf}, {0, 0}, 300, true},
        Given{{inf, inf}, {0, 1}, 300, false}, Given{{1, nan}, {inf, nan}, nan, false},
        Given{{1, nan}, {nan, nan}, 300, false}, Given{{nan}, {0}, 300, true},
        Given{{nan}, {1}, nan, false}}) {
    const Case c = make(DType::f32, 1, x, 1e-5);
    Observation o = run(c);
    for (std::size_t i = 0; i < y.size(); ++i) o.y.set_value(static_cast<std::int64_t>(i), y[i]);
    o.rstd->set_value(0, rstd);
    EXPECT_EQ(judged(c, o).verdict != Verdict::fail, right) << x[0] << " " << y[0] << " " << rstd;
    ++seen;
  }
  // rstd where no bound holds: not negative, not NaN, and finite since eps alone keeps it so.
  const Case steep = make(DType::f32, 1, {8388608, 8388609, 8388608, 8388608}, 1e-5);
  for (const double bad : {-1.0, nan, inf}) {
    Observation o = run(steep);
    o.rstd->set_value(0, bad);
    EXPECT_EQ(judged(steep, o).verdict, Verdict::fail) << bad;
    ++seen;
  }
  fmt::print("{} numbers and classes where another class is demanded: caught\n", seen);
}

TEST(Judge, ReachesEveryVerdict) {
  const Row& two_pass = *find_row("two_pass/f32");
  const Case plain = plain_case();
  EXPECT_EQ(judged(plain, run(plain)).verdict, Verdict::pass);

  const Case cancel = make(DType::f32, 1, {40000, 40001, 40002, 40003}, 1e-5);
  const Judgement fail = judged(cancel, run_case(*find_row("naive/f32"), cancel));
  EXPECT_EQ(fail.verdict, Verdict::fail);
  ASSERT_TRUE(fail.worst);
  EXPECT_TRUE(std::isinf(fail.worst->error_ulp));

  // mean/std near 2^23: the allowance of the variance reaches the variance. NaN is still wrong there.
  const Case steep = make(DType::f32, 1, {8388608, 8388609, 8388608, 8388608}, 1e-5);
  EXPECT_EQ(judged(steep, run(steep)).verdict, Verdict::void_bound);
  Observation nan = run(steep);
  nan.y.set_value(0, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(judged(steep, nan).verdict, Verdict::fail);
  nan.y.set_value(0, std::numeric_limits<double>::infinity());
  EXPECT_EQ(judged(steep, nan).verdict, Verdict::fail);

  // y itself is of the size of what underflows.
  const Case tiny = make(DType::f32, 1, {0x1p-149, 0, 0, 0}, 1.0);
  EXPECT_EQ(judged(tiny, run(tiny)).verdict, Verdict::vacuous);

  // Squares beyond the range: the class is reported, in a NOTE, and not judged.
  const Case huge = make(DType::f32, 1, {1e20, -1e20, 1e20, -1e20}, 1e-5);
  const Judgement beyond = judged(huge, run(huge));
  EXPECT_EQ(beyond.verdict, Verdict::void_bound);
  EXPECT_EQ(beyond.range_class, "beta");
  EXPECT_FALSE(beyond.notes.empty());

  Case bad = plain;
  bad.eps = -1;
  bad.expect = Expect::refused;
  EXPECT_EQ(judged(bad, run_case(two_pass, bad)).verdict, Verdict::refused);
  EXPECT_EQ(judged(bad, run(plain)).verdict, Verdict::fail) << "accepted what must be refused";
  Observation o = run(plain);
  o.status = Status::invalid;
  EXPECT_EQ(judged(plain, o).verdict, Verdict::fail) << "refused what is valid";
  o.status = Status::failed;
  EXPECT_EQ(judged(plain, o).verdict, Verdict::fail);
  o.status = Status::crash;
  EXPECT_EQ(judged(plain, o).verdict, Verdict::crash);
  o.status = Status::timeout;
  EXPECT_EQ(judged(plain, o).verdict, Verdict::timeout);
  o.status = Status::unsupported;
  EXPECT_EQ(judged(plain, o).verdict, Verdict::unsupported);
  fmt::print("reached: PASS FAIL VOID VACUOUS REFUSED UNSUPPORTED CRASH TIMEOUT, and a NOTE\n");
}

// A right two_pass on a constant row may be off by u*|mean|/sqrt(eps), times gamma: past the range of f16,
// and on either side of beta.
TEST(Judge, LetsAnOverflowThroughWhereTheAllowanceReachesIt) {
  Case c = make(DType::f16, 1, std::vector<double>(7, 43808), 1e-6);
  c.gamma = Tensor(DType::f32, {7});
  c.beta = Tensor(DType::f32, {7});
  for (int i = 0; i < 7; ++i) {
    c.gamma->set_value(i, 2e5);
    c.beta->set_value(i, 0.25);
  }
  Observation o = run(c);
  for (const double side : {-1.0, 1.0}) {
    o.y.set_value(3, side * std::numeric_limits<double>::infinity());
    EXPECT_EQ(judged(c, o).verdict, Verdict::pass) << side;
  }
  for (int i = 0; i < 7; ++i) c.gamma->set_value(i, 1);
  o = run(c);
  o.y.set_value(3, -std::numeric_limits<double>::infinity());
  EXPECT_EQ(judged(c, o).verdict, Verdict::fail) << "here it does not";
  fmt::print("both infinities within reach of the allowance: let through; out of reach: caught\n");
}

TEST(Judge, RejectsOutputsOfAnotherShapeOrDtype) {
  const Case c = plain_case();
  Observation o = run(c);
  o.y.shape = {12, 3};
  EXPECT_EQ(judged(c, o).verdict, Verdict::fail);
  o = run(c);
  o.y = Tensor(DType::f64, c.x.shape);
  EXPECT_EQ(judged(c, o).verdict, Verdict::fail);
  o = run(c);
  o.mean = Tensor(DType::f32, {3});
  EXPECT_EQ(judged(c, o).verdict, Verdict::fail) << "statistics keep the reduced dims as 1";
  fmt::print("y of another shape, y of another dtype, mean without its last dim: refused\n");
}

TEST(Judge, DecidesAlikeByFilterByIntegersAndByWideFloats) {
  CounterRng rng(1, 82);
  std::int64_t elements = 0, by_wide = 0;
  for (int r = 0; r < 300; ++r) {
    std::vector<double> x;
    const double offset = std::ldexp(1.0, static_cast<int>(rng.between(-4, 18)));
    for (int i = 0; i < 48; ++i) x.push_back(offset + rng.normal());
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const Case c = make(dtype, 4, x, 1e-5);
      for (const char* name : {"two_pass/f32", "naive/f64", "naive/f32", "welford/f64/folded"}) {
        const Observation o = run_case(*find_row(name), c, {true, true});
        if (o.status != Status::ok) continue;
        const Judgement fast = judge(c, o, Contract{}), slow = judge(c, o, Contract{}, OracleChoice::exact);
        ASSERT_EQ(fast.rows, slow.rows) << name;
        ASSERT_EQ(fast.errors.not_correctly_rounded, slow.errors.not_correctly_rounded) << name;
        if (std::isinf(slow.errors.max_ulp)) {
          ASSERT_EQ(fast.errors.max_ulp, slow.errors.max_ulp) << name;
        } else {
          ASSERT_NEAR(fast.errors.max_ulp, slow.errors.max_ulp, 0x1p-40 * (1 + slow.errors.max_ulp)) << name;
          ASSERT_NEAR(fast.errors.mean_ulp, slow.errors.mean_ulp, 0x1p-10) << name;
        }
        elements += 48;
        if (r % 30 != 0) continue;
        const Judgement wide = judge(c, o, Contract{}, OracleChoice::wide);
        ASSERT_EQ(wide.rows, slow.rows) << name;
        ASSERT_EQ(wide.errors.not_correctly_rounded, slow.errors.not_correctly_rounded) << name;
        by_wide += 48;
      }
    }
  }
  fmt::print(
      "{} elements: the same verdicts and roundings by the filter and by integers, {} by wide floats\n",
      elements, by_wide);
}

}  // namespace
}  // namespace normcheck
