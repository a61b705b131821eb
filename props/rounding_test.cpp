// Promise: a double goes to a narrower format in one correctly rounded step, a half never by way of float;
// and the seeded numbers that inputs are made of never change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "corpus/dtype.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/promise.h"

namespace normcheck {
namespace {

// All non-negative values of a half format in order, each from its definition, and after them the power of
// two at which rounding turns to infinity: an independent, slow account of the format.
std::vector<double> ladder(DType dtype) {
  const Format f = format_of(dtype);
  const int significands = 1 << (f.precision - 1);
  std::vector<double> out;
  for (int s = 0; s < significands; ++s) out.push_back(std::ldexp(s, f.emin - f.precision + 1));
  for (int e = f.emin; e <= f.emax; ++e) {
    for (int s = 0; s < significands; ++s) out.push_back(std::ldexp(significands + s, e - f.precision + 1));
  }
  out.push_back(std::ldexp(1, f.emax + 1));
  return out;
}

// Nearest rung of v >= 0, ties to the even index (a rung's index is its bit pattern). Both differences are
// exact: v lies between two neighbours of few bits.
std::uint64_t nearest(const std::vector<double>& rungs, double v) {
  if (v >= rungs.back()) return rungs.size() - 1;
  const auto above =
      static_cast<std::size_t>(std::upper_bound(rungs.begin(), rungs.end(), v) - rungs.begin());
  const double down = v - rungs[above - 1];
  const double up = rungs[above] - v;
  if (down != up) return down < up ? above - 1 : above;
  return above % 2 == 0 ? above : above - 1;
}

TEST(Rounding, EveryHalfHasTheValueOfItsDefinition) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const std::vector<double> rungs = ladder(dtype);
    for (std::uint64_t bits = 0; bits + 1 < rungs.size(); ++bits) {
      ASSERT_EQ(to_double(dtype, bits), rungs[bits]);
      ASSERT_EQ(to_double(dtype, bits | 0x8000), -rungs[bits]);
      ASSERT_TRUE(std::signbit(to_double(dtype, bits | 0x8000)));
      ASSERT_EQ(round_to(dtype, rungs[bits]), bits);
      ASSERT_EQ(round_to(dtype, -rungs[bits]), bits | 0x8000);
    }
    const std::uint64_t infinity = rungs.size() - 1;
    EXPECT_EQ(to_double(dtype, infinity), std::numeric_limits<double>::infinity());
    EXPECT_EQ(to_double(dtype, infinity | 0x8000), -std::numeric_limits<double>::infinity());
    for (std::uint64_t bits = infinity + 1; bits < 0x8000; ++bits) {
      ASSERT_TRUE(std::isnan(to_double(dtype, bits)) && std::isnan(to_double(dtype, bits | 0x8000)));
    }
    EXPECT_EQ(largest_finite(dtype), rungs[rungs.size() - 2]);
    EXPECT_EQ(smallest_subnormal(dtype), rungs[1]);
    EXPECT_EQ(round_to(dtype, std::nan("")), dtype == DType::f16 ? 0x7e00U : 0x7fc0U);
    fmt::print("{}: {} values of each sign\n", dtype_name(dtype), rungs.size() - 1);
  }
}

TEST(Rounding, EveryMidpointAndItsNeighboursRoundOnce) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const std::vector<double> rungs = ladder(dtype);
    std::int64_t by_float_wrong = 0;
    for (std::size_t i = 0; i + 1 < rungs.size(); ++i) {
      const double middle = rungs[i] + (rungs[i + 1] - rungs[i]) / 2;
      for (const double v : {std::nextafter(middle, 0.0), middle, std::nextafter(middle, rungs.back() * 2)}) {
        const std::uint64_t want = nearest(rungs, v);
        ASSERT_EQ(round_to(dtype, v), want) << fmt::format("{:a}", v);
        ASSERT_EQ(round_to(dtype, -v), want | 0x8000) << fmt::format("{:a}", -v);
        if (round_to(dtype, static_cast<double>(static_cast<float>(v))) != want) ++by_float_wrong;
      }
    }
    EXPECT_GT(by_float_wrong, 30000) << "the inputs do not tell one rounding from two";
    fmt::print("{}: {} midpoints and their neighbours; by way of float {} would be wrong\n",
               dtype_name(dtype), rungs.size() - 1, by_float_wrong);
  }
}

