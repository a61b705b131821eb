// Promise: a case and its text are the same thing, bit for bit, for every number a dtype can hold.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <filesystem>
#include <limits>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/promise.h"

namespace normcheck {
namespace {

constexpr std::int64_t kRowLength = 512;
constexpr std::int64_t kBatch = std::int64_t{1} << 20;

Case case_of(Tensor x) {
  Case c;
  c.id = "t";
  c.x = std::move(x);
  return c;
}

// Writes `count` patterns, pattern(0), pattern(1)..., into cases and reads each back.
template <class Pattern>
void expect_round_trip(DType dtype, std::int64_t count, Pattern pattern) {
  for (std::int64_t first = 0; first < count; first += kBatch) {
    const std::int64_t size = std::min(kBatch, count - first);
    Tensor x(dtype, {size / kRowLength, kRowLength});
    for (std::int64_t i = 0; i < x.size(); ++i) x.set_bits(i, pattern(first + i));
    const Case c = case_of(std::move(x));
    const Case back = parse_case(format_case(c), "t");
    ASSERT_EQ(c.x.shape, back.x.shape);
    for (std::int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(c.x.bits(i), back.x.bits(i)) << dtype_name(dtype) << " " << format_value(dtype, c.x.bits(i));
    }
  }
  fmt::print("{} patterns of {} written and read back\n", count, dtype_name(dtype));
}

// Every sign and exponent with fractions at the edges, then random words. `fraction_bits` as in the format.
std::uint64_t edge_or_random(const CounterRng& rng, DType dtype, std::int64_t i) {
  const Format f = format_of(dtype);
  const int fraction_bits = f.precision - 1;
  const std::uint64_t mask = (std::uint64_t{1} << fraction_bits) - 1;
  const std::uint64_t fractions[] = {0, 1, 2, mask, mask - 1, (mask + 1) / 2, (mask + 1) / 2 + 1, mask / 3};
  const auto n = static_cast<std::uint64_t>(i);
  const std::uint64_t top = n / 8;  // sign and exponent
  if (top >> (f.bits - fraction_bits) == 0) return top << fraction_bits | fractions[n % 8];
  return rng.at(n) >> (64 - f.bits);
}

TEST(CaseFile, EveryHalfPatternRoundTrips) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    expect_round_trip(dtype, 65536, [](std::int64_t i) { return static_cast<std::uint64_t>(i); });
  }
}

TEST(CaseFile, MillionsOfF32AndF64PatternsRoundTrip) {
  const CounterRng rng(promise_seed());
  for (const DType dtype : {DType::f32, DType::f64}) {
    expect_round_trip(dtype, 4 * kBatch, [&](std::int64_t i) { return edge_or_random(rng, dtype, i); });
  }
}

constexpr const char* kHead = "normcheck-case 1\nid t\nop layernorm_fwd\nnorm_ndim 1\neps 0x0p+0\n";
constexpr const char* kTail = "gamma none\nbeta none\nexpect bound\n";

constexpr const char* kCanonical =
    "normcheck-case 1\n"
    "id        large-mean-0007\n"
    "op        layernorm_fwd\n"
    "norm_ndim 1\n"
    "eps       0x1.4f8b588e368f1p-17  # 1e-05\n"
    "x f32 2 4\n"
    "  0x1.388p+13 0x1.3888p+13 0x1.389p+13 -0x0p+0\n"
    "  0x1.8p+1*4\n"
    "gamma f32 4\n"
    "  nan:0x7f800001 inf nan*2\n"
    "beta none\n"
    "expect bound\n"
    "violates naive/f32\n"
    "violates naive/f16\n"
    "origin https://github.com/microsoft/onnxruntime/issues/28463#issuecomment-1\n"
    "note   four large, nearly equal numbers; # is no comment here\n"
    "note   of two lines\n";

TEST(CaseFile, TheWriterIsCanonical) {
  const Case c = parse_case(kCanonical, "t");
  EXPECT_EQ(format_case(c), kCanonical);
  EXPECT_EQ(c.violates, (std::vector<std::string>{"naive/f32", "naive/f16"}));
  EXPECT_EQ(c.notes[0], "four large, nearly equal numbers; # is no comment here");
  // Keys in another order, other spacing, comments: the same case, so the same text.
  const std::string loose =
      "normcheck-case   1 # here\n\nnote four large, nearly equal numbers; # is no comment here \n"
      "beta none\nexpect\tbound # or\nviolates naive/f32 # known\nnorm_ndim 1\nnote of two lines\n"
      "gamma f32 4\n nan:0x7f800001 inf\n + nan\n+ nan\nop layernorm_fwd\n"
      "eps 0x1.4f8b588e368f10p-17\nid large-mean-0007\nviolates naive/f16\n"
      "origin https://github.com/microsoft/onnxruntime/issues/28463#issuecomment-1\n"
      "# x last\nx f32 2 4\n10000 0x2711 10002 -0\n3 3 3*2\n";
  EXPECT_EQ(format_case(parse_case(loose, "t")), kCanonical);
  fmt::print("one case, two spellings, one text\n");
}

