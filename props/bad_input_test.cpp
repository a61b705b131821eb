// Promise: whatever bytes a `.case` holds, it is read or refused in one line that says where; nothing crashes
// and nothing large is allocated on the word of a few bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/promise.h"

namespace {
std::size_t largest_allocation = 0;
}

// Replaced to see what a parse asks for; malloc and free, so that a sanitizer still sees every block.
void* operator new(std::size_t size) {
  largest_allocation = std::max(largest_allocation, size);
  if (void* block = std::malloc(size == 0 ? 1 : size)) return block;
  throw std::bad_alloc();
}
void operator delete(void* block) noexcept { std::free(block); }
void operator delete(void* block, std::size_t) noexcept { std::free(block); }

namespace normcheck {
namespace {

// Line by line, so that a bad input is one line replaced.
const std::vector<std::string> kLines = {"normcheck-case 1",          // 1
                                         "id t",                      // 2
                                         "op layernorm_fwd",          // 3
                                         "norm_ndim 1",               // 4
                                         "eps 0x1p-10",               // 5
                                         "x f32 2 4",                 // 6
                                         "  0x1p+0 0x1p+1 0x1p+2 0",  // 7
                                         "  0x1.8p+1*4",              // 8
                                         "gamma f32 4",               // 9
                                         "  1*4",                     // 10
                                         "beta none",                 // 11
                                         "expect bound",              // 12
                                         "note   text"};              // 13

std::string text_with(std::size_t line, std::string_view replacement) {
  std::string out;
  for (std::size_t i = 1; i <= kLines.size(); ++i) {
    out += i == line ? replacement : std::string_view(kLines[i - 1]);
    if (i != line || !replacement.empty()) out += '\n';
  }
  return out;
}

std::string error_of(std::string_view text, const CaseLimits& limits = {}) {
  try {
    parse_case(text, "t", limits);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

void expect_one_line(const std::string& error) {
  EXPECT_TRUE(error.starts_with("t:")) << error;
  EXPECT_NE(error.find("; expected "), std::string::npos) << error;
  EXPECT_LT(error.size(), 500U) << error;
  EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= ' ' && c <= '~'; })) << error;
}

struct Bad {
  std::size_t line;
  std::string text;
  const char* error;  // what the message starts with
};

TEST(BadCaseFile, IsOneLineWithTheNameTheLineAndTheField) {
  const std::string sha(64, 'a');
  const std::string nul("id a\0b", 6);
  const Bad rows[] = {
      {1, "normcheck-case 2", "t:1: header: version '2'; expected version 1"},
      {1, "normcheck-case", "t:1: header: version ''"},
      {1, "# first a comment\nnormcheck-case 1", "t:1: header: "},
      {1, "PK\x03\x04", "t:1: text: a control character"},
      {1, "\x89PNG", "t:1: header: '\\x89PNG'"},
      {1, "normcheck-case 1 2", "t:1: header: '2'; expected the end of the line"},
      {2, nul, "t:2: text: a control character '\\x00' in column 5"},
      {2, "", "t:12: id: the file ends without it"},
      {2, "id", "t:2: id: the line ends"},
      {2, "id a b", "t:2: id: 'b'; expected the end"},
      {2, "id ../a", "t:2: id: '../a'"},
      {2, "id t\nid t", "t:3: id: a second one; expected only that of line 2"},
      {3, "op rmsnorm_fwd", "t:3: op: 'rmsnorm_fwd'; expected layernorm_fwd"},
      {4, "norm_ndim 0", "t:4: norm_ndim: 0; expected 1 to 2"},
      {4, "norm_ndim 3", "t:4: norm_ndim: 3; expected 1 to 2"},
      {4, "norm_ndim -1", "t:4: norm_ndim: '-1'"},
      {4, "norm_ndim 99999999999999999999", "t:4: norm_ndim: "},
      {4, "norm_ndim 1\nnormalized 4", "t:5: normalized: a stated shape"},
      {5, "eps nan", "t:5: eps: nan; expected a finite number"},
      {5, "eps inf", "t:5: eps: inf"},
      {5, "eps -0x1p-1074", "t:5: eps: -"},
      {5, "eps 1e-5", "t:5: eps: '1e-5'; expected a number that f64 holds exactly"},
      {5, "epsilon 0", "t:5: key: 'epsilon'; expected one of id, op"},
      {6, "x f31 2 4", "t:6: x: 'f31'; expected a dtype"},
      {6, "x f32 2 -4", "t:6: x: extent '-4'"},
      {6, "x f32 4294967296 4294967296", "t:6: x: shape [4294967296,4294967296]"},
      {6, "x f32 0 4294967296", "t:6: x: shape [0,4294967296]"},
      {6, "x f32 1048576 1048576 0 1048576", "t:6: x: shape"},
      {6, "x f32 1000000000", "t:6: x: shape [1000000000]; expected at most 67108864"},
      {6, "x f32 99999999999999999999", "t:6: x: extent '99999999999999999999'"},
      {6, "x f32 3 4", "t:9: x row 2: 'gamma'; expected 4 values, row 2 (from 0) of 3"},
      {6, "x f32 1 4", "t:8: x: '0x1.8p+1*4' after the last row"},
      {6, "x i32 2 4", "t:7: x row 0: '0x1p+0'; expected a whole number"},
      {6, "x none", "t:6: x: 'none'; expected a dtype"},
      {6, "x f32 2 4 gen", "t:6: x: the line ends; expected a generator"},
      {6, "x f32 2 4 gen gauss seed=1 sha256=" + sha, "t:6: x: generator 'gauss'; expected one of uniform"},
      {6, "x f32 2 4 gen normal seed=-1 sha256=" + sha, "t:6: x: 'seed=-1'"},
      {6, "x f32 2 4 gen normal seed=1 sha256=12", "t:6: x: 'sha256=12'"},
      {6, "x f32 2 4 gen normal seed=1 sha256=" + sha, "t:6: x: the generator's bytes have sha256 "},
      {6, "x f32 32768 32768 gen normal seed=1 sha256=" + sha, "t:6: x: shape [32768,32768]"},
      {6, "x f32" + std::string(130, '1').replace(0, 1, " "), "t:6: x: extent "},
      {7, "  1 2 3", "t:7: x row 0: 3 values; expected 4 values"},
      {7, "  1 2 3 4 5", "t:7: x row 0: '5' makes more values than fit; expected 4"},
      {7, "  1 2\n + 3", "t:8: x row 0: 3 values"},
      {7, "  + 1 2 3 4", "t:7: x row 0: '+'"},
      {7, "  0x1p+0*1000000000000", "t:7: x row 0: '0x1p+0*1000000000000' makes more"},
      {7, "  1*99999999999999999999999", "t:7: x row 0: '1*99999999999999999999999'; expected a whole"},
      {7, "  1*0 1*4", "t:7: x row 0: '1*0'"},
      {7, "  1*-4", "t:7: x row 0: '1*-4'"},
      {7, "  *4", "t:7: x row 0: '*4'; expected 4 values, row 0 (from 0) of 2"},
      {7, "  1 *3", "t:7: x row 0: '*3'; expected a number"},
      {7, "  0x 1 2 3", "t:7: x row 0: '0x'"},
      {7, "  0x1.0p 1 2 3", "t:7: x row 0: '0x1.0p'"},
      {7, "  1.2.3 1 2 3", "t:7: x row 0: '1.2.3'"},
      {7, "  1e 1 2 3", "t:7: x row 0: '1e'"},
      {7, "  -nan 1 2 3", "t:7: x row 0: '-nan'"},
      {7, "  nan:0x7f800000 1 2 3", "t:7: x row 0: 'nan:0x7f800000'; expected nan:0x and the 8 hex"},
      {7, "  nan:0x17fc00000 1 2 3", "t:7: x row 0: 'nan:0x17fc00000'"},
      {7, "  nan: 1 2 3", "t:7: x row 0: 'nan:'"},
      {7, "  0.1 1 2 3", "t:7: x row 0: '0.1'; expected a number that f32 holds exactly"},
      {7, "  " + std::string(5000, '7') + " 1 2 3",
       "t:7: x row 0: '7777777777777777777777777777777777777777...'"},
      {9, "gamma f32 2", "t:10: gamma row 0: '1*4' makes more"},
      {9, "gamma f32 1 4", "t:9: gamma: shape [1,4]; expected [4]"},
      {9, "gamma f64 4", "t:9: gamma: f64; expected f32"},
      {9, "gamma f16 4", "t:9: gamma: f16; expected f32"},
      {9, "gamma f32 4 gen normal seed=1 sha256=" + sha, "t:9: gamma: 'gen'"},
      {11, "beta", "t:11: beta: the line ends; expected a dtype"},
      {11, "beta none none", "t:11: beta: 'none'; expected the end"},
      {12, "expect", "t:12: expect: the line ends"},
      {12, "expect pass", "t:12: expect: 'pass'; expected bound, nan-rows or refused"},
      {12, "expect nan-rows", "t:12: expect: the line ends; expected rows"},
      {12, "expect nan-rows 1,0", "t:12: expect: row '0'; expected ascending"},
      {12, "expect nan-rows 0,", "t:12: expect: row ''"},
      {12, "expect nan-rows 2", "t:12: expect: row 2; expected rows below 2"},
      {13, "note", "t:13: note: nothing; expected text"},
      {13, "violates a b", "t:13: violates: 'b'"},
      {13, "0x1p+0", "t:13: key: '0x1p+0'"},
  };
  EXPECT_EQ(error_of(text_with(0, "")), "") << "the case that all of these spoil is itself read";
  for (const Bad& row : rows) {
    const std::string error = error_of(text_with(row.line, row.text));
    EXPECT_TRUE(error.starts_with(row.error)) << "got  " << error << "\nwant " << row.error;
    expect_one_line(error);
  }
  EXPECT_EQ(error_of(""), "t:1: header: nothing in line 1; expected 'normcheck-case 1' as the first line");
  EXPECT_TRUE(error_of("normcheck-case 1\nid t").starts_with("t:2: text: the file ends inside this line"));
  fmt::print("{} bad inputs, each with its line and field\n", std::size(rows) + 2);
}

TEST(BadCaseFile, WhatOnlyRefusedAllowsIsReadThere) {
  const std::pair<std::size_t, const char*> rows[] = {
      {4, "norm_ndim 0"},   {4, "norm_ndim 3"}, {4, "norm_ndim 1\nnormalized 5"},
      {5, "eps nan"},       {5, "eps -inf"},    {5, "eps -1"},
      {9, "gamma f32 1 4"}, {9, "gamma i64 4"}};
  for (const auto& [line, replacement] : rows) {
    std::string text = text_with(line, replacement);
    EXPECT_NE(error_of(text), "");
    text.replace(text.find("expect bound"), 12, "expect refused");
    EXPECT_EQ(error_of(text), "");
  }
  EXPECT_EQ(error_of(text_with(5, "eps -0x0p+0")), "");
  std::string rows_of_nan = text_with(12, "expect nan-rows 0,1");
  EXPECT_NE(error_of(rows_of_nan), "") << "both rows are finite";
  rows_of_nan.replace(rows_of_nan.find("0x1p+1"), 6, "nan")
      .replace(rows_of_nan.find("0x1.8p+1*4"), 10, "inf*4");
  EXPECT_EQ(error_of(rows_of_nan), "");
  fmt::print("{} contents refused under bound and read under refused\n", std::size(rows));
}

TEST(BadCaseFile, EveryPrefixIsRefusedUnlessItEndsInTheFreeLines) {
  const std::string text = text_with(0, "") + "origin https://example.org/1\nviolates naive/f32\n";
  int read = 0;
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string error = error_of(text.substr(0, length));
    if (error.empty()) {
      EXPECT_EQ(text[length - 1], '\n');
      EXPECT_GE(length, text.find("note"));
      ++read;
    } else {
      expect_one_line(error);
    }
  }
  EXPECT_EQ(read, 3);
  fmt::print("{} prefixes, {} of them whole cases\n", text.size(), read);
}

