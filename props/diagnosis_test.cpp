// Diagnosis: a wrong output is explained by its mistake, and a right one is never explained.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "corpus/generate.h"
#include "impl/table.h"
#include "oracles/diagnose.h"
#include "oracles/judge.h"
#include "props/formula_mistakes.h"
#include "props/gen.h"
#include "props/mistakes.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// What a mistake of props/mistakes.h is to be called.
const std::map<std::string, std::string>& names() {
  static const std::map<std::string, std::string> all = {
      {"eps outside the root", "eps outside the root"},
      {"eps added twice", "eps added twice"},
      {"eps missing", "no eps"},
      {"eps fixed at 1e-5", "eps fixed at 1e-05"},
      {"eps squared", "eps squared"},
      {"max(var, eps)", "max(var, eps)"},
      {"no root", "no root"},
      {"root of 12 bits", "a reciprocal root good to 12 bits"},
      {"divisor n-1", "divisor n-1"},
      {"divisor of the padded width", "the variance divided by the width padded to"},
      {"gamma indexed by the row", "gamma and beta indexed by the row"},
      {"gamma and beta shifted", "gamma and beta shifted by one"},
      {"last element left out", "the last element left out"},
      {"statistics of the row before", "statistics of the row before"},
      {"gamma and beta swapped", "gamma and beta exchanged"},
      {"gamma missing", "gamma left out"},
      {"beta missing", "beta left out"},
      {"one pass in f32, clamped", "one-pass variance"},
  };
  return all;
}

/// Rows of 12 whose mean is about `mean` and whose variance is comparable with eps.
Case problem(DType dtype, std::uint64_t seed, double mean, double eps) {
  CounterRng rng(seed, 82);
  Case c;
  c.eps = eps;
  c.x = Tensor(dtype, {7, 12});
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    const auto row = static_cast<double>(i / 12);
    c.x.set_value(i, mean * (1 + 0.1 * row) + 0.05 * (1 + row) * rng.normal());
  }
  c.gamma = Tensor(dtype, {12});
  c.beta = Tensor(dtype, {12});
  for (int i = 0; i < 12; ++i) {
    c.gamma->set_value(i, 1 + rng.uniform());
    c.beta->set_value(i, 3 * rng.uniform() - 1);
  }
  return c;
}

TEST(Diagnosis, NamesThePlantedMistakeFirst) {
  int right = 0, all = 0;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      for (const Mistake& m : mistakes()) {
        const bool cancels = m.one_pass_f32;
        if (m.transposed) continue;  // of one column for all: below
        if (cancels && dtype != DType::f32) continue;
        if (m.name == "root of 12 bits" && dtype == DType::f16) continue;  // not seen through f16
        const Case c = problem(dtype, promise_seed() * 100 + seed, cancels ? 3000 : 0.5, 0x1p-8);
        const Observation o = wrong_kernel(c, m);
        const auto said = diagnose(c, o, Contract{});
        const std::string first = said.empty() ? "nothing" : said.front().name;
        ++all;
        right += first.starts_with(names().at(m.name));
        EXPECT_TRUE(first.starts_with(names().at(m.name)))
            << m.name << " in " << dtype_name(dtype) << ": " << explanation_text(said) << " (seed " << seed
            << ")";
      }
    }
  }
  fmt::print("{} of {} outputs of wrong kernels named rightly, in first place\n", right, all);
}

/// Rows of 37 whose variance is comparable with eps.
Case formula_problem(DType dtype, std::uint64_t seed, double eps, int parameters) {
  CounterRng rng(seed, 83);
  Case c;
  c.eps = eps;
  c.x = Tensor(dtype, {6, 37});
  const double spread = 3 * std::sqrt(eps);
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    const auto row = static_cast<double>(i / 37);
    c.x.set_value(i, spread * (0.7 + 0.2 * row + (1 + 0.3 * row) * rng.normal()));
  }
  Tensor gamma(dtype, {37}), beta(dtype, {37});
  for (int i = 0; i < 37; ++i) {
    gamma.set_value(i, 0.5 + 2 * rng.uniform());
    beta.set_value(i, 3 * rng.uniform() - 1);
  }
  if ((parameters & 1) != 0) c.gamma = gamma;
  if ((parameters & 2) != 0) c.beta = beta;
  return c;
}

// The same mistake in other orders, with another finish, at other eps.
TEST(Diagnosis, NamesAMistakeInWhateverOrderAndFinishItIsMade) {
  int right = 0, all = 0;
  std::size_t turn = 0;
  std::map<std::string, int> others;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (const FormulaMistake& m : formula_mistakes()) {
      if (is_half(dtype) ? !m.halves || (m.name.find("bf16") != std::string::npos && dtype == DType::bf16)
                         : !m.singles)
        continue;
      for (const double eps : {0x1p-6, 1e-3, 0.3}) {
        for (const auto& [lanes, folded] : {std::pair(1, false), std::pair(8, false), std::pair(4, true)}) {
          if (!exhaustive() && turn++ % 4 != 0) continue;
          const Case c = formula_problem(dtype, promise_seed() * 100 + 7, eps, m.parameters);
          Observation o;
          o.y = formula_kernel(c, m, lanes, folded);
          if (!is_finding(judge(c, o, Contract{}).verdict)) continue;
          const auto said = diagnose(c, o, Contract{});
          const std::string first = said.empty() ? "nothing" : said.front().name;
          ++all;
          right += first.starts_with(m.name);
          if (!first.starts_with(m.name))
            ++others[fmt::format("{} in {}: {}", m.name, dtype_name(dtype), first)];
        }
      }
    }
  }
  fmt::print("{} of {} named rightly, in first place\n", right, all);
  for (const auto& [what, times] : others) fmt::print("  {} ({} times)\n", what, times);
  EXPECT_GE(10 * right, 9 * all);
}

