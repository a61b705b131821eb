// Accumulate wide, round once: f64 is never narrowed, halves never round twice, integers are refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "impl/storage.h"
#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// The output tensors of a call, rounded from a wider run of the same values to what a narrow call returns.
Observation narrowed(Observation wide, DType storage) {
  wide.y = as_dtype(wide.y, storage);
  wide.mean = as_dtype(*wide.mean, statistics_dtype(storage));
  wide.rstd = as_dtype(*wide.rstd, statistics_dtype(storage));
  return wide;
}

bool same_outputs(const Observation& a, const Observation& b) {
  return a.status == Status::ok && b.status == Status::ok && same_values(a.y, b.y) &&
         same_values(*a.mean, *b.mean) && same_values(*a.rstd, *b.rstd);
}

struct Share {
  int calls = 0;
  int equal = 0;
  std::optional<Case> first_unequal;
};

/// Calls in a storage dtype that equal the call made wholly in `accumulate`, rounded once at the end.
Share rounds_once(const Layer& layer, const Layer& whole, DType storage, DType accumulate) {
  Share s;
  CounterRng rng(promise_seed(), 31);
  for (std::int64_t n = 1; n <= 64; ++n) {
    Case c = case_of(normal_tensor(rng, storage, {8, n}, static_cast<double>(n % 7), 2));
    if (n % 2 == 0) c.gamma = normal_tensor(rng, storage, {n});
    if (n % 3 == 0) c.beta = normal_tensor(rng, storage, {n}, 0, 10);
    ++s.calls;
    const bool same = same_outputs(layer(c), narrowed(whole(as_dtype(c, accumulate)), storage));
    s.equal += same;
    if (!same && !s.first_unequal) s.first_unequal = c;
  }
  return s;
}

TEST(Dtype, AccumulatesInOneTypeAndRoundsOnceOnTheWayOut) {
  int rows = 0, twice = 0;
  for (const Row& row : table()) {
    if (is_half(row.accumulate) || !is_float(row.accumulate)) continue;  // no tensor is of f80: extended_test
    for (const DType storage : row.storages) {
      const Share s = rounds_once(layer_of(row), layer_of(row), storage, row.accumulate);
      if (row.variant.x_hat_storage && storage != row.accumulate) {
        EXPECT_LT(s.equal, s.calls) << row.name << " rounds x_hat on the way, and that is not seen";
        ++twice;
        continue;
      }
      EXPECT_EQ(s.equal, s.calls) << row.name << " " << dtype_name(storage) << '\n'
                                  << (s.first_unequal ? record_failure(*s.first_unequal, row.name) : "");
      ++rows;
    }
  }
  fmt::print("{} pairs of row and storage dtype, 64 calls each; {} that round x_hat too are seen\n", rows,
             twice);
}

TEST(Dtype, HalfAccumulationAndATwiceRoundedResultAreSeen) {
  for (const DType half : {DType::f16, DType::bf16}) {
    const Row& wide = *find_row("two_pass/f32");
    const Row& narrow = *find_row(half == DType::f16 ? "two_pass/f16" : "two_pass/bf16");
    const Share accumulated = rounds_once(layer_of(narrow), layer_of(wide), half, DType::f32);
    EXPECT_LT(accumulated.equal, accumulated.calls / 4);
    // Planted: x_hat goes through the storage dtype before gamma and beta.
    const Layer twice = [&](const Case& c) {
      Case bare = c;
      bare.gamma.reset();
      bare.beta.reset();
      Observation out = run_case(wide, bare, {true, true});
      const std::int64_t n = row_length(c);
      for (std::int64_t i = 0; i < out.y.size(); ++i) {
        const auto scaled = static_cast<float>(out.y.value(i) * (c.gamma ? c.gamma->value(i % n) : 1));
        out.y.set_value(i,
                        static_cast<double>(scaled + static_cast<float>(c.beta ? c.beta->value(i % n) : 0)));
      }
      return out;
    };
    const Share rounded = rounds_once(twice, layer_of(wide), half, DType::f32);
    EXPECT_LT(rounded.equal, rounded.calls);
    fmt::print("planted, {}: half accumulation differs in {} of {} calls, a rounded x_hat in {}\n",
               dtype_name(half), accumulated.calls - accumulated.equal, accumulated.calls,
               rounded.calls - rounded.equal);
  }
}

