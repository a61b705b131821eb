// The allowance of y in plain doubles against the same in operations that round up: never below, hardly
// above.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "impl/algorithms/welford_recursion.h"
#include "oracles/condition.h"
#include "oracles/row_input.h"
#include "props/bound_rows.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

struct Compared {
  std::int64_t elements = 0;
  std::int64_t plain = 0;  ///< not equal to the other, so that it came of plain doubles
  std::int64_t below = 0;
  std::int64_t above = 0;           ///< by more than 2^-40
  std::int64_t below_deflated = 0;  ///< below, once what it was multiplied by is divided out again
  double highest = 1;               ///< the largest ratio of the two
};

void compare(const RowAllowance& allowance, const ElementFacts& e, Compared& out) {
  const double quick = allowance.y_error(e), up = allowance.y_error_rounded_up(e);
  ++out.elements;
  out.plain += quick != up;
  out.below += !(quick >= up);
  out.above += quick > up * (1 + 0x1p-40);
  out.below_deflated += quick != up && quick / (1 + 0x1p-44) < up;
  if (std::isfinite(up) && up > 0) out.highest = std::max(out.highest, quick / up);
}

/// Facts as a row has them, or further: each 0, 1, or moved by a power of two, beyond what plain doubles are
/// used for too.
ElementFacts strain(CounterRng& rng, ElementFacts e) {
  for (double* fact : {&e.x_abs, &e.deviation, &e.x_hat_abs, &e.gamma_abs, &e.beta_abs, &e.y_abs}) {
    const std::int64_t kind = rng.between(0, 11);
    if (kind == 0) *fact = 0;
    if (kind == 1) *fact = 1;
    if (kind == 2) *fact = std::ldexp(1 + rng.uniform(), static_cast<int>(rng.between(-1074, 1023)));
    if (kind >= 3 && kind <= 5) *fact = std::ldexp(*fact, static_cast<int>(rng.between(-205, 205)));
  }
  if (rng.coin(0.01)) e.y_abs = Upward::infinity();
  return e;
}

void compare_rows(CounterRng& rng, const Case& c, const std::vector<Contract>& contracts, Compared& out) {
  RowInput input(c);
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    if (!input.load(row, true)) continue;
    for (const Contract& contract : contracts) {
      const RowAllowance allowance(contract, c.x.dtype, input.condition.facts(), c.eps);
      for (std::int64_t i = 0; i < row_length(c); ++i) {
        const ElementFacts e = input.element(i).facts;
        compare(allowance, e, out);
        compare(allowance, strain(rng, e), out);
      }
    }
  }
}

TEST(Bound, InPlainDoublesIsNeverBelowTheOneThatRoundsUp) {
  CounterRng rng(promise_seed(), 76);
  for (const DType dtype : float_dtypes) {
    std::vector<Contract> contracts = {stable_contract()};
    for (const Row& row : table())
      if (offers(row, dtype)) contracts.push_back(own_contract(row));
    Compared seen;
    for (const Regime& regime : regimes()) {
      for (std::uint64_t index = 0; index < 4; ++index) {
        const GenRequest request = {.dtype = dtype, .rows = 2, .n = rng.between(1, 24)};
        compare_rows(rng, make_case(regime, request, promise_seed(), index), contracts, seen);
      }
    }
    EXPECT_EQ(seen.below, 0) << dtype_name(dtype);
    EXPECT_EQ(seen.above, 0) << dtype_name(dtype);
    EXPECT_GT(2 * seen.plain, seen.elements) << "most elements are of a size for plain doubles";
    EXPECT_GT(seen.below_deflated, 0) << "without the factor some would be below";
    fmt::print(
        "{}: {} elements, {} in plain doubles, at most 1 + {:.3g} times the other; planted: without the "
        "factor {} are below\n",
        dtype_name(dtype), seen.elements, seen.plain, seen.highest - 1, seen.below_deflated);
  }
}

// Blocks and whole rows, by count and by reciprocal, in each format.
TEST(Bound, TheRecursionInPlainDoublesIsNeverBelowTheOneThatRoundsUp) {
  CounterRng rng(promise_seed(), 78);
  RowCondition condition;
  std::int64_t recursions = 0, below = 0, below_deflated = 0;
  double highest = 1;
  for (const DType dtype : float_dtypes) {
    for (std::int64_t r = 0; r < 400; ++r) {
      const std::int64_t n = r % 20 == 0 ? kPlainPrefixes : rng.between(2, 48);
      const std::vector<double> x = hard_row(rng, dtype, r % hard_kinds, n);
      condition.fill(x.data(), n, true);
      RowFacts up = condition.facts();
      if (!up.plain) continue;
      up.plain = false;
      const std::int64_t lo = rng.coin() ? 0 : rng.between(0, n - 2), hi = rng.between(lo + 2, n);
      const Division division = rng.coin() ? Division::by_count : Division::by_reciprocal;
      const Working format = working(dtype);
      const PartialBound plain = welford_recursion(condition.facts(), format, lo, hi, division),
                         rounded = welford_recursion(up, format, lo, hi, division);
      const double deflation = 1 / (1 + (28 * static_cast<double>(hi - lo) + 32) * 0x1p-52);
      for (const auto& [a, b] : {std::pair(plain.mean.value(), rounded.mean.value()),
                                 std::pair(plain.square_dev.value(), rounded.square_dev.value())}) {
        ++recursions;
        below += !(a >= b);
        below_deflated += a > 0 && a * deflation < b;
        if (b > 0 && std::isfinite(b)) highest = std::max(highest, a / b);
      }
    }
  }
  EXPECT_GT(recursions, 1000);
  EXPECT_EQ(below, 0);
  EXPECT_GT(below_deflated, 0) << "without the factor some would be below";
  EXPECT_LT(highest, 1 + 0x1p-35);
  fmt::print(
      "{} recursions in plain doubles: {} below the ones that round up, the highest 1 + {:.3g} of them; {} "
      "would be below without the factor\n",
      recursions, below, highest - 1, below_deflated);
}

}  // namespace
}  // namespace normcheck
