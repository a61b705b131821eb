// TensorProto: dims, a type, and the numbers in one of several fields.
#include "corpus/onnx_tensor.h"

#include <fmt/format.h>

#include <cstring>
#include <set>

#include "corpus/error.h"
#include "corpus/protobuf.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

// Fields of TensorProto (onnx.proto).
enum Number : std::uint32_t {
  dims = 1,
  data_type = 2,
  segment = 3,
  float_data = 4,
  int32_data = 5,
  string_data = 6,
  int64_data = 7,
  name_field = 8,
  raw_data = 9,
  double_data = 10,
  uint64_data = 11,
  doc_string = 12,
  external_data = 13,
  data_location = 14
};

constexpr std::size_t kMaxRank = 64;

struct Kind {
  std::uint64_t code;
  const char* name;
  std::optional<DType> dtype;  ///< none: no case has it
  Number typed;                ///< the field for its numbers where they are not raw
};
constexpr Kind kinds[] = {{1, "FLOAT", DType::f32, float_data},
                          {10, "FLOAT16", DType::f16, int32_data},
                          {16, "BFLOAT16", DType::bf16, int32_data},
                          {11, "DOUBLE", DType::f64, double_data},
                          {6, "INT32", DType::i32, int32_data},
                          {7, "INT64", DType::i64, int64_data},
                          {0, "UNDEFINED", {}, raw_data},
                          {2, "UINT8", {}, raw_data},
                          {3, "INT8", {}, raw_data},
                          {4, "UINT16", {}, int32_data},
                          {5, "INT16", {}, raw_data},
                          {8, "STRING", {}, raw_data},
                          {9, "BOOL", {}, raw_data},
                          {12, "UINT32", {}, raw_data},
                          {13, "UINT64", {}, raw_data},
                          {14, "COMPLEX64", {}, raw_data},
                          {15, "COMPLEX128", {}, raw_data},
                          {17, "FLOAT8E4M3FN", {}, raw_data},
                          {18, "FLOAT8E4M3FNUZ", {}, raw_data},
                          {19, "FLOAT8E5M2", {}, raw_data},
                          {20, "FLOAT8E5M2FNUZ", {}, raw_data}};

[[noreturn]] void fail(std::string_view label, std::string_view field, std::string_view found,
                       std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}; expected {}", label, field, found, expected));
}

/// What was read of the message. The numbers stay where they are until their type and count are known.
struct Message {
  std::vector<std::int64_t> shape;
  std::uint64_t type = 0;
  std::string name;
  std::optional<std::string_view> raw;
  std::vector<std::pair<std::uint32_t, WireField>> typed;  ///< float_data and the others, in pieces
};

void add_extent(Message& m, std::uint64_t extent, std::string_view label) {
  if (m.shape.size() == kMaxRank) fail(label, "dims", "over 64 extents", "at most 64");
  if (extent > std::uint64_t{1} << 62)
    fail(label, "dims", fmt::format("{}", static_cast<std::int64_t>(extent)), "extents from 0 to 2^62");
  m.shape.push_back(static_cast<std::int64_t>(extent));
}

Message read_message(std::string_view text, std::string_view label) {
  using Type = WireField::Type;
  Message m;
  std::set<std::uint32_t> once;
  WireReader reader(text, label);
  while (!reader.done()) {
    const WireField field = reader.next();
    const auto demand = [&](bool kept, const char* name, const char* expected) {
      if (!kept) fail(label, name, "another wire type", expected);
      if (!once.insert(field.number).second) fail(label, name, "twice", "one");
    };
    switch (field.number) {
      case dims:
        if (field.type == Type::varint) {
          add_extent(m, field.value, label);
        } else if (field.type == Type::bytes) {
          WireReader packed(field.bytes, label);
          while (!packed.done()) add_extent(m, packed.varint(), label);
        } else {
          fail(label, "dims", "another wire type", "numbers");
        }
        break;
      case data_type:
        demand(field.type == Type::varint, "data_type", "a number");
        m.type = field.value;
        break;
      case name_field:
        demand(field.type == Type::bytes, "name", "a string");
        m.name = field.bytes;
        break;
      case raw_data:
        demand(field.type == Type::bytes, "raw_data", "bytes");
        m.raw = field.bytes;
        break;
      case segment:
        fail(label, "segment", "a part of a tensor", "a whole one");
      case external_data:
        fail(label, "external_data", "the numbers are in another file", "them in raw_data");
      case data_location:
        if (field.value != 0) fail(label, "data_location", "EXTERNAL", "DEFAULT");
        break;
      case float_data:
      case int32_data:
      case int64_data:
      case double_data:
      case string_data:
      case uint64_data:
        m.typed.emplace_back(field.number, field);
        break;
      default:
        break;  // doc_string, metadata, and what is yet to come
    }
  }
  return m;
}

/// The numbers of a typed field as an element's bits each, packed or one a field.
class TypedNumbers {
 public:
  TypedNumbers(const Message& m, const Kind& kind, Tensor& t, std::string_view label)
      : kind_(kind), tensor_(t), label_(label) {
    for (const auto& [number, field] : m.typed) {
      if (number != kind.typed)
        fail(label, "data", fmt::format("field {} of TensorProto", number),
             fmt::format("{} numbers in field {} or raw_data", kind.name, static_cast<int>(kind.typed)));
      take(field);
    }
    if (count_ != t.size())
      fail(label, "data", fmt::format("{} numbers", count_), fmt::format("{}", t.size()));
  }

