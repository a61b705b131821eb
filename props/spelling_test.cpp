// Promise: a number in a case has one spelling when written, any exact one when read, and is never rounded.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "corpus/case_file.h"
#include "corpus/error.h"

namespace normcheck {
namespace {

constexpr const char* kHead = "normcheck-case 1\nid t\nop layernorm_fwd\nnorm_ndim 1\neps 0x0p+0\n";
constexpr const char* kTail = "gamma none\nbeta none\nexpect bound\n";

TEST(Spelling, NumbersAreSpeltInOneWay) {
  struct Row {
    DType dtype;
    std::uint64_t bits;
    const char* text;
  };
  const Row rows[] = {{DType::f32, 0x461c4000, "0x1.388p+13"},
                      {DType::f32, 0, "0x0p+0"},
                      {DType::f32, 0x80000000, "-0x0p+0"},
                      {DType::f32, 1, "0x1p-149"},
                      {DType::f32, 0x7f7fffff, "0x1.fffffep+127"},
                      {DType::f32, 0x7f800000, "inf"},
                      {DType::f32, 0xff800000, "-inf"},
                      {DType::f32, 0x7fc00000, "nan"},
                      {DType::f32, 0xffc00000, "nan:0xffc00000"},
                      {DType::f32, 0x7f800001, "nan:0x7f800001"},
                      {DType::f64, 1, "0x1p-1074"},
                      {DType::f64, 3, "0x1.8p-1073"},
                      {DType::f64, 0x000fffffffffffff, "0x1.ffffffffffffep-1023"},
                      {DType::f64, 0x3ff0000000000001, "0x1.0000000000001p+0"},
                      {DType::f64, 0x7ff8000000000000, "nan"},
                      {DType::f64, 0xfff8000000000001, "nan:0xfff8000000000001"},
                      {DType::f16, 0x0001, "0x1p-24"},
                      {DType::f16, 0x7bff, "0x1.ffcp+15"},
                      {DType::f16, 0x7e01, "nan:0x7e01"},
                      {DType::bf16, 0x7fc0, "nan"},
                      {DType::i32, 0x80000000, "-2147483648"},
                      {DType::i64, ~std::uint64_t{0}, "-1"}};
  for (const Row& row : rows) EXPECT_EQ(format_value(row.dtype, row.bits), row.text);
  fmt::print("{} spellings\n", std::size(rows));
}

Tensor read_row(const std::string& dtype, std::int64_t length, const std::string& values) {
  return parse_case(fmt::format("{}x {} {}\n{}\n{}", kHead, dtype, length, values, kTail), "t").x;
}

TEST(Spelling, ReadsAnySpellingThatIsExact) {
  struct Row {
    const char* dtype;
    const char* text;
    std::uint64_t bits;
  };
  const std::string longest = fmt::format("{:.1074f}", 0x1p-1074);
  const std::string many_digits = fmt::format("{:.1074f}", 0x1.fffffffffffffp-1022);
  const Row rows[] = {{"f32", "0X1.8P1", 0x40400000},
                      {"f32", "0x.0000000000000000000000018p+97", 0x40400000},
                      {"f32", "0x180000000000000000000000000000000p-128", 0x3fc00000},
                      {"f32", "+0x3", 0x40400000},
                      {"f32", "0x1.0000000", 0x3f800000},
                      {"f32", "0x0.00p+999999999999999999999", 0},
                      {"f32", "-0", 0x80000000},
                      {"f32", "0.1e1", 0x3f800000},
                      {"f32", "2.5", 0x40200000},
                      {"f32", ".5", 0x3f000000},
                      {"f32", "5.", 0x40a00000},
                      {"f32", "16777216", 0x4b800000},
                      {"f32", "1e10", 0x501502f9},
                      {"f32", "340282346638528859811704183484516925440", 0x7f7fffff},
                      {"f64", "1e22", 0x4480f0cf064dd592},
                      {"f64", longest.c_str(), 1},
                      {"f64", many_digits.c_str(), 0x001fffffffffffff},
                      {"f16", "65504", 0x7bff},
                      {"f16", "0x1p-24", 1},
                      {"bf16", "-3.140625", 0xc049},
                      {"bf16", "+inf", 0x7f80},
                      {"bf16", "nan:0x7fc0", 0x7fc0},
                      {"f32", "nan:0x7F800001", 0x7f800001}};
  for (const Row& row : rows) EXPECT_EQ(read_row(row.dtype, 1, row.text).bits(0), row.bits) << row.text;
  const Tensor spread = read_row("f32", 5, "  # a comment\n\t1*2 \r\n\n +   2*2 # more\n  + 3");
  EXPECT_EQ(spread, read_row("f32", 5, "1 1 2 2 3"));
  fmt::print("{} spellings, and one row spread over lines\n", std::size(rows));
}

TEST(Spelling, ADecimalThatIsNotExactNamesTheNearestNumber) {
  struct Row {
    const char* dtype;
    std::string text;
    const char* nearest;
  };
  std::string off = fmt::format("{:.1074f}", 0x1p-1074);
  off.back() = '6';
  const Row rows[] = {{"f32", "0.1", "0x1.99999ap-4"},
                      {"f16", "2049", "0x1p+11"},
                      {"f16", "-2051", "-0x1.008p+11"},
                      {"f64", "1e23", "0x1.52d02c7e14af6p+76"},
                      {"f64", "1e400", "inf"},
                      {"f64", "1e-400", "0x0p+0"},
                      {"f32", "16777217", "0x1p+24"},
                      {"f64", off, "0x1p-1074"},
                      {"bf16", "0x1.01p+0", "0x1p+0"},
                      {"f32", "0x1p+128", "inf"},
                      {"f32", "0x1.8p-150", "0x1p-149"},
                      {"f32", "0x1p-151", "0x0p+0"},
                      {"f32", "0x1.000001p+0", "0x1p+0"},
                      {"f32", "0x1.0000010000000000000001p+0", "0x1.000002p+0"},
                      {"f64", "9007199254740993", "0x1p+53"}};
  for (const Row& row : rows) {
    try {
      read_row(row.dtype, 1, row.text);
      ADD_FAILURE() << row.text << " was read";
    } catch (const InputError& error) {
      const std::string want = fmt::format("holds exactly; the nearest is {}", row.nearest);
      EXPECT_TRUE(std::string(error.what()).ends_with(want)) << error.what() << "\nwanted ..." << want;
    }
  }
  fmt::print("{} numbers refused with their nearest\n", std::size(rows));
}

}  // namespace
}  // namespace normcheck