TEST(Dtype, AHalfFromDoubleNeverGoesByWayOfFloat) {
  CounterRng rng(promise_seed(), 32);
  const Row& row = *find_row("two_pass/f64");
  std::int64_t elements = 0, by_way_of_float = 0;
  for (const DType half : {DType::f16, DType::bf16}) {
    for (int call = 0; call < 40; ++call) {
      Case c = case_of(normal_tensor(rng, half, {256, 40}));
      c.gamma = normal_tensor(rng, half, {40});
      const Tensor exact = run_case(row, as_dtype(c, DType::f64)).y;
      const Tensor got = run_case(row, c).y;
      for (std::int64_t i = 0; i < got.size(); ++i) {
        ASSERT_EQ(got.bits(i), round_to(half, exact.value(i)));
        by_way_of_float +=
            got.bits(i) != round_to(half, static_cast<double>(static_cast<float>(exact.value(i))));
        ++elements;
      }
    }
  }
  // Just above a tie: through float it becomes the tie, and goes to even.
  const double above_tie = 1 + std::ldexp(1, -11) + std::ldexp(1, -40);
  std::uint16_t bits = 0;
  store(DType::f16, &above_tie, 1, reinterpret_cast<std::byte*>(&bits));
  EXPECT_EQ(bits, 0x3c01);
  EXPECT_EQ(round_to(DType::f16, static_cast<double>(static_cast<float>(above_tie))), 0x3c00u);
  EXPECT_GT(by_way_of_float, 0);
  fmt::print("{} elements; planted: going by way of float changes {} of them\n", elements, by_way_of_float);
}

/// Whether a layer tells apart what differs beyond f32: x at 1e8, gamma, beta and eps at their last bits.
bool keeps_double(const Layer& layer) {
  const double tiny = std::ldexp(1, -40);
  Case c = case_of(tensor_of(DType::f64, {1, 4}, {1e8, 1e8 + 1, 1e8 + 2, 1e8 + 3}));
  const Case small = case_of(tensor_of(DType::f64, {1, 4}, {0, 1, 2, 3}));
  // Every sum and mean here is exact in f64, so the offset of 1e8 must leave no trace in y and rstd.
  if (!same_values(layer(c).y, layer(small).y)) return false;
  if (!same_values(*layer(c).rstd, *layer(small).rstd)) return false;
  const Observation base = layer(c);
  Case other = c;
  other.gamma = tensor_of(DType::f64, {4}, {1 + tiny});
  if (same_values(layer(other).y, base.y)) return false;
  other = c;
  other.beta = tensor_of(DType::f64, {4}, {tiny});
  if (same_values(layer(other).y, base.y)) return false;
  other = c;
  other.eps = c.eps * (1 + std::ldexp(1, -30));
  return !same_values(*layer(other).rstd, *base.rstd);
}

TEST(Dtype, F64IsNeverNarrowed) {
  int rows = 0;
  for (const Row& row : table()) {
    if (!offers(row, DType::f64) || !is_right(row) || row.variant.finish != Finish::direct) continue;
    EXPECT_TRUE(keeps_double(layer_of(row))) << row.name;
    ++rows;
  }
  EXPECT_GE(rows, 3);
  const Row& row = *find_row("two_pass/f64");
  const auto to_f32 = [](double v) { return static_cast<double>(static_cast<float>(v)); };
  const auto narrow = [&](std::optional<Tensor> t) {
    for (std::int64_t i = 0; t && i < t->size(); ++i) t->set_value(i, to_f32(t->value(i)));
    return t;
  };
  const std::vector<std::pair<std::string, Layer>> planted = {
      {"x",
       [&](Case c) {
         return run_case(row, (c.x = *narrow(c.x), c), {true, true});
       }},
      {"gamma",
       [&](Case c) {
         return run_case(row, (c.gamma = narrow(c.gamma), c), {true, true});
       }},
      {"beta + x_hat",
       [&](Case c) {
         Observation out = run_case(row, c, {true, true});
         out.y = *narrow(out.y);
         return out;
       }},
      {"eps",
       [&](Case c) {
         return run_case(row, (c.eps = to_f32(c.eps), c), {true, true});
       }},
  };
  for (const auto& [what, layer] : planted) EXPECT_FALSE(keeps_double(layer)) << what;
  fmt::print("{} rows; planted: {} narrowings seen\n", rows, planted.size());
}

