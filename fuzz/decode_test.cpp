// The promise of the fuzz targets' inputs: any bytes are a case, and every case within the caps has bytes.
#include "fuzz/decode.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <vector>

#include "corpus/case_file.h"
#include "corpus/generate.h"
#include "impl/semantics.h"
#include "props/gen.h"
#include "props/promise.h"

namespace normcheck {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array floats = {DType::f16, DType::bf16, DType::f32, DType::f64};

Bytes random_bytes(CounterRng& rng, std::size_t size) {
  Bytes out(size);
  for (std::uint8_t& b : out) b = static_cast<std::uint8_t>(rng.below(256));
  return out;
}

/// A valid case of any shape within the caps, no-row and no-column shapes too, with any bits as values.
Case any_case(CounterRng& rng) {
  Case c;
  c.id = "any";
  const DType dtype = floats[rng.below(floats.size())];
  const auto rank = rng.between(1, max_decoded_rank);
  c.norm_ndim = rng.between(1, rank);
  do {
    c.x.shape.clear();
    for (int i = 0; i < rank; ++i) {
      const std::array<std::int64_t, 6> top = {1, 3, 8, 64, 300, max_decoded_elements};
      c.x.shape.push_back(rng.between(rng.coin(0.05) ? 0 : 1, top[rng.below(top.size())]));
    }
  } while (!within_caps(c));
  c.x = Tensor(dtype, c.x.shape);
  const auto fill = [&](Tensor& t) {
    for (std::byte& b : t.data) b = static_cast<std::byte>(rng.below(256));
  };
  const auto scale = [&]() -> std::optional<Tensor> {
    if (rng.coin(0.3)) return std::nullopt;
    Tensor t(is_half(dtype) && rng.coin() ? DType::f32 : dtype, normalized_shape(c));
    fill(t);
    return t;
  };
  fill(c.x);
  c.gamma = scale();
  c.beta = scale();
  const std::array<double, 6> eps = {0, -0.0, 1e-5, 0x1p-1074, 0x1.fffffffffffffp+1023, rng.uniform()};
  c.eps = eps[rng.below(eps.size())];
  return c;
}

TEST(Decode, GivesBackEveryValidCaseWithinTheCaps) {
  CounterRng rng(promise_seed(), 81);
  std::map<std::string, int> met;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const Case c = any_case(rng);
    const auto selector = static_cast<std::uint16_t>(rng.below(65536));
    const Wanted wanted = {rng.coin(), rng.coin()};
    const auto bytes = encode(c, selector, wanted);
    ASSERT_TRUE(bytes.has_value()) << shape_text(c.x.shape);
    const Decoded back = decode(*bytes);
    ASSERT_TRUE(same_problem(back.c, c)) << format_case(c);
    ASSERT_EQ(back.selector, selector);
    ASSERT_EQ(back.wanted.mean, wanted.mean);
    ASSERT_EQ(back.wanted.rstd, wanted.rstd);
    ASSERT_EQ(back.c.expect, Expect::bound);
    ++met[fmt::format("{} rank {}", dtype_name(c.x.dtype), c.x.shape.size())];
  }
  ASSERT_EQ(met.size(), floats.size() * max_decoded_rank);
  fmt::print("{} cases of any bits, {} pairs of dtype and rank\n", count, met.size());
}

TEST(Decode, GivesBackEveryRegime) {
  int cases = 0;
  int beyond = 0;
  for (const Regime& regime : regimes()) {
    for (const DType dtype : floats) {
      for (std::uint64_t i = 0; i < 16; ++i) {
        const Case c = make_case(regime, {.dtype = dtype}, promise_seed(), i);
        const auto bytes = encode(c);
        ++(bytes ? cases : beyond);
        if (!bytes) {
          ASSERT_TRUE(refusal(c) || !within_caps(c)) << format_case(c);
          continue;
        }
        ASSERT_TRUE(same_problem(decode(*bytes).c, c)) << format_case(c);
      }
    }
  }
  ASSERT_GT(cases, beyond);
  fmt::print("{} regimes, {} cases; {} refused or beyond the caps\n", regimes().size(), cases, beyond);
}

/// So far below the caps that an extent changed by one is not cut.
bool small(const Case& c) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : c.x.shape) elements *= std::max<std::int64_t>(extent, 1);
  return elements <= 200 && row_count(c) <= 32;
}

TEST(Decode, EveryByteOfAnEncodingMatters) {
  // The comparison above can fail: no byte of an encoding may be changed and the same problem come back.
  CounterRng rng(promise_seed(), 82);
  std::int64_t changed = 0;
  for (int i = 0; i < 200; ++i) {
    const Case c = any_case(rng);
    if (!small(c)) continue;
    const auto bytes = encode(c);
    const std::size_t extents = 9;  // before: version, selector and outputs, which are not of the problem
    const std::size_t eps = extents + 2 * c.x.shape.size();
    for (std::size_t at = 4; at < bytes->size(); ++at) {
      if (at >= extents && at < eps && (at - extents) % 2 == 1) continue;  // high bytes only meet the cap
      Bytes other = *bytes;
      other[at] = static_cast<std::uint8_t>(other[at] ^ 1u);
      if (at == 6 && c.x.shape.size() == 1) continue;  // norm_ndim can only be 1
      ASSERT_FALSE(same_problem(decode(other).c, c)) << "byte " << at << "\n" << format_case(c);
      ++changed;
    }
  }
  ASSERT_GT(changed, 10000);
  fmt::print("{} bytes changed, each gave another problem\n", changed);
}

