// Promise: a dump that another program wrote is read bit for bit; one that is damaged is refused in one line.
#include "corpus/dump.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/generate.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/safetensors.h"
#include "props/dump_files.h"
#include "props/promise.h"

namespace normcheck {
namespace {

/// The x of every file of props/dumps.
const std::vector<std::uint64_t> kX = {0x3fc00000, 0x80000000, 0x7fc00000, 0x7f800000, 1, 0x40400000};

std::vector<std::uint64_t> bits_of(const Tensor& t) {
  std::vector<std::uint64_t> out;
  for (std::int64_t i = 0; i < t.size(); ++i) out.push_back(t.bits(i));
  return out;
}

void expect_half(const Tensor& t, DType dtype) {
  EXPECT_EQ(t.dtype, dtype);
  EXPECT_EQ(t.shape, (std::vector<std::int64_t>{2, 3}));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(std::abs(t.value(i)), static_cast<double>(i + 1));
  EXPECT_EQ(t.value(1), -2);
}

TEST(Dump, ArchivesOfNumpyAreRead) {
  for (const char* file : {"stored.npz", "deflated.npz", "streamed.npz"}) {
    const auto dump = open_dump(dump_file(file));
    EXPECT_EQ(dump->names(), (std::vector<std::string>{"x", "norm.weight", "half", "brain", "flag"}));
    EXPECT_EQ(bits_of(dump->read("x")), kX) << file;
    EXPECT_EQ(dump->read("norm.weight").dtype, DType::f64);
    EXPECT_EQ(dump->read("norm.weight").value(2), 3);
    expect_half(dump->read("half"), DType::f16);
    expect_half(dump->read("brain", DType::bf16), DType::bf16);
    const std::string label = dump_file(file);
    EXPECT_EQ(error_of([&] { dump->read("brain"); }),
              label +
                  ":brain: descr: '<V2'; expected a float; two bytes without a type are read as bf16 only "
                  "with dtype bf16");
    EXPECT_TRUE(error_of([&] { dump->read("flag"); }).starts_with(label + ":flag: descr: '|b1'"));
    EXPECT_EQ(error_of([&] { dump->read("norm.weigth"); }),
              label +
                  ": no tensor 'norm.weigth'; it has x, norm.weight, half, brain and flag; 'norm.weight' "
                  "may be meant");
  }
  fmt::print("three archives of five tensors\n");
}

TEST(Dump, ArraysInAnyOrderAndByteOrderAreReadAndPicklesNever) {
  const Tensor fortran = open_dump(dump_file("fortran.npy"))->read("fortran");
  EXPECT_EQ(fortran.shape, (std::vector<std::int64_t>{2, 3, 4}));
  for (int i = 0; i < 24; ++i) EXPECT_EQ(fortran.value(i), i);
  EXPECT_EQ(bits_of(open_dump(dump_file("big_endian.npy"))->read("big_endian")), kX);
  EXPECT_EQ(error_of([] { open_dump(dump_file("object.npy"))->read("object"); }),
            dump_file("object.npy") + ": descr: '|O' (an object array); expected plain numbers");
  const auto pickle = [] { open_dump(bytes_of(std::string("\x80\x04\x95\0\0", 5), "a.pt")); };
  EXPECT_NE(error_of(pickle).find("a pickle, which can run code and is never read; expected "),
            std::string::npos);
  ZipWriter checkpoint;
  checkpoint.add("archive/data.pkl", "\x80\x02}q", false);
  const std::string bytes = checkpoint.finish();
  EXPECT_EQ(error_of([&] { open_dump(bytes_of(bytes, "a.pt")); }),
            "a.pt: archive: a checkpoint of torch.save, which is a pickle and never read; expected one of "
            "numpy.savez");
  fmt::print("Fortran order, big-endian, and three pickles refused\n");
}

TEST(Dump, FilesOfSafetensorsAreRead) {
  const auto dump = open_dump(dump_file("mixed.safetensors"));
  EXPECT_EQ(dump->names().size(), 7U);
  EXPECT_EQ(bits_of(dump->read("x")), kX);
  EXPECT_EQ(dump->read("norm.weight", DType::f64).value(1), 2);
  expect_half(dump->read("half"), DType::f16);
  expect_half(dump->read("brain"), DType::bf16);
  EXPECT_EQ(dump->read("count").value(0), 7);
  EXPECT_EQ(dump->read("small").value(0), -8);
  const std::string label = dump_file("mixed.safetensors");
  EXPECT_EQ(error_of([&] { dump->read("flag"); }),
            label + ":flag: dtype: 'BOOL'; expected F16, BF16, F32, F64, I32, I64, or U16 with dtype bf16");
  EXPECT_EQ(error_of([&] { dump->read("x", DType::f16); }), label + ":x: dtype: 'F32' is f32; expected f16");
  fmt::print("seven tensors of seven dtypes, one of them refused\n");
}

TEST(Dump, TensorsOfOnnxAreRead) {
  const auto read = [](const char* file) { return open_dump(dump_file(file))->read("x"); };
  EXPECT_EQ(bits_of(read("raw.pb")), kX);
  EXPECT_EQ(bits_of(read("typed.pb")), kX);
  expect_half(read("half.pb"), DType::f16);
  expect_half(read("brain.pb"), DType::bf16);
  EXPECT_EQ(read("double.pb").value(4), 0x1p-149);
  EXPECT_EQ(read("long.pb").value(5), -6);
  fmt::print("six tensors, raw and in the field of their type\n");
}

using Format = std::function<std::string(const NamedTensors&)>;

TEST(Dump, WhatIsWrittenIsReadBackBitForBit) {
  const std::vector<std::pair<std::string, Format>> formats = {
      {"a.npz", [](const NamedTensors& t) { return format_npz(t); }},
      {"b.npz", [](const NamedTensors& t) { return format_npz(t, true); }},
      {"a.safetensors", [](const NamedTensors& t) { return format_safetensors(t); }}};
  CounterRng rng(promise_seed(), 3);
  int tensors = 0;
  for (int round = 0; round < 50; ++round) {
    NamedTensors all;
    for (std::uint64_t i = rng.below(6) + 1; i > 0; --i) {
      const DType dtypes[] = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64};
      std::vector<std::int64_t> shape(rng.below(4));
      for (std::int64_t& extent : shape) extent = static_cast<std::int64_t>(rng.below(i == 1 ? 70 : 5));
      Tensor t(dtypes[rng.below(6)], shape);
      for (std::int64_t e = 0; e < t.size(); ++e) t.set_bits(e, rng.at(rng.below(1 << 30)));
      all.emplace_back(fmt::format("model.layers.{}.{}", i, rng.coin() ? "weight" : "\xc3\xa9 '\""), t);
    }
    for (const auto& [name, format] : formats) {
      const auto dump = open_dump(bytes_of(format(all), name));
      ASSERT_EQ(dump->names().size(), all.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(dump->names()[i], all[i].first);
        EXPECT_EQ(dump->read(all[i].first, all[i].second.dtype), all[i].second);
        ++tensors;
      }
    }
    const auto [name, tensor] = parse_onnx_tensor(format_onnx_tensor(all[0].first, all[0].second), "t");
    EXPECT_EQ(name, all[0].first);
    EXPECT_EQ(tensor, all[0].second);
  }
  fmt::print("{} tensors in archives and .safetensors, 50 of ONNX\n", tensors);
}

/// Reads all there is.
void read_all(const std::string& bytes, const std::string& name) {
  const auto dump = open_dump(bytes_of(bytes, name));
  for (const std::string& tensor : dump->names()) dump->read(tensor);
}

TEST(Dump, PrefixesAndMutationsAreReadOrRefused) {
  const Tensor t = generate_tensor("normal", 1, DType::f32, {2, 3});
  const NamedTensors two = {{"x", t}, {"y", t}};
  const std::pair<std::string, std::string> files[] = {
      {"a.npz", format_npz(two)},
      {"b.npz", format_npz(two, true)},
      {"a.safetensors", format_safetensors(two)},
      {"a.pb", format_onnx_tensor("x", t)},
      {"streamed.npz", read_file(dump_file("streamed.npz"))}};
  CounterRng rng(promise_seed(), 78);
  int read = 0, refused = 0;
  std::size_t prefixes = 0;
  for (const auto& file : files) {
    const std::string& good = file.second;
    const auto error_of_bytes = [&file](const std::string& bytes) {
      return error_of([&] { read_all(bytes, file.first); });
    };
    for (std::size_t length = 0; length < good.size(); ++length)
      EXPECT_NE(error_of_bytes(good.substr(0, length)), "") << file.first << " " << length;
    prefixes += good.size();
    for (int run = 0; run < 10000; ++run) {
      std::string bytes = good;
      for (std::uint64_t edits = 1 + rng.below(3); edits > 0; --edits)
        bytes[rng.below(bytes.size())] =
            rng.coin() ? static_cast<char>(rng.below(256)) : "0129\"[],{}"[rng.below(10)];
      const std::string error = error_of_bytes(bytes);
      ++(error.empty() ? read : refused);
      EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= ' ' && c <= '~'; })) << error;
    }
  }
  EXPECT_GT(read, 50);
  fmt::print("{} prefixes, {} mutations read, {} refused\n", prefixes, read, refused);
}

}  // namespace
}  // namespace normcheck
