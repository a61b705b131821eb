// Promise: an array in `.npy` is read bit for bit or refused in one line, and what is written NumPy reads.
#include "corpus/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "props/promise.h"

namespace normcheck {
namespace {

// A file with this header text, and `data` after it.
std::string npy(std::string_view header, std::string_view data, char major = 1) {
  std::string out = "\x93NUMPY";
  out += {major, '\0', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  if (major > 1) out += {'\0', '\0'};
  return out + std::string(header) + std::string(data);
}

std::string header_of(std::string_view descr, std::string_view shape, std::string_view order = "False") {
  return fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr, order, shape);
}

std::string error_of(std::string_view bytes, std::optional<DType> as = std::nullopt) {
  try {
    parse_npy(bytes, "a.npy", as);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(Npy, WhatIsWrittenIsReadBackBitForBit) {
  int files = 0;
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64}) {
    for (const std::vector<std::int64_t>& shape : std::vector<std::vector<std::int64_t>>{
             {}, {0}, {1}, {65536}, {3, 0, 2}, {2, 3, 4}, {1, 1, 1, 1, 1, 1, 1, 5}}) {
      Tensor t(dtype, shape);
      for (std::int64_t i = 0; i < t.size(); ++i) {
        t.set_bits(i, is_half(dtype) ? static_cast<std::uint64_t>(i)
                                     : CounterRng(promise_seed()).at(static_cast<std::uint64_t>(i)));
      }
      const std::string bytes = format_npy(t);
      EXPECT_EQ((bytes.size() - t.data.size()) % 64, 0U) << "NumPy's data starts at a multiple of 64";
      EXPECT_EQ(parse_npy(bytes, "t", dtype), t);
      if (dtype != DType::bf16) {
        EXPECT_EQ(parse_npy(bytes, "t"), t);
      }
      ++files;
    }
  }
  fmt::print("{} arrays, all 65536 patterns of both halves\n", files);
}

// np.save of NumPy 2.4: np.array([[1.5, -0.0, np.nan], [np.inf, 2.0**-149, 3.0]], np.float32).
constexpr unsigned char kNumpyFloat32[] = {
    0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 0x01, 0x00, 0x76, 0x00, 0x7b, 0x27, 0x64, 0x65, 0x73, 0x63, 0x72,
    0x27, 0x3a, 0x20, 0x27, 0x3c, 0x66, 0x34, 0x27, 0x2c, 0x20, 0x27, 0x66, 0x6f, 0x72, 0x74, 0x72, 0x61,
    0x6e, 0x5f, 0x6f, 0x72, 0x64, 0x65, 0x72, 0x27, 0x3a, 0x20, 0x46, 0x61, 0x6c, 0x73, 0x65, 0x2c, 0x20,
    0x27, 0x73, 0x68, 0x61, 0x70, 0x65, 0x27, 0x3a, 0x20, 0x28, 0x32, 0x2c, 0x20, 0x33, 0x29, 0x2c, 0x20,
    0x7d, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
    0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
    0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20,
    0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x0a, 0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x00, 0x80,
    0x00, 0x00, 0xc0, 0x7f, 0x00, 0x00, 0x80, 0x7f, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x40, 0x40};

TEST(Npy, FilesThatNumpyWroteAreReadAndWrittenTheSame) {
  const std::string_view bytes(reinterpret_cast<const char*>(kNumpyFloat32), sizeof kNumpyFloat32);
  const Tensor t = parse_npy(bytes, "numpy");
  EXPECT_EQ(t.dtype, DType::f32);
  EXPECT_EQ(t.shape, (std::vector<std::int64_t>{2, 3}));
  const std::uint64_t want[] = {0x3fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 1, 0x40400000};
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(t.bits(i), want[i]);
  EXPECT_EQ(format_npy(t), bytes);
  fmt::print("{} bytes\n", bytes.size());
}

TEST(Npy, AnyWellFormedHeaderIsRead) {
  const std::string two("\0\0\x80\x3f\0\0\0\x40", 8);
  const Tensor want = parse_npy(npy(header_of("<f4", "(2,)"), two), "t");
  EXPECT_EQ(want.value(0), 1);
  EXPECT_EQ(want.value(1), 2);
  const std::string spellings[] = {
      npy(header_of("<f4", "(2,)"), two, 2), npy(header_of("<f4", "(2,)"), two, 3),
      npy("{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}", two),
      npy("  { 'fortran_order' : True , 'shape' : ( 2 , ) , 'descr' : '<f4' }   \n", two)};
  for (const std::string& bytes : spellings) EXPECT_EQ(parse_npy(bytes, "t"), want);
  // In Fortran order with one extent that is not 1, the elements lie as they do in C order.
  EXPECT_EQ(parse_npy(npy(header_of("<f4", "(1, 2, 1)", "True"), two), "t").shape,
            (std::vector<std::int64_t>{1, 2, 1}));
  for (const char* descr : {"|V2", "<V2", "<u2"}) {
    const Tensor t = parse_npy(npy(header_of(descr, "(4,)"), two), "t", DType::bf16);
    EXPECT_EQ(t.dtype, DType::bf16);
    EXPECT_EQ(t.value(1), 1);
  }
  // Big-endian numbers are swapped, Fortran order is transposed, both at once too.
  const std::string swapped("\x3f\x80\0\0\x40\0\0\0", 8);
  EXPECT_EQ(parse_npy(npy(header_of(">f4", "(2,)"), swapped), "t"), want);
  std::string columns;
  for (const char digit : std::string_view("\x11\x14\x12\x15\x13\x16")) columns += {'\x40', digit};
  const Tensor rows = parse_npy(npy(header_of(">u2", "(2, 1, 3)", "True"), columns), "t", DType::bf16);
  EXPECT_EQ(rows.shape, (std::vector<std::int64_t>{2, 1, 3}));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(rows.bits(i), 0x4011u + static_cast<std::uint64_t>(i));
  EXPECT_EQ(parse_npy(npy(header_of("<f4", "(2, 0, 3)", "True"), ""), "t").size(), 0);
  fmt::print("{} spellings of one array, three of bf16, bytes and dims the other way round\n",
             std::size(spellings));
}

TEST(Npy, BadFilesAreOneLineWithTheField) {
  const std::string four(4, '\0');
  const std::string good = npy(header_of("<f4", "(1,)"), four);
  std::string version = good;
  version[6] = 4;
  struct Bad {
    std::string bytes;
    const char* error;
    std::optional<DType> as = std::nullopt;
  };
  const Bad rows[] = {
      {"", "magic: ''"},
      {"PK\x03\x04zip", "magic: 'PK\\x03\\x04zi'"},
      {good.substr(0, 7), "version: the file ends"},
      {version, "version: 4.0; expected 1.0, 2.0 or 3.0"},
      {good.substr(0, 9), "header length: the file ends"},
      {good.substr(0, 40), "header length: "},
      {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13),
       "header length: 4294967295 bytes; expected at most the 1"},
      {npy(header_of(">c8", "(1,)"), four), "descr: '<c8'; expected '<f2', "},
      {npy(header_of("|O", "(1,)"), four), "descr: '|O' (an object array)"},
      {npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four),
       "descr: a structured array"},
      {npy(header_of("<c8", "(1,)"), four), "descr: '<c8'; expected '<f2', "},
      {npy(header_of("|b1", "(4,)"), four), "descr: '|b1'"},
      {npy(header_of("<U1", "(1,)"), four), "descr: '<U1'"},
      {npy(header_of("|V2", "(2,)"), four), "descr: '|V2'; expected a float"},
      {npy(header_of("<u2", "(2,)"), four), "descr: '<u2'; expected '<f2' for f16", DType::f16},
      {npy(header_of("<f2", "(2,)"), four), "descr: '<f2' is f16; expected bf16", DType::bf16},
      {npy(header_of("<f4", "(1,)"), four), "descr: '<f4' is f32; expected f64", DType::f64},
      {npy(header_of("<f4", "(1,)", "0"), four), "fortran_order: '0"},
      {npy(header_of("<f4", "(1)"), four), "shape: a number in brackets"},
      {npy(header_of("<f4", "1"), four), "shape: '1"},
      {npy(header_of("<f4", "(-1,)"), four), "shape: '-1"},
      {npy(header_of("<f4", "(1 1)"), four), "shape: '1)"},
      {npy(header_of("<f4", "(1,,)"), four), "shape: ',),"},
      {npy(header_of("<f4", "(99999999999999999999,)"), four), "shape: '999"},
      {npy(header_of("<f4", "(4294967296, 4294967296)"), four),
       "shape: [4294967296,4294967296]; expected at most 2^40"},
      {npy(header_of("<f4", "(1000000000,)"), four),
       "data: 4 bytes; expected 4000000000 for shape [1000000000] of f32"},
      {npy(header_of("<f4", "(0, 1000000000000000)"), ""), "shape: "},
      {good.substr(0, good.size() - 1), "data: 3 bytes; expected 4"},
      {good + "x", "data: 5 bytes; expected 4"},
      {npy("", ""), "header: the header ends; expected '{'"},
      {npy("{'descr", four), "header: ''descr'"},
      {npy("{'descr': '<f4'", four), "header: the header ends; expected '}'"},
      {npy("{'descr': '<f4'}", four), "header: a key is missing"},
      {npy("{'descr': '<f4', 'descr': '<f4'}", four), "header: key 'descr'"},
      {npy("{'other': 1}", four), "header: key 'other'"},
      {npy("{'descr': '<f\\x34', 'fortran_order': False, 'shape': (1,)}", four), "descr: "},
      {npy(header_of("<f4", "(1,)") + "x", four), "header: 'x'; expected nothing after '}'"},
      {npy("{'shape': (" + std::string(5000, '(') + "1", four), "shape: '(((("},
  };
  EXPECT_EQ(error_of(good), "");
  for (const Bad& row : rows) {
    const std::string error = error_of(row.bytes, row.as);
    EXPECT_TRUE(error.starts_with(std::string("a.npy: ") + row.error))
        << "got  " << error << "\nwant " << row.error;
    EXPECT_NE(error.find("; expected "), std::string::npos) << error;
    EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= ' ' && c <= '~'; })) << error;
  }
  fmt::print("{} bad files\n", std::size(rows));
}