TEST(Decode, RefusesToEncodeWhatItCannotGiveBack) {
  Case c;
  c.x = Tensor(DType::f32, {65, 2});
  EXPECT_FALSE(encode(c)) << "65 rows";
  c.x = Tensor(DType::f32, {1, 4097});
  EXPECT_FALSE(encode(c)) << "4097 elements";
  c.x = Tensor(DType::f32, {1, 1, 1, 1, 1, 4});
  EXPECT_FALSE(encode(c)) << "rank 6";
  c.x = Tensor(DType::f32, {0, 4, 4096});
  EXPECT_FALSE(encode(c)) << "no elements, but extents beyond the caps";
  c.x = Tensor(DType::f32, {2, 4});
  EXPECT_TRUE(encode(c));
  c.eps = -1;
  EXPECT_FALSE(encode(c)) << "a refused eps";
  fmt::print("5 cases without bytes, 1 with\n");
}

/// What must hold of any bytes; the first byte chooses the form.
void expect_a_case(const Bytes& bytes) {
  const Decoded d = decode(bytes);
  ASSERT_TRUE(within_caps(d.c)) << shape_text(d.c.x.shape);
  ASSERT_EQ(checked_size(d.c.x.shape), d.c.x.size());
  for (const auto& t : {d.c.gamma, d.c.beta}) {
    if (t) {
      ASSERT_EQ(checked_size(t->shape), t->size());
    }
  }
  ASSERT_EQ(d.c.expect == Expect::refused, refusal(d.c).has_value());
  const std::string text = format_case(d.c);
  ASSERT_TRUE(same_case(parse_case(text, "decoded"), d.c)) << text;
  ASSERT_EQ(format_case(decode(bytes).c), text) << "the same bytes gave another case";
}

TEST(Decode, AnyBytesAreACase) {
  CounterRng rng(promise_seed(), 83);
  std::map<std::string, std::int64_t> met;
  constexpr int count = 6000;
  for (int i = 0; i < count; ++i) {
    Bytes bytes = random_bytes(rng, rng.below(i % 16 == 0 ? 9000 : 100));
    if (i < 256) bytes = {static_cast<std::uint8_t>(i)};
    ASSERT_NO_FATAL_FAILURE(expect_a_case(bytes));
    const Decoded d = decode(bytes);
    ++met[d.c.expect == Expect::refused ? "refused" : d.c.x.size() == 0 ? "empty" : "judged"];
  }
  ASSERT_NO_FATAL_FAILURE(expect_a_case({}));
  for (const char* kind : {"refused", "empty", "judged"}) EXPECT_GT(met[kind], 20) << kind;
  fmt::print("{} inputs: {} judged, {} refused, {} empty\n", count, met["judged"], met["refused"],
             met["empty"]);
}

TEST(Decode, AShortenedInputIsStillACase) {
  CounterRng rng(promise_seed(), 84);
  std::int64_t inputs = 0;
  for (int i = 0; i < 40; ++i) {
    const Case c = any_case(rng);
    if (c.x.size() > 100) continue;
    const Bytes whole = *encode(c);
    for (std::size_t size = 0; size < whole.size(); ++size, ++inputs) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      ASSERT_NO_FATAL_FAILURE(expect_a_case(cut));
    }
  }
  ASSERT_GT(inputs, 500);
  fmt::print("{} inputs cut short\n", inputs);
}

TEST(Decode, MostStructuredRowsAreOrdinaryNumbers) {
  // What the structured form is for: rows whose sum of squares stays in range, unlike random bit patterns.
  CounterRng rng(promise_seed(), 85);
  std::int64_t rows = 0;
  std::int64_t in_range = 0;
  std::int64_t spread = 0;
  std::map<std::string_view, int> dtypes;
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes = random_bytes(rng, 18 + rng.below(64));
    bytes[0] = decode_version << 4;
    const Case c = decode(bytes).c;
    if (c.expect == Expect::refused) continue;
    ++dtypes[dtype_name(c.x.dtype)];
    const std::int64_t n = row_length(c);
    for (std::int64_t r = 0; n > 0 && r < row_count(c); ++r, ++rows) {
      double squares = 0;
      bool constant = true;
      for (std::int64_t k = 0; k < n; ++k) {
        squares += c.x.value(r * n + k) * c.x.value(r * n + k);
        if (c.x.value(r * n + k) != c.x.value(r * n)) constant = false;
      }
      if (squares <= largest_finite(is_half(c.x.dtype) ? DType::f32 : c.x.dtype)) ++in_range;
      if (!constant) ++spread;
    }
  }
  EXPECT_EQ(dtypes.size(), floats.size());
  EXPECT_GT(in_range, rows / 2);
  EXPECT_GT(spread, rows / 2);
  fmt::print("{} rows, {:.0f}% in range, {:.0f}% not constant\n", rows,
             100.0 * static_cast<double>(in_range) / static_cast<double>(rows),
             100.0 * static_cast<double>(spread) / static_cast<double>(rows));
}

}  // namespace
}  // namespace normcheck