TEST(Rounding, RandomDoublesAgreeWithASearchAndWithTheHardware) {
  CounterRng rng(promise_seed(), 5);
  const std::vector<double> f16 = ladder(DType::f16);
  const std::vector<double> bf16 = ladder(DType::bf16);
  constexpr int kRuns = 1000000;
  for (int run = 0; run < kRuns; ++run) {
    const std::uint64_t word = rng.next();
    const std::uint64_t biased = run % 4 == 0 ? word >> 53 : 1023 - 160 + (word >> 53) % 300;
    const double v = std::bit_cast<double>((word & ((std::uint64_t{1} << 52) - 1)) | biased << 52);
    if (std::isnan(v)) continue;
    ASSERT_EQ(round_to(DType::f16, v), nearest(f16, v)) << fmt::format("{:a}", v);
    ASSERT_EQ(round_to(DType::bf16, v), nearest(bf16, v)) << fmt::format("{:a}", v);
    if (v <= 0x1.fffffep+127) {
      ASSERT_EQ(round_to(DType::f32, v), std::bit_cast<std::uint32_t>(static_cast<float>(v)));
    }
    ASSERT_EQ(round_to(DType::f64, v), std::bit_cast<std::uint64_t>(v));
    const auto pattern = static_cast<std::uint32_t>(word);
    const float single = std::bit_cast<float>(pattern);
    if (!std::isnan(single)) {
      ASSERT_EQ(to_double(DType::f32, pattern), static_cast<double>(single));
      ASSERT_EQ(round_to(DType::f32, single), pattern);
    }
  }
  fmt::print("{} doubles into f16, bf16, f32\n", kRuns);
}

TEST(Rounding, IntegersTruncateAndSaturate) {
  EXPECT_EQ(to_double(DType::i32, round_to(DType::i32, -2.9)), -2.0);
  EXPECT_EQ(round_to(DType::i32, 1e300), 0x7fffffffU);
  EXPECT_EQ(round_to(DType::i32, -0x1.00000001p+31), 0x80000000U);
  EXPECT_EQ(round_to(DType::i64, 0x1p+63), 0x7fffffffffffffffU);
  EXPECT_EQ(round_to(DType::i64, -0x1p+63), 0x8000000000000000U);
  EXPECT_EQ(round_to(DType::i64, std::nan("")), 0U);
  EXPECT_EQ(to_double(DType::i64, ~std::uint64_t{0}), -1.0);
  fmt::print("i32 and i64 at their ends\n");
}

