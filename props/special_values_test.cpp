// Non-finite values stay in their row, or in their column where gamma or beta has them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "props/build_case.h"
#include "props/call_tally.h"
#include "props/promise.h"
#include "props/rapidcheck_gen.h"

namespace normcheck {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What is put into a row: values at its first, middle or last places.
struct Poison {
  std::string what;
  std::vector<double> values;
};
const std::vector<Poison>& poisons() {
  static const std::vector<Poison> all = {
      {"NaN", {nan}},
      {"inf", {infinity}},
      {"-inf", {-infinity}},
      {"NaN and inf", {nan, infinity}},
      {"inf twice", {infinity, infinity}},
      {"inf and -inf", {infinity, -infinity}},
  };
  return all;
}

/// A case with the values put into one row, from column `at` on.
Case poisoned(const Case& c, const Poison& poison, std::int64_t row, std::int64_t at) {
  Case out = c;
  const std::int64_t n = row_length(c);
  for (std::size_t k = 0; k < poison.values.size(); ++k) {
    const std::int64_t column = (at + static_cast<std::int64_t>(k)) % n;
    out.x.set_value(row * n + column, poison.values[k]);
  }
  return out;
}

/// Whether row `bad` alone is NaN in y and rstd, its mean NaN or an infinity of the one sign that went in,
/// and every other row has the bits that it has when all rows are finite.
bool stays_its_own(const Layer& layer, const Case& clean, const Case& dirty, std::int64_t bad) {
  const Observation want = layer(clean), got = layer(dirty);
  if (want.status != Status::ok || got.status != Status::ok || got.y.shape != clean.x.shape) return false;
  const std::int64_t n = row_length(clean);
  bool saw_nan = false, positive = false, negative = false;
  for (std::int64_t i = bad * n; i < (bad + 1) * n; ++i) {
    saw_nan |= std::isnan(dirty.x.value(i));
    positive |= dirty.x.value(i) == infinity;
    negative |= dirty.x.value(i) == -infinity;
  }
  for (std::int64_t i = 0; i < got.y.size(); ++i) {
    const bool in_row = i / n == bad;
    if (in_row && !std::isnan(got.y.value(i))) return false;
    if (!in_row && got.y.bits(i) != want.y.bits(i)) return false;
  }
  for (std::int64_t r = 0; r < got.rstd->size(); ++r) {
    if (r != bad) {
      if (got.rstd->bits(r) != want.rstd->bits(r) || got.mean->bits(r) != want.mean->bits(r)) return false;
      continue;
    }
    const double mean = got.mean->value(r);
    if (!std::isnan(got.rstd->value(r))) return false;
    if (std::isnan(mean)) continue;
    if (saw_nan || positive == negative || mean != (positive ? infinity : -infinity)) return false;
  }
  return true;
}

Case clean_case(CounterRng& rng, DType dtype, std::int64_t n) {
  Case c = case_of(normal_tensor(rng, dtype, {3, n}, 1, 2));
  if (rng.coin()) c.gamma = normal_tensor(rng, dtype, {n});
  if (c.gamma && rng.coin()) c.gamma->set_value(0, 0);  // 0 * NaN is NaN too
  if (rng.coin()) c.beta = normal_tensor(rng, dtype, {n});
  return c;
}

CallTally poison_all(const Layer& layer, DType dtype) {
  CallTally t;
  CounterRng rng(promise_seed(), 51);
  for (const std::int64_t n : {1, 2, 3, 8, 9, 31, 100}) {
    for (const Poison& poison : poisons()) {
      if (static_cast<std::int64_t>(poison.values.size()) > n) continue;
      for (const std::int64_t at : {std::int64_t{0}, n / 2, n - 1}) {
        for (std::int64_t bad = 0; bad < 3; ++bad) {
          const Case clean = clean_case(rng, dtype, n), dirty = poisoned(clean, poison, bad, at);
          t.add(stays_its_own(layer, clean, dirty, bad), dirty);
        }
      }
    }
  }
  return t;
}

TEST(SpecialValues, ANonFiniteRowStaysItsOwn) {
  int calls = 0;
  for (const Row& row : table()) {
    if (row.variant.build == Build::fast) continue;  // assumes that there are none
    for (const DType dtype : row.storages) {
      const CallTally t = poison_all(layer_of(row), dtype);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
      calls += t.calls;
    }
  }
  fmt::print("{} calls over all rows and dtypes\n", calls);
}

TEST(SpecialValues, ALeakOrALostNaNIsSeen) {
  const Row& row = *find_row("two_pass/f32");
  const std::vector<std::pair<std::string, Layer>> planted = {
      {"statistics over the whole tensor",
       [&](const Case& c) {
         Case all = c;
         all.x.shape = {1, c.x.size()};
         all.gamma.reset();
         all.beta.reset();
         Observation out = run_case(row, all, {true, true}), shaped = run_case(row, c, {true, true});
         for (std::int64_t i = 0; i < out.y.size(); ++i) shaped.y.set_bits(i, out.y.bits(i));
         return shaped;
       }},
      {"NaN made 0 (nan_to_num)",
       [&](Case c) {
         for (std::int64_t i = 0; i < c.x.size(); ++i) {
           if (std::isnan(c.x.value(i))) c.x.set_value(i, 0);
         }
         return run_case(row, c, {true, true});
       }},
      {"NaN only where x is NaN or infinite",
       [&](const Case& c) {
         Observation out = run_case(row, c, {true, true});
         for (std::int64_t i = 0; i < out.y.size(); ++i) {
           if (std::isfinite(c.x.value(i)) && std::isnan(out.y.value(i))) out.y.set_value(i, 0);
         }
         return out;
       }},
      {"a NaN rstd shown as 0",
       [&](const Case& c) {
         Observation out = run_case(row, c, {true, true});
         for (std::int64_t i = 0; i < out.rstd->size(); ++i) {
           if (std::isnan(out.rstd->value(i))) out.rstd->set_value(i, 0);
         }
         return out;
       }},
  };
  for (const auto& [what, layer] : planted) {
    const CallTally t = poison_all(layer, DType::f32);
    EXPECT_GT(t.wrong, 0) << what;
    fmt::print("planted: {}: seen in {} of {} calls\n", what, t.wrong, t.calls);
  }
}

/// Each poison in the last row, in its middle: whether the layer keeps it there.
std::string leak(const Layer& layer, const Case& c) {
  if (c.expect == Expect::refused || row_count(c) == 0 || row_length(c) == 0) return {};
  if (layer(c).status != Status::ok) return {};
  const std::int64_t bad = row_count(c) - 1, n = row_length(c);
  for (const Poison& poison : poisons()) {
    if (static_cast<std::int64_t>(poison.values.size()) > n) continue;
    if (!stays_its_own(layer, c, poisoned(c, poison, bad, n / 2), bad))
      return poison.what + " in the last row does not stay there, or is lost";
  }
  return {};
}

TEST(SpecialValues, StayInTheirRowOfWhateverIsDrawn) {
  constexpr int cases = 300;
  const CaseSpace space = {.regimes = {"unit_normal", "heavy_tailed", "large_mean", "constant",
                                       "gamma_with_zeros", "near_overflow", "subnormal", "broadcasting"}};
  check_cases("non-finite values stay in their row", space, cases, [](const Case& c) {
    for (const Row& row : table()) {
      if (row.variant.build == Build::fast) continue;  // assumes that there are none
      if (!offers(row, c.x.dtype)) continue;
      const std::string why = leak(layer_of(row), c);
      if (!why.empty()) return std::string(row.name) + ": " + why;
    }
    return std::string();
  });
  const Row& row = *find_row("two_pass/f32");
  const Layer forgives = [&](Case c) {
    for (std::int64_t i = 0; i < c.x.size(); ++i)
      if (std::isnan(c.x.value(i))) c.x.set_value(i, 0);
    return run_case(row, c, {true, true});
  };
  const auto simplest =
      counterexample("NaN may be made 0", space, cases, [&](const Case& c) { return leak(forgives, c); });
  ASSERT_TRUE(simplest.has_value());
  EXPECT_EQ(simplest->x.size(), 1);
  fmt::print("{} cases, every row; planted: NaN made 0 is found and shrunk to x = {}\n", cases,
             shape_text(simplest->x.shape));
}

/// Whether a non-finite gamma or beta at `column` changes no other column, and gives there what design says:
/// NaN for NaN, something non-finite for an infinite gamma, that infinity for an infinite beta.
bool stays_in_column(const Layer& layer, const Case& clean, bool in_gamma, double value,
                     std::int64_t column) {
  Case dirty = clean;
  (in_gamma ? dirty.gamma : dirty.beta)->set_value(column, value);
  const Tensor want = layer(clean).y, got = layer(dirty).y;
  const std::int64_t n = row_length(clean);
  for (std::int64_t i = 0; i < got.size(); ++i) {
    const double y = got.value(i);
    if (i % n != column) {
      if (got.bits(i) != want.bits(i)) return false;
    } else if (std::isnan(value) || std::isnan(want.value(i))) {  // NaN before: a variance below 0 of naive's
      if (!std::isnan(y)) return false;
    } else if (in_gamma ? std::isfinite(y) : y != value) {
      return false;
    }
  }
  return true;
}

CallTally columns(const Layer& layer, DType dtype) {
  CallTally t;
  CounterRng rng(promise_seed(), 52);
  for (const std::int64_t n : {1, 2, 7, 33}) {
    for (const double value : {nan, infinity, -infinity}) {
      for (const bool in_gamma : {true, false}) {
        Case c = case_of(normal_tensor(rng, dtype, {3, n}, 1, 2));
        c.gamma = normal_tensor(rng, dtype, {n});
        c.beta = normal_tensor(rng, dtype, {n});
        t.add(stays_in_column(layer, c, in_gamma, value, rng.between(0, n - 1)), c);
      }
    }
  }
  return t;
}

TEST(SpecialValues, ANonFiniteGammaOrBetaConcernsItsColumnAlone) {
  int calls = 0;
  for (const Row& row : table()) {
    for (const DType dtype : row.storages) {
      const CallTally t = columns(layer_of(row), dtype);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
      calls += t.calls;
    }
  }
  // Planted: gamma is shifted by one column.
  const Row& row = *find_row("two_pass/f32");
  const CallTally t = columns(
      [&](Case c) {
        const Tensor gamma = *c.gamma;
        for (std::int64_t i = 0; i < gamma.size(); ++i)
          c.gamma->set_bits(i, gamma.bits((i + 1) % gamma.size()));
        return run_case(row, c);
      },
      DType::f32);
  EXPECT_GT(t.wrong, 0);
  fmt::print("{} calls; planted: a gamma off by one column is seen in {} of {}\n", calls, t.wrong, t.calls);
}

}  // namespace
}  // namespace normcheck
