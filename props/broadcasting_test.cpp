// gamma and beta belong to the normalized dims and run over the leading ones.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

struct Extents {
  Shape x;
  std::int64_t norm_ndim;
};

/// Leading dims 0 to 3, normalized dims 1 to 3; equal extents, where a wrong axis has a right size, among
/// them.
const std::vector<Extents> extents = {
    {{5}, 1},          {{4, 3}, 1},    {{3, 3}, 1},    {{2, 3, 4}, 1},    {{3, 3, 3}, 1},
    {{2, 2, 3, 5}, 1}, {{4, 3}, 2},    {{3, 3}, 2},    {{2, 3, 4}, 2},    {{3, 3, 3}, 2},
    {{2, 3, 4, 5}, 2}, {{2, 3, 4}, 3}, {{3, 3, 3}, 3}, {{2, 3, 4, 2}, 3}, {{2, 2, 2, 2, 2}, 3},
    {{4, 1}, 1},       {{1, 4}, 1},    {{3, 1, 4}, 2}, {{2, 1, 3, 1}, 2},
};

Case affine_case(CounterRng& rng, const Extents& e, DType dtype) {
  Case c = case_of(normal_tensor(rng, dtype, e.x, 3, 2), e.norm_ndim);
  c.gamma = normal_tensor(rng, dtype, normalized_shape(c), 1, 1);
  c.beta = normal_tensor(rng, dtype, normalized_shape(c), 0, 4);
  return c;
}

std::string text_of(const Extents& e) {
  return fmt::format("{} over the last {}", shape_text(e.x), e.norm_ndim);
}

/// Whether y is x_hat*gamma+beta with gamma and beta at the element's place among the normalized ones.
/// x_hat is what the layer gives without gamma and beta; f32 throughout, so both operations are repeated
/// exactly. Only for the direct and half_folded finishes: the folded one never forms x_hat.
bool places_affine(const Layer& layer, const Case& c) {
  Case bare = c;
  bare.gamma.reset();
  bare.beta.reset();
  const Observation y = layer(c), x_hat = layer(bare);
  if (y.status != Status::ok || x_hat.status != Status::ok || y.y.shape != c.x.shape) return false;
  const std::int64_t n = row_length(c);
  for (std::int64_t i = 0; i < y.y.size(); ++i) {
    const auto scaled = static_cast<float>(x_hat.y.value(i)) * static_cast<float>(c.gamma->value(i % n));
    const float want = scaled + static_cast<float>(c.beta->value(i % n));
    if (y.y.value(i) != static_cast<double>(want)) return false;
  }
  return true;
}

TEST(Broadcasting, GammaAndBetaIndexTheNormalizedElement) {
  int checked = 0;
  for (const Row& row : table()) {
    if (row.accumulate != DType::f32 || row.variant.finish == Finish::folded) continue;
    if (row.variant.build == Build::fast) continue;  // gamma need not meet x_hat as it stands
    CounterRng rng(promise_seed(), 21);
    for (const Extents& e : extents) {
      const Case c = affine_case(rng, e, DType::f32);
      EXPECT_TRUE(places_affine(layer_of(row), c)) << row.name << " " << text_of(e) << '\n'
                                                   << record_failure(c, row.name);
      ++checked;
    }
  }
  fmt::print("{} calls, {} shapes\n", checked, extents.size());
}