// One statistic for the other, and others that a kernel has at hand.
TEST(Diagnosis, NamesWhatIsSavedInThePlaceOfMeanAndRstd) {
  int named = 0, silent = 0;
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Case c = formula_problem(dtype, promise_seed() * 100 + seed, 1e-2, 3);
      const char* impl = dtype == DType::f64 ? "welford/f64" : "welford/f32";
      const Observation right = run_case(*find_row(impl), c, {.mean = true, .rstd = true});
      EXPECT_TRUE(diagnose_statistics(c, right, Contract{}).empty()) << impl;
      ++silent;
      const auto said = [&](bool of_mean, const std::function<double(double mean, double rstd)>& saved) {
        Observation o = right;
        for (std::int64_t r = 0; r < right.mean->size(); ++r) {
          (of_mean ? *o.mean : *o.rstd).set_value(r, saved(right.mean->value(r), right.rstd->value(r)));
        }
        ++named;
        return explanation_text(diagnose_statistics(c, o, Contract{}));
      };
      const double eps = c.eps;
      EXPECT_TRUE(
          said(false, [](double m, double) { return m; }).starts_with("rstd holds the mean explains"));
      EXPECT_TRUE(said(true, [](double, double r) { return r; }).starts_with("mean holds rstd explains"));
      EXPECT_TRUE(said(false, [=](double, double r) {
                    return 1 / (r * r) - eps;
                  }).starts_with("rstd holds the variance explains"));
      EXPECT_TRUE(said(false, [](double, double r) {
                    return 1 / r;
                  }).starts_with("rstd holds the deviation sqrt(var + eps) explains"));
      EXPECT_TRUE(said(true, [](double m, double) { return 37 * m; }).starts_with("mean holds the sum of x"));
    }
  }
  fmt::print("{} statistics named, {} right outputs left alone\n", named, silent);
}

/// Two normalized dims, or statistics over others than those.
Observation over_other_axes(const Case& c, bool column) {
  Observation o;
  o.y = Tensor(c.x.dtype, c.x.shape);
  const std::int64_t rows = row_count(c), n = row_length(c), last = c.x.shape.back();
  for (std::int64_t i = 0; i < c.x.size(); ++i) {
    const std::int64_t count = column ? rows : last, step = column ? n : 1;
    const std::int64_t first = column ? i % n : i / last * last;
    double sum = 0, squares = 0;
    for (std::int64_t k = 0; k < count; ++k) sum += c.x.value(first + k * step);
    const double mean = sum / static_cast<double>(count);
    for (std::int64_t k = 0; k < count; ++k) squares += std::pow(c.x.value(first + k * step) - mean, 2);
    const double x_hat = (c.x.value(i) - mean) / std::sqrt(squares / static_cast<double>(count) + c.eps);
    o.y.set_value(i, x_hat * c.gamma->value(i % n) + c.beta->value(i % n));
  }
  return o;
}

TEST(Diagnosis, NamesStatisticsOverOtherAxes) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    Case c = problem(DType::f32, promise_seed() * 100 + seed, 0.5, 1e-3);
    EXPECT_TRUE(explanation_text(diagnose(c, over_other_axes(c, true), {}))
                    .starts_with("statistics over the other axis"));
    c.x.shape = {7, 3, 4};
    c.gamma->shape = c.beta->shape = {3, 4};
    c.norm_ndim = 2;
    EXPECT_TRUE(explanation_text(diagnose(c, over_other_axes(c, false), {}))
                    .starts_with("statistics over the last dim"));
  }
  fmt::print("columns for rows, the last dim for the last two: 5 of 5 each\n");
}

TEST(Diagnosis, SaysNothingOfARightOutput) {
  const std::uint64_t step = exhaustive() ? 1 : 5;  // of the regimes; each row begins elsewhere
  std::int64_t outputs = 0, elements = 0;
  for (const Row& row : table()) {
    if (!is_right(row)) continue;
    for (const DType dtype : row.storages) {
      for (std::uint64_t index = static_cast<std::uint64_t>(&row - table().data()) % step;
           index < regimes().size(); index += step) {
        const Case c =
            make_case(regimes()[index], {.dtype = dtype, .rows = 3, .n = 40}, promise_seed(), index);
        const Observation o = run_case(row, c, {});
        const auto said = diagnose(c, o, Contract{});
        EXPECT_TRUE(said.empty()) << row.name << " " << dtype_name(dtype) << " " << regimes()[index].name
                                  << ": " << explanation_text(said);
        ++outputs;
        elements += c.x.size();
      }
    }
  }
  fmt::print("{} outputs of right implementations, {} elements: none explained\n", outputs, elements);
}

// What the table's wrong rows do wrong, on inputs that show it.
TEST(Diagnosis, NamesWhatTheWrongRowsOfTheTableDo) {
  const auto said = [](const char* impl, const Case& c) {
    return explanation_text(diagnose(c, run_case(*find_row(impl), c, {}), Contract{}));
  };
  for (const double mean : {300.0, 3000.0, 30000.0}) {
    const Case c = problem(DType::f32, promise_seed(), mean, 1e-5);
    EXPECT_TRUE(said("naive/f32", c).starts_with("one-pass variance"))
        << mean << ": " << said("naive/f32", c);
    EXPECT_TRUE(said("naive_clamped/f32", c).starts_with("one-pass variance")) << mean;
  }
  fmt::print("naive, clamped or not, at means of 300, 3000, 30000: {}\n",
             said("naive/f32", problem(DType::f32, promise_seed(), 3000, 1e-5)));
}

}  // namespace
}  // namespace normcheck