// What is read after a mutation has a text, and that text is the same case.
bool read_or_refused(const std::string& text) {
  const CaseLimits limits{.written = 1 << 12, .generated = 1 << 12};
  Case c;
  try {
    c = parse_case(text, "t", limits);
  } catch (const InputError& error) {
    expect_one_line(error.what());
    return false;
  }
  EXPECT_TRUE(same_case(parse_case(format_case(c), "t"), c)) << text;
  return true;
}

TEST(BadCaseFile, AHundredThousandMutationsAreReadOrRefused) {
  const std::string base = text_with(0, "");
  const std::string tokens[] = {"+",      "\n",   " ",   "#",   "*2",   "0x",  "inf", "nan:0x7fc00001",
                                "-",      "1e9",  "f16", "i64", "none", "gen", "4 4", "0",
                                "expect", "note", ".",   "p-1"};
  CounterRng rng(promise_seed(), 20);
  int read = 0;
  constexpr int kRuns = 100000;
  for (int run = 0; run < kRuns; ++run) {
    std::string text = base;
    for (std::uint64_t edits = 1 + rng.below(2); edits > 0; --edits) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(4)) {
        case 0:
          text[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          text.erase(at, 1 + rng.below(8));
          break;
        case 2:
          text.insert(at, tokens[rng.below(std::size(tokens))]);
          break;
        default:
          text.insert(at, text.substr(rng.below(text.size()), rng.below(40)));
      }
      if (text.empty()) text = base;
    }
    if (read_or_refused(text)) ++read;
    if (HasFailure()) break;
  }
  EXPECT_GT(read, kRuns / 100) << "mutations that never leave a case prove little";
  EXPECT_LT(read, kRuns / 2);
  fmt::print("{} mutations, {} read\n", kRuns, read);
}

