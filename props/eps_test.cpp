// Promise: eps is inside the root, once, as given; a kernel that places it elsewhere is caught.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "props/gen.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

/// A layer norm in double, rounded once to x's type, right but for where it puts eps.
struct Kernel {
  std::string_view name;
  double (*rstd)(double variance, double eps, double n);
};

double rounded(DType dtype, double value) { return to_double(dtype, round_to(dtype, value)); }

constexpr Kernel right = {"inside the root, once",
                          [](double v, double eps, double) { return 1 / std::sqrt(v + eps); }};

constexpr std::array planted = {
    Kernel{"outside the root", [](double v, double eps, double) { return 1 / (std::sqrt(v) + eps); }},
    Kernel{"its root outside",
           [](double v, double eps, double) { return 1 / (std::sqrt(v) + std::sqrt(eps)); }},
    Kernel{"twice", [](double v, double eps, double) { return 1 / std::sqrt(v + 2 * eps); }},
    Kernel{"missing", [](double v, double, double) { return 1 / std::sqrt(v); }},
    Kernel{"always 1e-6", [](double v, double, double) { return 1 / std::sqrt(v + 1e-6); }},
    Kernel{"always 1e-5", [](double v, double, double) { return 1 / std::sqrt(v + 1e-5); }},
    Kernel{"rounded to f16",
           [](double v, double eps, double) { return 1 / std::sqrt(v + rounded(DType::f16, eps)); }},
    Kernel{"rounded to bf16",
           [](double v, double eps, double) { return 1 / std::sqrt(v + rounded(DType::bf16, eps)); }},
    Kernel{"squared", [](double v, double eps, double) { return 1 / std::sqrt(v + eps * eps); }},
    Kernel{"a floor of the variance",
           [](double v, double eps, double) { return 1 / std::sqrt(std::max(v, eps)); }},
    Kernel{"added to the sum", [](double v, double eps, double n) { return 1 / std::sqrt(v + eps / n); }},
};

Observation run(const Kernel& kernel, const Case& c) {
  Observation out;
  out.y = Tensor(c.x.dtype, c.x.shape);
  const std::int64_t n = row_length(c);
  const auto count = static_cast<double>(n);
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    double sum = 0;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i) sum += c.x.value(i);
    const double mean = sum / count;
    double squares = 0;
    for (std::int64_t i = row * n; i < (row + 1) * n; ++i)
      squares += (c.x.value(i) - mean) * (c.x.value(i) - mean);
    const double rstd = kernel.rstd(squares / count, c.eps, count);
    for (std::int64_t i = 0; i < n; ++i) {
      const double gamma = c.gamma ? c.gamma->value(i) : 1.0;
      const double beta = c.beta ? c.beta->value(i) : 0.0;
      out.y.set_value(row * n + i, (c.x.value(row * n + i) - mean) * rstd * gamma + beta);
    }
  }
  return out;
}

constexpr std::array<std::string_view, 4> eps_regimes = {"eps_scale", "tiny_variance", "large_eps",
                                                         "zero_eps"};
constexpr std::uint64_t cases_each = 12;

template <class Visit>
void each_case(std::string_view regime, DType dtype, const Visit& visit) {
  for (const std::int64_t n : {2, 7, 30, 200})
    for (std::uint64_t index = 0; index < cases_each; ++index) {
      const GenRequest request = {.dtype = dtype, .rows = 2, .n = n};
      visit(make_case(*find_regime(regime), request, promise_seed(), index));
    }
}

std::int64_t caught(const Kernel& kernel, std::string_view regime, DType dtype) {
  std::int64_t out = 0;
  each_case(regime, dtype, [&](const Case& c) {
    if (is_finding(judge(c, run(kernel, c), stable_contract()).verdict)) ++out;
  });
  return out;
}

TEST(Eps, EveryOtherPlaceIsCaught) {
  fmt::print("{:26}{:>12}", "caught in f32, of 48 cases", "unit_normal");
  for (const std::string_view regime : eps_regimes) fmt::print("{:>15}", regime);
  fmt::print("\n");
  for (const Kernel& kernel : planted) {
    fmt::print("{:26}{:12}", kernel.name, caught(kernel, "unit_normal", DType::f32));
    std::int64_t all = 0;
    for (const std::string_view regime : eps_regimes) {
      const std::int64_t count = caught(kernel, regime, DType::f32);
      fmt::print("{:15}", count);
      all += count;
    }
    fmt::print("\n");
    EXPECT_GT(all, 0) << "eps " << kernel.name << " was not caught";
  }
}

TEST(Eps, TheRightPlaceIsNeverFlagged) {
  std::int64_t cases = 0;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::string_view regime : eps_regimes) {
      EXPECT_EQ(caught(right, regime, dtype), 0) << regime << ' ' << dtype_name(dtype);
      cases += 4 * static_cast<std::int64_t>(cases_each);
    }
  fmt::print("{} cases of a kernel in double that puts eps inside the root, once, as given\n", cases);
}

TEST(Eps, EveryRightRowPutsItInsideTheRootOnceAsGiven) {
  std::int64_t judged = 0;
  std::int64_t proved = 0;
  for (const Row& row : table()) {
    if (!is_right(row)) continue;
    for (const DType dtype : row.storages)
      for (const std::string_view regime : eps_regimes)
        each_case(regime, dtype, [&](const Case& c) {
          const Judgement judgement = run_and_judge(row, c, stable_contract(), true);
          ++judged;
          if (judgement.verdict == Verdict::pass) ++proved;
          if (!is_finding(judgement.verdict)) return;
          const auto fails = [&](const Case& k) {
            return !complaint(row, k, stable_contract(), true).empty();
          };
          ADD_FAILURE() << row.name << " on " << c.id << ": " << judgement.reason << '\n'
                        << record_failure(c, row.name, fails);
        });
  }
  fmt::print("{} judged, {} proved\n", judged, proved);
  EXPECT_GT(2 * proved, judged);
}

std::string first_complaint(const Case& c) {
  for (const Row& row : table()) {
    if (!is_right(row) || !offers(row, c.x.dtype)) continue;
    const std::string why = complaint(row, c, stable_contract(), true);
    if (!why.empty()) return why;
  }
  return {};
}

TEST(Eps, HoldsOnWhateverIsDrawn) {
  constexpr int cases = 200;
  const CaseSpace space = {.regimes = {eps_regimes.begin(), eps_regimes.end()}};
  check_cases("eps is inside the root, once, as given", space, cases, first_complaint);
  const CaseSpace f32 = {.dtypes = {DType::f32}, .regimes = space.regimes};
  const auto simplest = counterexample("eps twice", f32, cases, [](const Case& c) {
    const Judgement judgement = judge(c, run(planted[2], c), stable_contract());
    return is_finding(judgement.verdict) ? judgement.reason : std::string();
  });
  ASSERT_TRUE(simplest.has_value());
  EXPECT_LE(simplest->x.size(), 4);
  fmt::print("{} cases, every right row; planted: eps {} is found and shrunk to x = {}\n", cases,
             planted[2].name, shape_text(simplest->x.shape));
}

}  // namespace
}  // namespace normcheck
