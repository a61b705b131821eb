// Promise: every way in which a dump can be wrong has its own line, with the file, the tensor and the field.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "corpus/generate.h"
#include "corpus/npy.h"
#include "corpus/npz.h"
#include "corpus/onnx_tensor.h"
#include "corpus/protobuf.h"
#include "corpus/safetensors.h"
#include "props/dump_files.h"

namespace normcheck {
namespace {

struct Damaged {
  std::string bytes;
  std::string error;  ///< what it starts with, after the file's name
};

void expect_errors(const std::string& file, const std::vector<Damaged>& rows) {
  for (const Damaged& row : rows) {
    const std::string error = error_of([&] {
      const auto dump = open_dump(bytes_of(row.bytes, file));
      for (const std::string& name : dump->names()) dump->read(name);
    });
    EXPECT_TRUE(error.starts_with(file + row.error)) << "got  " << error << "\nwant " << file << row.error;
    EXPECT_NE(error.find("; expected "), std::string::npos) << error;
    EXPECT_TRUE(std::ranges::all_of(error, [](char c) { return c >= ' ' && c <= '~'; })) << error;
  }
}

/// `bytes` with `count` of them at `offset` (from the end where negative) set to `value`.
std::string with(std::string bytes, std::ptrdiff_t offset, std::uint64_t value, std::size_t count) {
  if (offset < 0) offset += static_cast<std::ptrdiff_t>(bytes.size());
  std::memcpy(bytes.data() + offset, &value, count);
  return bytes;
}

TEST(DumpDamage, OfArchives) {
  const Tensor t = generate_tensor("normal", 1, DType::f32, {2, 3});
  const std::string npy = format_npy(t);
  const auto size = static_cast<std::ptrdiff_t>(npy.size());
  const std::string good = format_npz({{"x", t}});
  const std::string packed = format_npz({{"x", Tensor(DType::f32, {64})}}, true);
  // Of one entry "x.npy": a header of 30+5 bytes, the data, a directory of 46+5 and an end of 22.
  const std::ptrdiff_t data = 35, directory = data + size, end = directory + 51;
  ASSERT_EQ(static_cast<std::ptrdiff_t>(good.size()), end + 22);
  const auto both = [&](std::ptrdiff_t local, std::ptrdiff_t central, std::uint64_t value,
                        std::size_t count) {
    return with(with(good, local, value, count), directory + central, value, count);
  };
  ZipWriter twice, over, text;
  for (int i = 0; i < 2; ++i) twice.add("x.npy", npy, false);
  over.add("x.npy", npy, false);
  over.add("y.npy", npy, false);
  const std::string overlapping = over.finish();
  const auto second = static_cast<std::ptrdiff_t>(overlapping.size()) - 22 - 51 + 42;
  text.add("x.npy", npy, false);
  text.add("x", npy, false);
  ZipWriter none, notes;
  notes.add("notes.txt", "", false);

  expect_errors("a.npz",
                {{"PK\x05\x06", ": archive: 4 bytes; expected a .zip"},
                 {good.substr(0, good.size() - 1), ": archive: no end record"},
                 {good + "x", ": archive: no end record"},
                 {with(good, end + 4, 1, 2), ": archive: over one disk"},
                 {with(good, end + 10, 0xffff, 2), ": archive: over one disk"},
                 {with(with(good, end + 10, 0xffff, 2), end + 8, 0xffff, 2), ": zip64: "},
                 {with(good, end + 12, 52, 4), ": directory: 52 bytes at byte"},
                 {with(good, end + 16, 0, 4), ": directory: 51 bytes at byte 0"},
                 {with(with(good, end + 10, 2, 2), end + 8, 2, 2), ": directory: 1 entries; expected 2"},
                 {with(good, directory, 0, 4), ": directory: '\\x00\\x00\\x00\\x00'; expected an entry"},
                 {with(good, directory + 28, 6, 2), ": directory: its last entry passes its end"},
                 {with(good, directory + 34, 1, 2), ": 'x.npy': on another disk"},
                 {with(good, directory + 42, 0xffffffff, 4), ": zip64: no field with the sizes"},
                 {with(good, directory + 42, 1u << 20, 4), ": 'x.npy': starts at byte 1048576"},
                 {twice.finish(), ": directory: 'x.npy' twice"},
                 {text.finish(), ":x: twice; expected each name once"},
                 {with(overlapping, second, 0, 4),
                  ": 'x.npy': starts at byte 0; expected each entry in a place of its own"},
                 {with(overlapping, second, 50, 4), ":x: size: "},
                 {none.finish(), ": archive: no entries"},
                 {notes.finish(), ": archive: no entry that is a .npy"},
                 {both(6, 8, 1, 2), ":x: flags: encrypted"},
                 {both(8, 10, 12, 2), ":x: method: 12 (bzip2); expected 0 (stored) or 8 (deflate)"},
                 {both(8, 10, 14, 2), ":x: method: 14 (lzma)"},
                 {both(8, 10, 99, 2), ":x: method: 99 (AES encryption)"},
                 {both(8, 10, 77, 2), ":x: method: 77; "},
                 {with(good, 8, 8, 2), ":x: header: method 8; expected what the directory says"},
                 {with(good, 0, 0, 4), ":x: header: '\\x00"},
                 {with(good, 30, 'y', 1), ":x: header: names 'y.npy'"},
                 {with(good, 26, 60000, 2), ":x: size: "},
                 {with(good, 14, 1, 4), ":x: header: size "},
                 {with(good, 22, 1, 4), ":x: header: size 1 of "},
                 {both(22, 24, 1, 4), ":x: size: 1 bytes stored in "},
                 {with(good, data + size - 1, 1, 1), ":x: checksum: "},
                 {both(8, 10, 8, 2), ":x: data: 6 bytes; expected "},
                 {with(packed, data, 6, 1), ":x: data: not what deflate writes"},
                 {with(good, directory + 24, 0xfffffffe, 4), ":x: size: 4294967294 bytes stored in"}});

  // A bomb: few bytes that claim to be many, and a directory that says as much or less.
  const std::string zeros(std::size_t{1} << 20, '\0');
  ZipWriter bomb;
  bomb.add("x.npy", zeros, true);
  const std::string bytes = bomb.finish();
  const auto dir = static_cast<std::ptrdiff_t>(bytes.size()) - 22 - 51;
  expect_errors("bomb.npz", {{bytes, ":x: magic: "},
                             {with(with(bytes, dir + 24, 0xf0000000, 4), 22, 0xf0000000, 4),
                              ":x: size: 4026531840 bytes from "},
                             {with(with(bytes, dir + 24, 1000, 4), 22, 1000, 4),
                              ":x: data: more bytes than the directory says; expected 1000"},
                             {with(with(bytes, dir + 24, zeros.size() + 1, 4), 22, zeros.size() + 1, 4),
                              ":x: data: 1048576 bytes; expected 1048577"}});
  const std::string limit =
      error_of([&] { open_npz(bytes_of(bytes, "bomb.npz"), {.size = 1000})->read("x"); });
  EXPECT_EQ(limit, "bomb.npz:x: size: 1048576 bytes; expected at most 1000");
  fmt::print("36 damaged archives and 5 bombs\n");
}

TEST(DumpDamage, OfSafetensors) {
  const auto file = [](std::string_view header,
                       std::string_view data = std::string_view("\0\0\0\0\0\0\0\0", 8)) {
    std::string out;
    append_little_endian(out, header.size(), 8);
    return out + std::string(header) + std::string(data);
  };
  const auto tensor = [](std::string_view dtype, std::string_view shape, std::string_view offsets) {
    return fmt::format(R"("x":{{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets);
  };
  const std::string good = "{" + tensor("F32", "[2]", "[0,8]") + "}";
  const auto two = [&](std::string_view first, std::string_view second) {
    return fmt::format(R"({{"a":{{"dtype":"F32","shape":[1],"data_offsets":{}}},)"
                       R"("b":{{"dtype":"F32","shape":[1],"data_offsets":{}}}}})",
                       first, second);
  };
  EXPECT_EQ(error_of([&] { open_safetensors(bytes_of(file(good), "a"))->read("x"); }), "");
  EXPECT_EQ(error_of([&] { open_safetensors(bytes_of(file(good + "   "), "a"))->read("x"); }), "");
  EXPECT_EQ(error_of([&] { open_safetensors(bytes_of(file(two("[4,8]", "[0,4]")), "a"))->read("b"); }), "");
  std::string deep = R"({"x":{"shape":)";
  deep.append(100000, '[');
  const std::vector<Damaged> rows = {
      {"", ": header length: the file ends"},
      {std::string("\xff\xff\xff\xff\xff\xff\xff\xff{", 9),
       ": header length: 18446744073709551615 bytes; expected at most 1"},
      {file(" " + good), ": header: ' {\"x\":{\"'; expected '{'"},
      {file("{"), ": header: byte 2: "},
      {file(good + "x"), ": header: byte "},
      {file("{\"x\xff\":1}"), ": header: byte "},
      {file(deep), ": header: 'x': shape: an array; expected whole numbers"},
      {file(R"({"x":1})"), ": header: 1; expected an object of tensors"},
      {file(R"({"x":[]})"), ": header: an array; expected an object of tensors"},
      {file(R"({"x":null})"), ": header: null; "},
      {file(R"({"x":{}})"), ": header: 'x': a key is missing"},
      {file(R"({"x":{"dtype":"F32","shape":[2]}})"), ": header: 'x': a key is missing"},
      {file(R"({"x":{"dtype":1}})"), ": header: 'x': dtype: 1; expected a string"},
      {file(R"({"x":{"dtype":["F32"]}})"), ": header: 'x': dtype: an array; expected a string"},
      {file(R"({"x":{"shape":2}})"), ": header: 'x': shape: 2; expected an array"},
      {file(R"({"x":{"shape":{}}})"), ": header: 'x': shape: an object; expected an array"},
      {file(R"({"x":{"shape":[1.5]}})"), ": header: 'x': shape: '1.5'; expected whole numbers"},
      {file(R"({"x":{"shape":[-1]}})"), ": header: 'x': shape: -1; "},
      {file(R"({"x":{"shape":[99999999999999999999]}})"), ": header: 'x': shape: '999"},
      {file(R"({"x":{"shape":["2"]}})"), ": header: 'x': shape: '2'; "},
      {file(R"({"x":{"strides":[2]}})"),
       ": header: 'x': key 'strides'; expected dtype, shape and data_offsets"},
      {file(R"({"x":{"dtype":"F32","dtype":"F32"}})"), ": header: 'x': 'dtype' twice"},
      {file("{" + tensor("F32", "[2]", "[0,8]") + "," + tensor("F32", "[2]", "[0,8]") + "}"),
       ": header: 'x' twice"},
      {file(R"({"__metadata__":{"a":1}})"), ": header: __metadata__: 1; expected strings"},
      {file("{" + tensor("F32", "[2]", "[0]") + "}"), ": header: 'x': 1 data_offsets; expected two"},
      {file("{" + tensor("F32", "[2]", "[8,0]") + "}"), ":x: data_offsets: [8,0]; expected begin before end"},
      {file("{" + tensor("F32", "[3]", "[0,8]") + "}"),
       ":x: data_offsets: 8 bytes; expected 12 for shape [3] of F32"},
      {file("{" + tensor("F64", "[1099511627777]", "[0,8]") + "}"),
       ":x: shape: [1099511627777]; expected at most 2^40"},
      {file("{" + tensor("F64", "[4294967296,4294967296]", "[0,8]") + "}"), ":x: shape: "},
      {file("{" + tensor("F32", "[1]", "[4,8]") + "}"), ":x: data_offsets: begins at byte 4; expected 0"},
      {file(two("[0,4]", "[0,4]")), ":b: data_offsets: begins at byte 0; expected 4"},
      {file(two("[0,4]", "[4,8]"), std::string(9, '\0')), ": data: 9 bytes; expected 8"},
      {file(two("[0,4]", "[4,8]"), std::string(7, '\0')), ": data: 7 bytes; expected 8"},
      {file("{}"), ": data: 8 bytes; expected 0"},
      {file("{" + tensor("U8", "[8]", "[0,8]") + "}"), ":x: dtype: 'U8'; expected F16"},
      {file("{" + tensor("F7", "[8]", "[0,8]") + "}"), ":x: dtype: 'F7'; expected F16"},
      {file("{" + tensor("U16", "[4]", "[0,8]") + "}"), ":x: dtype: 'U16'; expected F16"}};
  expect_errors("a.safetensors", rows);
  fmt::print("{} damaged files\n", rows.size());
}

TEST(DumpDamage, OfOnnxTensors) {
  const auto field = [](std::uint32_t number, auto value) {
    std::string out;
    append_wire(out, number, value);
    return out;
  };
  using Number = std::uint64_t;
  using Bytes = std::string_view;
  const Bytes eight("\0\0\0\0\0\0\0\0", 8);
  const std::string dims = field(1, Number{2}), f32 = field(2, Number{1}), f16 = field(2, Number{10});
  EXPECT_EQ(error_of([&] { parse_onnx_tensor(dims + f32 + field(9, eight), "a"); }), "");
  EXPECT_EQ(error_of([&] { parse_onnx_tensor(dims + f32 + field(4, eight), "a"); }), "");
  EXPECT_EQ(error_of([&] {
              parse_onnx_tensor(dims + field(2, Number{4}) + field(9, eight.substr(4)), "a", DType::bf16);
            }),
            "");
  const std::vector<Damaged> rows = {
      {"", ": data_type: UNDEFINED; expected FLOAT"},
      {"\x08", ": byte 1: the message ends in a number"},
      {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", ": byte 11: a number of over 64 bits"},
      {std::string("\0\0", 2), ": byte 1: field 0"},
      {"\x0b", ": byte 1: wire type 3; expected 0, 1, 2 or 5"},
      {std::string("\x4a\x09\x00", 3), ": byte 2: 9 bytes; expected at most the 1 that follow"},
      {field(1, ~Number{0}), ": dims: -1; expected extents"},
      {"\x0d" + std::string(eight.substr(4)), ": dims: another wire type"},
      {f32 + f32, ": data_type: twice"},
      {field(2, Bytes("x")), ": data_type: another wire type"},
      {field(8, Number{1}), ": name: another wire type"},
      {field(9, eight) + field(9, eight), ": raw_data: twice"},
      {field(3, eight), ": segment: a part of a tensor"},
      {field(13, eight), ": external_data: the numbers are in another file"},
      {field(14, Number{1}), ": data_location: EXTERNAL"},
      {field(2, Number{8}), ": data_type: STRING"},
      {field(2, Number{4}), ": data_type: UINT16"},
      {field(2, Number{99}), ": data_type: 99"},
      {field(1, Number{1} << 40) + dims + f32, ": dims: [1099511627776,2]; expected at most 2^40"},
      {dims + f32 + field(9, eight.substr(1)), ": raw_data: 7 bytes; expected 8 for shape [2] of FLOAT"},
      {dims + f32 + field(9, eight) + field(4, eight), ": data: raw_data and another field"},
      {field(1, Number{1} << 39) + f32 + field(4, eight), ": data: 9 bytes; expected at least 549755813888"},
      {dims + f32 + field(4, eight.substr(2)), ": data: 6 bytes; expected 4 a number"},
      {dims + f32 + field(4, Bytes("\0\0\0\0\0\0\0\0\0\0\0\0", 12)), ": data: more numbers"},
      {dims + f32 + field(4, eight.substr(4)), ": data: 1 numbers; expected 2"},
      {dims + f32 + field(5, eight), ": data: field 5 of TensorProto; expected FLOAT numbers in field 4"},
      {dims + f32 + field(4, Number{1}) + field(4, Number{1}), ": data: another wire type"},
      {dims + f16 + field(5, Number{65536}) + field(5, Number{0}),
       ": int32_data: 65536; expected a half's 16 bits"},
      {dims + field(2, Number{6}) + field(5, Number{1} << 33) + field(5, Number{0}),
       ": int32_data: 8589934592"}};
  expect_errors("a.pb", rows);
  fmt::print("{} damaged messages\n", rows.size());
}

}  // namespace
}  // namespace normcheck