TEST(CaseFile, EveryFieldAndEveryExpectationRoundTrips) {
  std::vector<Case> cases;
  Case c = parse_case(kCanonical, "t");
  cases.push_back(c);
  c.expect = Expect::nan_rows;
  c.nan_rows = {0, 1};
  c.x.set_value(0, std::numeric_limits<double>::quiet_NaN());
  c.x.set_value(7, std::numeric_limits<double>::infinity());
  cases.push_back(c);
  c.expect = Expect::refused;
  c.nan_rows.clear();
  for (const std::uint64_t eps : {0xfff8000000000001U, 0x7ff0000000000000U, 0xbff0000000000000U}) {
    c.eps = std::bit_cast<double>(eps);
    cases.push_back(c);
  }
  c.norm_ndim = 7;
  c.normalized = {{3, 0}};
  c.x = Tensor(DType::i64, {2, 0, 3});
  c.beta = Tensor(DType::i32, {2});
  cases.push_back(c);
  c.normalized->clear();
  c.x = Tensor(DType::i64, {});
  cases.push_back(c);
  for (const char* shape : {"x f32 0 4\n", "x f32 4 0\n", "x f32 67108864 0\n"}) {
    cases.push_back(parse_case(fmt::format("{}{}{}", kHead, shape, kTail), "t"));
  }
  for (const std::string_view name : generator_names()) {
    Case g = case_of(generate_tensor(name, 7, DType::bf16, {3, 5}));
    g.generated = {std::string(name), 7,
                   sha256_hex({reinterpret_cast<const char*>(g.x.data.data()), g.x.data.size()})};
    cases.push_back(g);
  }
  for (const Case& one : cases) {
    const std::string text = format_case(one);
    const Case back = parse_case(text, "t");
    EXPECT_TRUE(same_case(one, back)) << text;
    EXPECT_EQ(format_case(back), text);
  }
  fmt::print("{} cases, every field used\n", cases.size());
}

TEST(CaseFile, LongRowsGoOnInLinesOfAtMostAHundredColumns) {
  const Case c = case_of(generate_tensor("normal", 3, DType::f64, {3, 100}));
  const std::string text = format_case(c);
  std::size_t lines = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1, ++lines) {
    EXPECT_LE(text.find('\n', at) - at, 100U);
  }
  EXPECT_TRUE(same_case(parse_case(text, "t"), c));
  fmt::print("{} lines\n", lines);
}

TEST(CaseFile, WhatNoTextCanHoldIsNotWritten) {
  const Case good = parse_case(kCanonical, "t");
  std::vector<Case> bad(8, good);
  bad[0].notes = {"two\nlines"};
  bad[1].notes = {" spaces at the ends "};
  bad[2].id = "";
  bad[3].nan_rows = {0};
  bad[4].norm_ndim = 3;
  bad[5].generated = {"normal", 1, sha256_hex("")};
  bad[6].violates = {"two words"};
  bad[7].gamma = Tensor(DType::f32, {1});
  for (const Case& c : bad) EXPECT_THROW(format_case(c), InputError);
  fmt::print("{} cases refused\n", bad.size());
}

TEST(CaseFile, IsWrittenWholeOrNotAtAll) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("normcheck_format_{}", ::getpid());
  fs::create_directories(folder);
  const Case c = parse_case(kCanonical, "t");
  write_case(folder / "a.case", c);
  write_case(folder / "a.case", c);
  EXPECT_TRUE(same_case(read_case(folder / "a.case"), c));
  fs::create_symlink("a.case", folder / "link.case");
  write_file_atomically(folder / "link.case", "through the link");
  EXPECT_EQ(read_file(folder / "a.case"), "through the link");
  EXPECT_TRUE(fs::is_symlink(folder / "link.case"));
  EXPECT_THROW(write_case(folder / "absent" / "a.case", c), InputError);
  EXPECT_THROW(write_case(folder, c), InputError);
  EXPECT_THROW(read_case(folder / "absent.case"), InputError);
  EXPECT_THROW(read_case(folder), InputError);
  if (fs::exists("/dev/full")) {
    EXPECT_THROW(write_file_atomically("/dev/full", "x"), InputError);
  }
  write_file_atomically("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  const auto files = std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  EXPECT_EQ(files, 2) << "something half-written was left behind";
  fs::remove_all(folder);
  fmt::print("file, link, folder, missing folder, device\n");
}

}  // namespace
}  // namespace normcheck