TEST(Dtype, F32StaysF32) {
  // 2^24 + 1 is not an f32: were the sum kept wider, the mean of the row would not be exactly 2^23.
  const Case c = case_of(tensor_of(DType::f32, {1, 2}, {16777216, 1}));
  EXPECT_EQ(run_case(*find_row("two_pass/f32"), c, {true, false}).mean->value(0), 8388608.0);
  EXPECT_EQ(run_case(*find_row("two_pass/f64"), c, {true, false}).mean->value(0), 8388608.5f);
  fmt::print("1 row; planted: f64 accumulation gives another mean\n");
}

TEST(Dtype, IntegersAreRefusedByEveryRow) {
  int calls = 0;
  for (const Row& row : table()) {
    for (const DType dtype : {DType::i32, DType::i64}) {
      for (const Shape& shape : {Shape{2, 3}, Shape{0, 3}}) {
        const Observation out = run_case(row, case_of(Tensor(dtype, shape)));
        EXPECT_EQ(out.status, Status::invalid) << row.name;
        EXPECT_NE(out.message.find(dtype_name(dtype)), std::string::npos) << out.message;
        ++calls;
      }
    }
  }
  fmt::print("{} calls\n", calls);
}

TEST(Dtype, AnF32GammaIsNotRoundedToTheHalfThatXIs) {
  CounterRng rng(promise_seed(), 33);
  int calls = 0, differs = 0, unsupported = 0;
  for (const Row& row : table()) {
    for (const DType half : {DType::f16, DType::bf16}) {
      if (!offers(row, half)) continue;
      Case c = case_of(normal_tensor(rng, half, {8, 48}));
      c.gamma = normal_tensor(rng, DType::f32, {48});
      c.beta = normal_tensor(rng, DType::f32, {48});
      const Observation got = run_case(row, c, {true, true});
      if (is_half(row.accumulate)) {
        EXPECT_EQ(got.status, Status::unsupported) << row.name;
        EXPECT_NE(got.message.find("gamma is f32"), std::string::npos) << got.message;
        ++unsupported;
        continue;
      }
      if (row.variant.x_hat_storage)
        continue;  // rounds to the half on the way, and would not in the wide call
      const Observation wide = run_case(row, as_dtype(c, row.accumulate), {true, true});
      EXPECT_TRUE(same_outputs(got, narrowed(wide, half))) << row.name << " " << dtype_name(half) << '\n'
                                                           << record_failure(c, row.name);
      ++calls;
      differs += !same_values(run_case(row, as_dtype(c, half)).y, got.y);
    }
  }
  EXPECT_EQ(differs, calls);
  fmt::print("{} calls, {} unsupported; planted: a gamma rounded to x's half differs in {}\n", calls,
             unsupported, differs);
}

TEST(Dtype, EachRowTakesTheDtypesItOffersAndSaysSoOfTheOthers) {
  int ok = 0, unsupported = 0;
  for (const Row& row : table()) {
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const Observation out = run_case(row, case_of(tensor_of(dtype, {2, 3}, {1, 2, 4})), {true, true});
      if (offers(row, dtype)) {
        ASSERT_EQ(out.status, Status::ok);
        EXPECT_EQ(out.y.dtype, dtype);
        EXPECT_EQ(out.mean->dtype, is_half(dtype) ? DType::f32 : dtype);
        EXPECT_EQ(out.rstd->dtype, is_half(dtype) ? DType::f32 : dtype);
        ++ok;
      } else {
        EXPECT_EQ(out.status, Status::unsupported) << row.name;
        EXPECT_NE(out.message.find(dtype_name(dtype)), std::string::npos) << out.message;
        ++unsupported;
      }
    }
  }
  fmt::print("{} pairs run, {} unsupported\n", ok, unsupported);
}

}  // namespace
}  // namespace normcheck