TEST(Npy, PrefixesAndMutationsAreReadOrRefused) {
  const std::string good = format_npy(generate_tensor("normal", 1, DType::f32, {2, 3}));
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(error_of(good.substr(0, length)), "");
  CounterRng rng(promise_seed(), 77);
  int read = 0;
  constexpr int kRuns = 100000;
  for (int run = 0; run < kRuns; ++run) {
    std::string bytes = good;
    for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits) {
      bytes[rng.below(bytes.size())] =
          rng.coin() ? static_cast<char>(rng.below(256)) : "0123456789(),'<>fV{} "[rng.below(21)];
    }
    if (error_of(bytes, rng.coin() ? std::optional(DType::bf16) : std::nullopt).empty()) ++read;
  }
  EXPECT_GT(read, kRuns / 100);
  fmt::print("{} prefixes, {} mutations ({} read)\n", good.size(), kRuns, read);
}

TEST(Npy, FilesAreWrittenWhole) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(testing::TempDir()) / fmt::format("normcheck_{}.npy", ::getpid());
  const Tensor t = generate_tensor("ramp", 1, DType::bf16, {4, 5});
  write_npy(path, t);
  EXPECT_EQ(read_npy(path, DType::bf16), t);
  EXPECT_THROW(read_npy(path), InputError);
  fs::remove(path);
  EXPECT_THROW(read_npy(path), InputError);
  EXPECT_THROW(write_npy(path / "absent" / "a.npy", t), InputError);
  fmt::print("one file and a missing folder\n");
}

}  // namespace
}  // namespace normcheck