TEST(Rounding, FormatsHaveTheirConstants) {
  EXPECT_EQ(unit_roundoff(DType::f16), 0x1p-11);
  EXPECT_EQ(unit_roundoff(DType::bf16), 0x1p-8);
  EXPECT_EQ(unit_roundoff(DType::f32), 0x1p-24);
  EXPECT_EQ(unit_roundoff(DType::f64), 0x1p-53);
  EXPECT_EQ(smallest_subnormal(DType::f32), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(smallest_subnormal(DType::f64), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(largest_finite(DType::f32), std::numeric_limits<float>::max());
  EXPECT_EQ(largest_finite(DType::f64), std::numeric_limits<double>::max());
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64}) {
    EXPECT_EQ(parse_dtype(dtype_name(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("f31"), std::nullopt);
  fmt::print("u, eta, omega of four formats; six names\n");
}

TEST(Generator, DrawsNeverChange) {
  CounterRng rng(1);
  const CounterRng fork = rng.fork(3);
  const std::vector<std::uint64_t> got = {
      rng.at(0),           rng.at(1), rng.at(~std::uint64_t{0}), CounterRng(1, 1).at(0),
      CounterRng(0).at(0), fork.at(0)};
  const std::vector<std::uint64_t> want = {0xd310d28cb36a3730, 0x6ca7c64c10c84967, 0x1fec69126adf8670,
                                           0xe99c97eafbf77678, 0x4f17c956ff4615cd, 0x563cad4fae85d2bd};
  EXPECT_EQ(got, want) << fmt::format("{:#x}, {:#x}, {:#x}, {:#x}, {:#x}, {:#x}", got[0], got[1], got[2],
                                      got[3], got[4], got[5]);
  EXPECT_EQ(rng.next(), got[0]);
  EXPECT_EQ(rng.next(), got[1]);
  EXPECT_EQ(rng.below(1000), 936U);
  EXPECT_EQ(rng.between(-5, 5), 5);
  EXPECT_EQ(fmt::format("{:a}", rng.uniform()), "0x1.c466ecf3fa4dap-2");
  EXPECT_EQ(fmt::format("{:a}", rng.normal()), "0x1.1ba08244b4f0cp+0");
  for (const auto& [name, digest] :
       {std::pair{"uniform", "02d9ecd1ad8a42ee6b34ffa637b703239c73d73b746957adf61048f381b45d72"},
        {"normal", "3466de07366961ca1673565bc7059f12e76c552330f2f2e2fcff350a4be1cccc"},
        {"offset_normal", "9adefb7f3634e3d4a8b32fe11a2eb21a307d38b288ecb80666b342d023b57510"},
        {"integers", "6c6ec6ed35523e1e11d1083886b66a777920e1588592dabc08d0ee9cedaaf189"},
        {"balanced", "630741aff78481c4e1fc8a0a113e759ce4d4b2102de4cc99cbfd04361e76f1b4"},
        {"ramp", "b19fcfaddb100b343e07d72ce1b93c4c52f9db49665174e25e5ceed0f5cce1ea"}}) {
    const Tensor t = generate_tensor(name, 42, DType::f64, {3, 1000});
    EXPECT_EQ(sha256_hex({reinterpret_cast<const char*>(t.data.data()), t.data.size()}), digest) << name;
  }
  fmt::print("words, draws, and 3000 elements of six generators\n");
}

TEST(Generator, AnElementDependsOnSeedAndIndexAlone) {
  for (const std::string_view name : generator_names()) {
    const Tensor large = generate_tensor(name, 9, DType::f32, {10, 50});
    const Tensor small = generate_tensor(name, 9, DType::f32, {70});
    EXPECT_TRUE(std::equal(small.data.begin(), small.data.end(), large.data.begin())) << name;
    if (name != "ramp") {
      EXPECT_NE(small, generate_tensor(name, 10, DType::f32, {70})) << name;
    }
  }
  EXPECT_THROW(generate_tensor("gauss", 1, DType::f32, {1}), InputError);
  EXPECT_THROW(generate_tensor("ramp", 1, DType::f32, {-1}), InputError);
  fmt::print("{} generators\n", generator_names().size());
}

TEST(Generator, DrawsHaveTheMomentsTheyClaim) {
  CounterRng rng(promise_seed(), 11);
  constexpr int kRuns = 1 << 20;
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  double uniforms = 0;
  std::vector<int> faces(6);
  for (int run = 0; run < kRuns; ++run) {
    const double z = rng.normal();
    ASSERT_LE(std::abs(z), 6.0);
    sum += z;
    squares += z * z;
    fourth += z * z * z * z;
    const double u = rng.uniform();
    ASSERT_TRUE(u >= 0 && u < 1);
    uniforms += u;
    ++faces[static_cast<std::size_t>(rng.between(1, 6) - 1)];
  }
  // Five standard deviations of each mean: 1/sqrt(n), sqrt(1.9/n), sqrt(30/n)...; kurtosis 3 - 6/60 = 2.9.
  const double n = kRuns;
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(1.9 / n));
  EXPECT_NEAR(fourth / n, 2.9, 5 * std::sqrt(100 / n));
  EXPECT_NEAR(uniforms / n, 0.5, 5 * std::sqrt(1.0 / 12 / n));
  for (const int count : faces) EXPECT_NEAR(count / n, 1.0 / 6, 5 * std::sqrt(5.0 / 36 / n));
  fmt::print("normal: mean {:.5f} variance {:.5f} fourth {:.4f}; uniform mean {:.5f}\n", sum / n, squares / n,
             fourth / n, uniforms / n);
}

TEST(Sha256, KnownDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // One digest over messages of every length around the padding's edges.
  std::string digests;
  for (std::size_t length = 0; length < 200; ++length) digests += sha256_hex(std::string(length, 'x'));
  EXPECT_EQ(sha256_hex(digests), "f61ffcc417e1f0e59eba2da7fa32fbe05b64e478b68c6bacf990455f00248b98");
  fmt::print("4 published digests, 200 lengths\n");
}

}  // namespace
}  // namespace normcheck
