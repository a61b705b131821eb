// An explanation: its parts add up to the error, and it points at the step where the mistake is.
#include "reports/explain/explain.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "corpus/error.h"
#include "impl/semantics.h"
#include "impl/table.h"
#include "props/gen.h"

namespace normcheck {
namespace {

Explained explained(std::string_view impl, const Case& c) {
  return explain_case(*find_row(impl), c, parse_contract("stable", nullptr));
}

Case large_mean(double mean) {
  Case c;
  c.id = "large_mean";
  c.x = Tensor(DType::f32, {2, 4});
  for (int i = 0; i < 8; ++i) c.x.set_value(i, mean + i % 4 + i / 4);
  return c;
}

TEST(Explain, TheShareOfEachStepAddsUpToTheErrorOfY) {
  std::int64_t cases = 0;
  double most = 0;
  for (const char* impl : {"two_pass/f32", "welford/f32", "naive/f32", "lanes8/f32", "two_pass/f32/folded",
                           "naive_clamped/f32"}) {
    for (std::uint64_t k = 0; k < regimes().size(); ++k) {
      const Case c = make_case(regimes()[k], {.dtype = DType::f32, .rows = 2, .n = 24}, 5, k);
      bool numbers = c.x.size() > 0 && !refusal(c);
      for (std::int64_t i = 0; i < c.x.size(); ++i) numbers = numbers && std::isfinite(c.x.value(i));
      if (!numbers) continue;
      const Explained e = explained(impl, c);
      if (!std::isfinite(e.error_ulp)) continue;
      double sum = 0, size = std::fabs(e.error_ulp);
      for (const ExplainedStep& s : e.steps) {
        if (!s.formed) continue;
        sum += s.of_y_ulp;
        size += std::fabs(s.of_y_ulp);
      }
      if (!std::isfinite(sum)) continue;
      EXPECT_NEAR(sum, e.error_ulp, 1e-12 * size) << impl << " " << regimes()[k].name;  // sums of doubles
      most = std::max(most, std::fabs(e.error_ulp));
      ++cases;
    }
  }
  fmt::print("{} explanations, errors of up to {:.3g} ulp: the steps' shares add up to each\n", cases, most);
  EXPECT_GT(cases, 100);
}

TEST(Explain, TheVarianceIsWhereNaiveLosesItAndTheRootWhereAnEstimateDoes) {
  const Explained naive = explained("naive/f32", large_mean(3000));
  EXPECT_EQ(naive.step, "variance");
  EXPECT_NE(naive.why.find("cancels"), std::string::npos) << naive.why;
  const Explained coarse = explained("two_pass/f32/newton0", large_mean(0));
  EXPECT_EQ(coarse.step, "rstd");
  EXPECT_NE(coarse.why.find("bits"), std::string::npos) << coarse.why;
  // A right one, on the row that naive fails.
  const Explained right = explained("two_pass/f32", large_mean(3000));
  EXPECT_LE(std::fabs(right.error_ulp), 2);
}

TEST(Explain, ANaNIsDueToTheVarianceThatCameOutNegative) {
  int nans = 0;
  for (int k = 0; k < 40; ++k) {
    Case c;
    c.id = "constant";
    c.x = Tensor(DType::f32, {1, 511});
    for (int i = 0; i < 511; ++i) c.x.set_value(i, 1000.1 + 37.3 * k);
    const Explained e = explained("naive/f32", c);
    if (!std::isinf(e.error_ulp)) continue;
    ++nans;
    EXPECT_EQ(e.step, "variance") << e.why;
    EXPECT_NE(e.why.find("negative"), std::string::npos) << e.why;
  }
  fmt::print("{} constant rows on which naive gives NaN\n", nans);
  EXPECT_GT(nans, 3);
}

TEST(Explain, ASquareThatOverflowsIsSaidToBe) {
  Case c;
  c.id = "overflow";
  c.x = Tensor(DType::f16, {1, 4});
  for (int i = 0; i < 4; ++i) c.x.set_value(i, i % 2 == 0 ? 400 : -400);
  const Explained e = explained("two_pass/f16", c);
  EXPECT_EQ(e.step, "variance");
  EXPECT_NE(e.why.find("passes the largest number of f16"), std::string::npos) << e.why;
}

TEST(Explain, TextAndPictureShowEveryStepAndEscapeNames) {
  Case c = large_mean(3000);
  c.id = "a<b>&c";
  const Explained e = explained("naive/f32", c);
  const std::string text = explained_text(e, "normcheck replay x.case", Style{}), svg = explained_svg(e);
  for (const char* step : {"mean", "centre", "variance", "rstd", "normalize", "scale_shift"}) {
    EXPECT_NE(text.find(step), std::string::npos) << step;
    EXPECT_NE(svg.find(step), std::string::npos) << step;
  }
  EXPECT_NE(text.find("> variance"), std::string::npos) << text;
  EXPECT_EQ(svg.find("a<b>"), std::string::npos);
  EXPECT_NE(svg.find("a&lt;b&gt;&amp;c"), std::string::npos);
  EXPECT_EQ(explained_svg(e), svg);
  for (std::size_t at = 0, end; at < text.size(); at = end + 1) {
    end = std::min(text.find('\n', at), text.size());
    EXPECT_LE(end - at, 100U) << text.substr(at, end - at);
  }
}

TEST(Explain, ACallThatIsRefusedAndARowOfNaNAreOneLine) {
  Case refused = large_mean(0);
  refused.eps = -1;
  EXPECT_THROW(explained("two_pass/f32", refused), InputError);
  Case nan = large_mean(0);
  for (int i = 0; i < 8; ++i) nan.x.set_value(i, std::nan(""));
  EXPECT_THROW(explained("two_pass/f32", nan), InputError);
  Case other = large_mean(0);
  other.x = Tensor(DType::f64, {2, 4});
  EXPECT_THROW(explained("two_pass/f16", other), InputError);
}

}  // namespace
}  // namespace normcheck
