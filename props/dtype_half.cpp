// Half arithmetic: every operation is the exact result rounded once, checked against rationals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "impl/arithmetic/exact.h"
#include "impl/arithmetic/half.h"
#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// Whether `got` is `exact` rounded to nearest, ties to even, decided without rounding: by the midpoints to
/// got's neighbours. The neighbour of the largest finite number is where the format would go on.
template <DType dtype>
bool is_rounded(Float16<dtype> got, const Exact& exact) {
  const std::uint64_t infinity = round_to(dtype, HUGE_VAL);
  const double omega = largest_finite(dtype);
  const double beyond = omega + unit_roundoff(dtype) * 2 * std::exp2(std::ilogb(omega));
  const auto value = [&](std::uint64_t magnitude) {
    return magnitude == infinity ? beyond : to_double(dtype, magnitude);
  };
  const std::uint64_t magnitude = got.bits() & 0x7fffu;
  if (magnitude > infinity) return false;
  Exact size = exact;
  if (exact < Exact()) size = Exact() - exact;
  if (!(exact == Exact()) && (got.bits() >> 15 != 0) != (exact < Exact())) return false;
  const bool even = magnitude % 2 == 0;
  const Exact two(std::int64_t{2});
  if (magnitude > 0) {
    const Exact middle = (Exact(value(magnitude)) + Exact(value(magnitude - 1))) / two;
    if (size < middle || (size == middle && !even)) return false;
  }
  if (magnitude < infinity) {
    const Exact middle = (Exact(value(magnitude)) + Exact(value(magnitude + 1))) / two;
    if (middle < size || (size == middle && !even)) return false;
  }
  return true;
}

template <DType dtype>
Float16<dtype> from_bits(std::uint64_t bits) {
  return Float16<dtype>(to_double(dtype, bits));
}

template <DType dtype>
void check_operations() {
  using H = Float16<dtype>;
  CounterRng rng(promise_seed(), 40);
  int pairs = 0, truncated_wrong = 0, subnormal = 0;
  while (pairs < 20000) {
    // Half of the pairs lie close together, where differences and ties are frequent.
    const std::uint64_t a_bits = rng.below(65536);
    const std::uint64_t b_bits = rng.coin() ? rng.below(65536) : (a_bits + rng.below(4096)) % 65536;
    const H a = from_bits<dtype>(a_bits), b = from_bits<dtype>(b_bits);
    if (!std::isfinite(a.value()) || !std::isfinite(b.value())) continue;
    ASSERT_EQ(a.bits(), a_bits);
    const Exact x(a.value()), y(b.value());
    ASSERT_TRUE(is_rounded(a + b, x + y)) << a.value() << " + " << b.value();
    ASSERT_TRUE(is_rounded(a - b, x - y)) << a.value() << " - " << b.value();
    ASSERT_TRUE(is_rounded(a * b, x * y)) << a.value() << " * " << b.value();
    ASSERT_EQ(a < b, x < y);
    if (b.value() != 0) {
      ASSERT_TRUE(is_rounded(a / b, x / y)) << a.value() << " / " << b.value();
      const double q = (a / b).value();
      subnormal += q != 0 && std::abs(q) < std::exp2(format_of(dtype).emin);
      // Planted: the neighbour towards 0, which truncation would often give.
      const std::uint64_t bits = (a / b).bits();
      if ((bits & 0x7fff) != 0) truncated_wrong += !is_rounded(from_bits<dtype>(bits - 1), x / y);
    }
    ++pairs;
  }
  EXPECT_GT(truncated_wrong, pairs / 2);
  fmt::print("{}: {} pairs, {} subnormal quotients; planted: {} wrong neighbours seen\n", dtype_name(dtype),
             pairs, subnormal, truncated_wrong);
}

TEST(Dtype, EveryHalfOperationIsRoundedOnce) {
  check_operations<DType::f16>();
  check_operations<DType::bf16>();
}

template <DType dtype>
void check_roots_and_conversions() {
  using H = Float16<dtype>;
  int roots = 0, values = 0;
  for (std::uint64_t bits = 1; bits < 0x7fff; ++bits) {
    const double v = to_double(dtype, bits);
    if (!std::isfinite(v)) break;
    // r is the root rounded iff the midpoints to its neighbours, squared, enclose v: they have one bit more
    // than the format, so neither square is v.
    const H r = ArithmeticTraits<H>::root(from_bits<dtype>(bits));
    const double below = (r.value() + to_double(dtype, r.bits() - 1u)) / 2;
    const double above = (r.value() + to_double(dtype, r.bits() + 1u)) / 2;
    ASSERT_LT(below * below, v);
    ASSERT_GT(above * above, v);
    ++roots;
    // The inline conversions against the general ones, at the value, the tie above it and beside the tie.
    const double next = to_double(dtype, bits + 1);
    const double tie = std::isfinite(next) ? v + (next - v) / 2 : v;
    for (const double t : {v, -v, tie, -tie, std::nextafter(tie, 0), std::nextafter(tie, HUGE_VAL)}) {
      ASSERT_EQ(H(t).bits(), round_to(dtype, t)) << fmt::format("{:a}", t);
      ASSERT_EQ(H(t).value(), to_double(dtype, round_to(dtype, t)));
      ++values;
    }
  }
  EXPECT_TRUE(std::isnan(H(std::nan("")).value()));
  EXPECT_EQ(H(1e300).value(), HUGE_VAL);
  EXPECT_EQ(ArithmeticTraits<H>::from_count(2049).value(), 2048);
  fmt::print("{}: {} roots, {} conversions\n", dtype_name(dtype), roots, values);
}

TEST(Dtype, EveryHalfRootAndConversionIsRoundedOnce) {
  check_roots_and_conversions<DType::f16>();
  check_roots_and_conversions<DType::bf16>();
}

TEST(Dtype, HalfAccumulationStalls) {
  // Past 2048 an f16 sum of twos is a sum of even numbers, and at 4096 adding 2 is a tie that goes back.
  std::vector<double> values(4096, 1);
  for (std::size_t i = 2048; i < values.size(); ++i) values[i] = 2;
  const Case c = case_of(tensor_of(DType::f16, {1, 4096}, values));
  const auto mean = [&](std::string_view name) {
    return run_case(*find_row(name), c, {true, false}).mean->value(0);
  };
  EXPECT_EQ(mean("naive/f16"), 1.0);
  EXPECT_EQ(mean("two_pass/f16"), 1.0);
  EXPECT_EQ(mean("two_pass/f32"), 1.5);
  EXPECT_EQ(mean("naive/f32"), 1.5);
  // The eighth bit: a bf16 sum of ones stops at 256.
  const Case ones = case_of(tensor_of(DType::bf16, {1, 1024}, {1}));
  EXPECT_EQ(run_case(*find_row("two_pass/bf16"), ones, {true, false}).mean->value(0), 0.25);
  EXPECT_EQ(run_case(*find_row("two_pass/f32"), ones, {true, false}).mean->value(0), 1.0);
  fmt::print("2048 ones and 2048 twos in f16: mean 1.0 for 1.5; 1024 ones in bf16: mean 0.25 for 1\n");
}

}  // namespace
}  // namespace normcheck