TEST(Broadcasting, AnIndexAlongTheWrongAxisIsSeenAtEqualExtentsToo) {
  const Row& row = *find_row("two_pass/f32");
  CounterRng rng(promise_seed(), 22);
  int seen = 0, planted = 0;
  for (const Extents& e : extents) {
    const Case c = affine_case(rng, e, DType::f32);
    const std::int64_t n = row_length(c);
    if (n == 1 || row_count(c) == 1) continue;
    // Planted: element i of the row's flat index is taken as i / rows, as if the leading dims ran fastest.
    const Layer transposed = [&](const Case& call) {
      Case bare = call;
      bare.gamma.reset();
      bare.beta.reset();
      Observation out = run_case(row, bare);
      for (std::int64_t i = 0; call.gamma && i < out.y.size(); ++i) {
        const std::int64_t at = i / row_count(call);
        const auto scaled = static_cast<float>(out.y.value(i)) * static_cast<float>(call.gamma->value(at));
        out.y.set_value(i, static_cast<double>(scaled + static_cast<float>(call.beta->value(at))));
      }
      return out;
    };
    ++planted;
    seen += !places_affine(transposed, c);
  }
  EXPECT_EQ(seen, planted);
  fmt::print("planted: the wrong axis is seen on {} of {} shapes\n", seen, planted);
}

/// Whether each row of a call comes out as it does alone, as one row with no leading dims.
bool rows_stand_alone(const Layer& layer, const Case& c) {
  const Observation whole = layer(c);
  const std::int64_t n = row_length(c);
  const Shape statistics = statistics_shape(c);
  if (whole.y.shape != c.x.shape || !whole.mean || !whole.rstd) return false;
  if (whole.mean->shape != statistics || whole.rstd->shape != statistics) return false;
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    Case alone = c;
    alone.x = Tensor(c.x.dtype, normalized_shape(c));
    for (std::int64_t i = 0; i < n; ++i) alone.x.set_bits(i, c.x.bits(r * n + i));
    const Observation one = layer(alone);
    for (std::int64_t i = 0; i < n; ++i) {
      if (one.y.bits(i) != whole.y.bits(r * n + i)) return false;
    }
    if (one.mean->bits(0) != whole.mean->bits(r) || one.rstd->bits(0) != whole.rstd->bits(r)) return false;
  }
  return true;
}

TEST(Broadcasting, EveryRowComesOutAsItDoesAlone) {
  int checked = 0, seen = 0, planted = 0;
  for (const Row& row : table()) {
    for (const DType dtype : row.storages) {
      CounterRng rng(promise_seed(), 23);
      for (const Extents& e : extents) {
        const Case c = affine_case(rng, e, dtype);
        EXPECT_TRUE(rows_stand_alone(layer_of(row), c)) << row.name << " " << text_of(e) << '\n'
                                                        << record_failure(c, row.name);
        ++checked;
        if (row_count(c) == 1) continue;
        // Planted: the statistics of the first row are used for all.
        const Layer first_row = [&row](const Case& call) {
          Observation out = run_case(row, call, {true, true});
          for (std::int64_t r = 1; r < row_count(call); ++r) out.mean->set_bits(r, out.mean->bits(0));
          return out;
        };
        ++planted;
        seen += !rows_stand_alone(first_row, c);
      }
    }
  }
  EXPECT_GT(seen, planted * 9 / 10);  // two half means may be equal
  fmt::print("{} calls; planted: one mean for all rows is seen on {} of {}\n", checked, seen, planted);
}

TEST(Broadcasting, StatisticsKeepTheReducedDimsAsOne) {
  CounterRng rng(promise_seed(), 24);
  const std::vector<std::pair<Extents, Shape>> expected = {
      {{{2, 3, 4}, 1}, {2, 3, 1}}, {{{2, 3, 4}, 2}, {2, 1, 1}}, {{{2, 3, 4}, 3}, {1, 1, 1}}, {{{5}, 1}, {1}}};
  for (const auto& [e, shape] : expected) {
    const Observation out =
        run_case(*find_row("welford/f32"), affine_case(rng, e, DType::f32), Wanted{true, true});
    EXPECT_EQ(out.mean->shape, shape) << text_of(e);
    EXPECT_EQ(out.rstd->shape, shape) << text_of(e);
  }
  EXPECT_FALSE(run_case(*find_row("welford/f32"), affine_case(rng, {{4}, 1}, DType::f32)).mean.has_value());
  fmt::print("{} shapes\n", expected.size());
}

}  // namespace
}  // namespace normcheck