 private:
  void take(const WireField& field) {
    using Type = WireField::Type;
    const bool fixed = kind_.typed == float_data || kind_.typed == double_data;
    const std::size_t width = size_of(tensor_.dtype);
    const Type single = !fixed ? Type::varint : width == 4 ? Type::fixed32 : Type::fixed64;
    if (field.type == single) {
      add(field.value);
    } else if (field.type != Type::bytes) {
      fail(label_, "data", "another wire type", "numbers");
    } else if (fixed) {
      if (field.bytes.size() % width != 0)
        fail(label_, "data", fmt::format("{} bytes", field.bytes.size()), fmt::format("{} a number", width));
      for (std::size_t i = 0; i < field.bytes.size(); i += width)
        add(little_endian(field.bytes.substr(i), width));
    } else {
      WireReader packed(field.bytes, label_);
      while (!packed.done()) add(packed.varint());
    }
  }
  void add(std::uint64_t bits) {
    if (count_ == tensor_.size()) fail(label_, "data", "more numbers", fmt::format("{}", tensor_.size()));
    if (is_half(tensor_.dtype) && bits > 0xffff)
      fail(label_, "int32_data", fmt::format("{}", bits), "a half's 16 bits");
    const auto value = static_cast<std::int64_t>(bits);
    if (tensor_.dtype == DType::i32 && value != static_cast<std::int32_t>(value))
      fail(label_, "int32_data", fmt::format("{}", value), "32 bits");
    tensor_.set_bits(count_++, bits);
  }

  const Kind& kind_;
  Tensor& tensor_;
  std::string_view label_;
  std::int64_t count_ = 0;
};

class OnnxDump final : public Dump {
 public:
  OnnxDump(std::string file, std::string name, std::string text)
      : Dump(std::move(file), {std::move(name)}), text_(std::move(text)) {}

 private:
  Tensor read_at(std::size_t, std::optional<DType> as) const override {
    return parse_onnx_tensor(text_, file(), as).second;
  }

  std::string text_;
};

}  // namespace

std::pair<std::string, Tensor> parse_onnx_tensor(std::string_view message, std::string_view label,
                                                 std::optional<DType> as) {
  Message m = read_message(message, label);
  const Kind* kind = nullptr;
  for (const Kind& k : kinds) {
    if (k.code == m.type) kind = &k;
  }
  const std::string type = kind == nullptr ? fmt::format("{}", m.type) : kind->name;
  std::optional<DType> dtype;
  if (kind != nullptr) dtype = kind->dtype;
  if (type == "UINT16" && as == DType::bf16) dtype = DType::bf16;
  if (!dtype)
    fail(label, "data_type", type,
         "FLOAT, FLOAT16, BFLOAT16, DOUBLE, INT32, INT64, or UINT16 with dtype bf16");
  if (as && *dtype != *as)
    fail(label, "data_type", fmt::format("{} is {}", type, dtype_name(*dtype)), dtype_name(*as));
  const auto size = checked_size(m.shape);
  if (!size) fail(label, "dims", shape_text(m.shape), "at most 2^40 elements");
  if (m.raw && !m.typed.empty()) fail(label, "data", "raw_data and another field", "one of them");
  // Before memory is taken: every number takes a byte at least.
  std::uint64_t bytes = m.raw ? m.raw->size() : 0;
  for (const auto& [number, field] : m.typed) bytes += field.bytes.size() + 1;
  const std::uint64_t needed = static_cast<std::uint64_t>(*size) * (m.raw ? size_of(*dtype) : 1);
  if (m.raw ? bytes != needed : bytes < needed)
    fail(label, m.raw ? "raw_data" : "data", fmt::format("{} bytes", bytes),
         fmt::format("{}{} for shape {} of {}", m.raw ? "" : "at least ", needed, shape_text(m.shape), type));
  Tensor t(*dtype, std::move(m.shape));
  if (m.raw) {
    if (needed > 0) std::memcpy(t.data.data(), m.raw->data(), t.data.size());
  } else {
    TypedNumbers(m, *kind, t, label);
  }
  return {std::move(m.name), std::move(t)};
}

std::unique_ptr<Dump> open_onnx_tensor(const std::shared_ptr<const ByteSource>& bytes) {
  std::string text = bytes->read(0, static_cast<std::size_t>(bytes->size()));
  std::string name = read_message(text, bytes->name()).name;
  if (name.empty()) name = std::filesystem::path(bytes->name()).stem().string();
  return std::make_unique<OnnxDump>(bytes->name(), std::move(name), std::move(text));
}

std::string format_onnx_tensor(std::string_view name, const Tensor& t) {
  std::string out;
  for (const std::int64_t extent : t.shape) append_wire(out, dims, static_cast<std::uint64_t>(extent));
  for (const Kind& kind : kinds) {
    if (kind.dtype == t.dtype) append_wire(out, data_type, kind.code);
  }
  if (!name.empty()) append_wire(out, name_field, name);
  append_wire(out, raw_data, {reinterpret_cast<const char*>(t.data.data()), t.data.size()});
  return out;
}

}  // namespace normcheck
