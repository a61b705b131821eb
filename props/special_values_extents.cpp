// No rows, no elements, one element, equal elements without eps: calls like all others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "corpus/error.h"
#include "impl/trace.h"
#include "props/build_case.h"
#include "props/call_tally.h"
#include "props/promise.h"

namespace normcheck {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(SpecialValues, NoRowsGiveAnEmptyYAndEmptyStatistics) {
  int calls = 0;
  for (const Row& row : table()) {
    for (const DType dtype : row.storages) {
      for (const Shape& shape : {Shape{0, 4}, Shape{2, 0, 4}}) {
        Case c = case_of(Tensor(dtype, shape));
        c.gamma = Tensor(dtype, {4});
        const Observation out = run_case(row, c, {true, true});
        ASSERT_EQ(out.status, Status::ok) << row.name;
        EXPECT_EQ(out.y, c.x);
        EXPECT_EQ(out.mean->shape, statistics_shape(c));
        EXPECT_EQ(out.mean->size(), 0);
        EXPECT_EQ(trace_case(row, c)[0].values.size(), 0u);
        EXPECT_THROW(trace_row(row, c, 0), InputError);
        c.gamma = Tensor(dtype, {3});  // planted: emptiness excuses nothing
        EXPECT_EQ(run_case(row, c).status, Status::invalid);
        ++calls;
      }
    }
  }
  fmt::print("{} calls; planted: a wrong gamma beside an empty x is refused in each\n", calls);
}

TEST(SpecialValues, ANormalizedExtentOf0GivesAnEmptyYAndNoStatistics) {
  int calls = 0;
  for (const Row& row : table()) {
    for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 0}}) {
      const Case c = case_of(Tensor(row.storages[0], shape));
      const Observation out = run_case(row, c, {true, true});
      ASSERT_EQ(out.status, Status::ok) << row.name;
      EXPECT_EQ(out.y, c.x);
      EXPECT_FALSE(out.mean || out.rstd);
      EXPECT_EQ(trace_case(row, c).size(), 6u);
      EXPECT_THROW(trace_row(row, c, 0), InputError);
      ++calls;
    }
  }
  fmt::print("{} calls\n", calls);
}

/// Calls at n = 1 whose y is not beta (0 without beta), bit for bit.
CallTally single_elements(const Layer& layer, DType dtype) {
  CallTally t;
  CounterRng rng(promise_seed(), 53);
  for (int call = 0; call < 200; ++call) {
    Case c = case_of(normal_tensor(rng, dtype, {4, 1}, 0, 100));
    c.gamma = normal_tensor(rng, dtype, {1}, 0, 100);
    c.beta = normal_tensor(rng, dtype, {1}, 1, 3);
    const Tensor y = layer(c).y;
    bool right = true;
    for (std::int64_t i = 0; i < y.size(); ++i) right &= y.bits(i) == c.beta->bits(0);
    t.add(right, c);
  }
  return t;
}

TEST(SpecialValues, OneElementGivesBeta) {
  int rows = 0;
  for (const Row& row : table()) {
    // The folded forms keep a bound there, not the bits; naive's variance of one element need not be 0.
    if (row.variant.finish != Finish::direct || row.algorithm == "naive") continue;
    for (const DType dtype : row.storages) {
      const CallTally t = single_elements(layer_of(row), dtype);
      EXPECT_EQ(t.wrong, 0) << row.name << " " << dtype_name(dtype) << evidence(t, row.name);
      ++rows;
    }
  }
  const CallTally planted = single_elements(layer_of(*find_row("two_pass/f32/folded")), DType::f32);
  EXPECT_GT(planted.wrong, 0);
  fmt::print("{} pairs of row and dtype; planted: the folded finish misses beta in {} of {} calls\n", rows,
             planted.wrong, planted.calls);
}

TEST(SpecialValues, AConstantRowWithoutEpsIsNaN) {
  int rows = 0;
  for (const Row& row : table()) {
    if (row.algorithm != "welford" && row.algorithm != "chan") continue;
    for (const DType dtype : row.storages) {
      Case c = case_of(tensor_of(dtype, {2, 20}, {-7.75}), 1, 0.0);
      const Observation out = run_case(row, c, {true, true});
      for (const double y : values_of(out.y)) EXPECT_TRUE(std::isnan(y)) << row.name;
      EXPECT_EQ(out.rstd->value(0), infinity);
      EXPECT_EQ(out.mean->value(0), -7.75);
      c.eps = 1e-5;
      for (const double y : values_of(run_case(row, c).y))
        EXPECT_TRUE(row.variant.finish != Finish::direct || y == 0);
      ++rows;
    }
  }
  fmt::print("{} pairs of row and dtype; with eps the same rows give beta\n", rows);
}

}  // namespace
}  // namespace normcheck