TEST(BadCaseFile, ShortTextsAllocateLittle) {
  const Bad rows[] = {{6, "x f64 67108864", "t:7: x row 0"},
                      {6, "x f64 8192 8192", "t:7: x row 0"},
                      {6, "x f64 16777216 4", "t:9: x row 2"},
                      {6, "x f64 1099511627776", "t:6"},
                      {7, "0*67108864", "t:7"},
                      {6, "x f64 16384 16385 gen normal seed=1 sha256=" + std::string(64, '0'), "t:6"}};
  std::size_t most = 0;
  for (const Bad& row : rows) {
    const std::string text = text_with(row.line, row.text);
    largest_allocation = 0;
    const std::string error = error_of(text);
    most = std::max(most, largest_allocation);
    EXPECT_LT(largest_allocation, 4096U) << error;
    EXPECT_TRUE(error.starts_with(row.error)) << error;
  }
  largest_allocation = 0;
  EXPECT_EQ(error_of("normcheck-case 1\nid t\nop layernorm_fwd\nnorm_ndim 1\neps 0\nx f64 1048576\n"
                     "0*1048576\ngamma none\nbeta none\nexpect bound\n"),
            "");
  EXPECT_GE(largest_allocation, std::size_t{8} << 20) << "the counter that this test trusts does not count";
  fmt::print("{} hostile headers, at most {} bytes at once\n", std::size(rows), most);
}

TEST(BadCaseFile, ALineOfAHundredMegabytesIsRefused) {
  constexpr std::size_t kLong = std::size_t{100} << 20;
  for (const char* unit : {"7", "1 "}) {
    std::string line = unit;
    while (line.size() < kLong) line += line;
    expect_one_line(error_of(text_with(7, line)));
  }
  std::string digits = "0x1";
  digits.append(kLong, '0');
  EXPECT_EQ(error_of(text_with(7, digits + "p-419430400*4")), "") << "exact, if long";
  expect_one_line(error_of(text_with(7, digits + "1p-419430404*4")));
  fmt::print("4 lines of 100 MB\n");
}

TEST(BadCaseFile, ADeviceIsNoFile) {
  try {
    read_file("/dev/zero");
    ADD_FAILURE() << "/dev/zero was read to its end";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "/dev/zero: is a device or a pipe; expected a file");
    fmt::print("{}\n", e.what());
  }
}

}  // namespace
}  // namespace normcheck
