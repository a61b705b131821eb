// An output judged inside a test: right arrays pass, wrong ones say where, and what proves nothing fails.
#include "reports/is_layer_norm.h"

#include <fmt/format.h>

#include <cmath>

#include "impl/table.h"
#include "reports/gtest.h"

namespace normcheck {
namespace {

struct Problem {
  std::vector<float> x, gamma, beta, y;
  std::vector<float> mean, rstd;
};

/// 3 rows of 64 about `mean`, normalized by a row of the table.
Problem problem(const char* impl, float mean) {
  Problem p;
  Case c;
  c.x = Tensor(DType::f32, {3, 64});
  c.gamma = Tensor(DType::f32, {64});
  c.beta = Tensor(DType::f32, {64});
  for (int i = 0; i < 192; ++i) {
    p.x.push_back(mean + static_cast<float>((i * 37 + i / 64) % 101) / 64);
    c.x.set_value(i, p.x.back());
  }
  for (int i = 0; i < 64; ++i) {
    p.gamma.push_back(1 + static_cast<float>(i) / 64);
    p.beta.push_back(static_cast<float>(i % 7) - 3);
    c.gamma->set_value(i, p.gamma.back());
    c.beta->set_value(i, p.beta.back());
  }
  const Observation o = run_case(*find_row(impl), c, {.mean = true, .rstd = true});
  for (int i = 0; i < 192; ++i) p.y.push_back(static_cast<float>(o.y.value(i)));
  for (int r = 0; r < 3; ++r) {
    p.mean.push_back(static_cast<float>(o.mean->value(r)));
    p.rstd.push_back(static_cast<float>(o.rstd->value(r)));
  }
  return p;
}

TEST(IsLayerNorm, HoldsOfARightOutputWithAndWithoutItsStatistics) {
  const Problem p = problem("two_pass/f32", 100);
  EXPECT_TRUE(
      is_layer_norm(p.y, {.x = p.x, .shape = {3, 64}, .gamma = p.gamma, .beta = p.beta, .eps = 1e-5}));
  EXPECT_TRUE(is_layer_norm(
      p.y, {.x = p.x, .shape = {3, 64}, .gamma = p.gamma, .beta = p.beta, .mean = p.mean, .rstd = p.rstd}));
  EXPECT_TRUE(
      is_layer_norm(p.y, {.x = p.x, .shape = {3, 8, 8}, .gamma = p.gamma, .beta = p.beta, .norm_ndim = 2}));
  fmt::print("two_pass/f32 [3,64] and [3,8,8] over two dims: {}\n",
             judge_layer_norm(p.y, {.x = p.x, .shape = {3, 64}, .gamma = p.gamma, .beta = p.beta}).text);
}

TEST(IsLayerNorm, SaysWhereAnOutputIsWrong) {
  const Problem naive = problem("naive/f32", 40000);
  const auto said =
      judge_layer_norm(naive.y, {.x = naive.x, .shape = {3, 64}, .gamma = naive.gamma, .beta = naive.beta});
  EXPECT_FALSE(said.ok);
  EXPECT_TRUE(said.text.starts_with("FAIL  y  f32 [3,64] over [64]")) << said.text;
  EXPECT_NE(said.text.find("want "), std::string::npos) << said.text;

  Problem p = problem("two_pass/f32", 1);
  const LayerNormOf<float> of{.x = p.x, .shape = {3, 64}, .gamma = p.gamma, .beta = p.beta, .rstd = p.rstd};
  EXPECT_TRUE(is_layer_norm(p.y, of));
  p.rstd[1] *= 1.001F;
  EXPECT_FALSE(is_layer_norm(p.y, of)) << "a wrong rstd";
  p.rstd[1] /= 1.001F;
  p.y[70] += 0.001F;
  EXPECT_NE(judge_layer_norm(p.y, of).text.find("y[1,6]"), std::string::npos);
  EXPECT_FALSE(
      is_layer_norm(p.y, {.x = p.x, .shape = {3, 64}, .gamma = p.gamma, .beta = p.beta, .eps = 0.1}));
  fmt::print("naive at mean 40000; one rstd, one element, another eps\n{}", said.text);
}

TEST(IsLayerNorm, JudgesDoublesAndTheBitsOfHalves) {
  const std::vector<double> x = {1, 2, 3, 4}, mean = {2.5};
  std::vector<double> y;
  for (const double v : x) y.push_back((v - 2.5) / std::sqrt(1.25 + 1e-5));
  EXPECT_TRUE(is_layer_norm(y, {.x = x, .shape = {4}, .mean = mean}));
  std::vector<std::uint16_t> bits, out;
  for (std::size_t i = 0; i < 4; ++i) {
    bits.push_back(static_cast<std::uint16_t>(round_to(DType::bf16, x[i])));
    out.push_back(static_cast<std::uint16_t>(round_to(DType::bf16, y[i])));
  }
  EXPECT_TRUE(is_layer_norm(out, {.x = bits, .shape = {4}, .dtype = DType::bf16}));
  EXPECT_FALSE(is_layer_norm(out, {.x = bits, .shape = {4}, .dtype = DType::f16})) << "the bits of bfloat16";
  fmt::print("f64 with its mean; bf16; bf16 taken for f16 fails\n");
}

TEST(IsLayerNorm, FailsInOneLineWhereArraysDoNotFitOrNothingIsProved) {
  const std::vector<float> x = {1, 2, 3, 4}, y = {0, 0, 0, 0}, three = {1, 1, 1};
  const auto line = [&](const LayerNormOf<float>& of) {
    const LayerNormVerdict said = judge_layer_norm(y, of);
    EXPECT_FALSE(said.ok) << said.text;
    fmt::print("{}\n", said.text);
    return said.text;
  };
  EXPECT_EQ(line({.x = x, .shape = {2, 3}}), "x: 4 elements; expected 6, for shape [2,3]");
  EXPECT_EQ(line({.x = x, .shape = {4}, .gamma = three}), "gamma: 3 elements; expected 4, for shape [4]");
  EXPECT_EQ(line({.x = x, .shape = {2, 2}, .norm_ndim = 3}),
            "norm_ndim: 3; expected 1 to 2, the rank of x [2,2]");
  EXPECT_NE(line({.x = x, .shape = {4}, .eps = -1}).find("eps"), std::string::npos);
  EXPECT_NE(line({.x = x, .shape = {4}, .contract = "stabel"}).find("stabel"), std::string::npos);
  // Beyond what f32 sums hold: no bound says anything.
  const std::vector<float> huge = {3e38F, 3e38F, -3e38F, 3e38F};
  EXPECT_NE(line({.x = huge, .shape = {4}}).find("nothing was proved"), std::string::npos);
}

}  // namespace
}  // namespace normcheck
