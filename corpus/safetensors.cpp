// `.safetensors`: the header is read by nlohmann-json's events, so that nothing is kept but what is expected.
#include "corpus/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "corpus/error.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr std::size_t kMaxRank = 64;

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> offsets;
};

/// A header's events. A handler that returns false ends the reading; `error` then says why.
class HeaderReader {
 public:
  std::vector<Entry> entries;
  std::string error;

  bool null() { return unexpected("null"); }
  bool boolean(bool value) { return unexpected(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return unexpected(fmt::format("{}", value)); }
  bool number_float(double, const std::string& text) { return unexpected(shown(text)); }
  bool binary(std::vector<std::uint8_t>&) { return unexpected("binary"); }
  bool number_unsigned(std::uint64_t value) {
    if (place_ != Place::array) return unexpected(fmt::format("{}", value));
    std::vector<std::uint64_t>& list = key_ == "shape" ? entries.back().shape : entries.back().offsets;
    if (list.size() == kMaxRank) return fail("over 64 numbers", "at most 64");
    list.push_back(value);
    return true;
  }
  bool string(const std::string& text) {
    if (place_ == Place::metadata) return true;
    if (place_ != Place::tensor || key_ != "dtype") return unexpected(shown(text));
    entries.back().dtype = text;
    return true;
  }
  bool start_object(std::size_t) {
    if (place_ == Place::start) {
      place_ = Place::header;
    } else if (place_ == Place::header) {
      const bool metadata = name_ == "__metadata__";
      place_ = metadata ? Place::metadata : Place::tensor;
      if (!metadata) entries.push_back({name_, "", {}, {}});
      keys_.clear();
    } else {
      return unexpected("an object");
    }
    return true;
  }
  bool key(const std::string& text) {
    const bool name = place_ == Place::header;
    if (!(name ? names_ : keys_).insert(text).second) return fail(shown(text) + " twice", "each key once");
    if (place_ == Place::tensor && text != "dtype" && text != "shape" && text != "data_offsets")
      return fail("key " + shown(text), "dtype, shape and data_offsets");
    (name ? name_ : key_) = text;
    return true;
  }
  bool end_object() {
    if (place_ == Place::tensor && keys_.size() != 3)
      return fail("a key is missing", "dtype, shape and data_offsets");
    if (place_ == Place::tensor && entries.back().offsets.size() != 2)
      return fail(fmt::format("{} data_offsets", entries.back().offsets.size()), "two, begin and end");
    place_ = place_ == Place::header ? Place::end : Place::header;
    return true;
  }
  bool start_array(std::size_t) {
    if (place_ != Place::tensor || key_ == "dtype") return unexpected("an array");
    place_ = Place::array;
    return true;
  }
  bool end_array() {
    place_ = Place::tensor;
    return true;
  }
  bool parse_error(std::size_t position, const std::string& token, const nlohmann::detail::exception&) {
    return fail(fmt::format("byte {}: {}", position, shown(token)), "JSON");
  }

 private:
  enum class Place { start, header, metadata, tensor, array, end };

  bool fail(const std::string& found, std::string_view expected) {
    const bool of_tensor = place_ == Place::tensor || place_ == Place::array;
    error = fmt::format("{}{}; expected {}", of_tensor ? shown(name_) + ": " : "", found, expected);
    return false;
  }
  bool unexpected(const std::string& found) {
    switch (place_) {
      case Place::metadata:
        return fail(fmt::format("__metadata__: {}", found), "strings");
      case Place::tensor:
        return fail(fmt::format("{}: {}", key_, found), key_ == "dtype" ? "a string" : "an array");
      case Place::array:
        return fail(fmt::format("{}: {}", key_, found), "whole numbers from 0 to 2^64-1");
      default:
        return fail(found, "an object of tensors");
    }
  }

  Place place_ = Place::start;
  std::string name_;
  std::string key_;
  std::set<std::string, std::less<>> names_;
  std::set<std::string, std::less<>> keys_;
};

/// Bits of an element; 0 for a dtype that is not known here.
std::uint64_t bits_of(std::string_view dtype) {
  for (const auto& [name, bits] :
       {std::pair{"F64", 64}, {"F32", 32},    {"F16", 16},    {"BF16", 16},   {"I64", 64},
        {"U64", 64},          {"I32", 32},    {"U32", 32},    {"I16", 16},    {"U16", 16},
        {"F8_E5M2", 8},       {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I8", 8},      {"U8", 8},
        {"BOOL", 8},          {"C64", 64},    {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}}) {
    if (dtype == name) return static_cast<std::uint64_t>(bits);
  }
  return 0;
}

const char* name_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return "F16";
    case DType::bf16:
      return "BF16";
    case DType::f32:
      return "F32";
    case DType::f64:
      return "F64";
    case DType::i32:
      return "I32";
    case DType::i64:
      return "I64";
    case DType::f80:
      break;  // no tensor has it
  }
  return "";
}

/// The shape as a tensor has it, if it can have it.
std::optional<std::vector<std::int64_t>> signed_shape(const std::vector<std::uint64_t>& shape) {
  std::vector<std::int64_t> out;
  for (const std::uint64_t extent : shape) {
    if (extent > std::uint64_t{1} << 40) return std::nullopt;
    out.push_back(static_cast<std::int64_t>(extent));
  }
  if (!checked_size(out)) return std::nullopt;
  return out;
}

[[noreturn]] void fail(std::string_view label, std::string_view field, std::string_view found,
                       std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}; expected {}", label, field, found, expected));
}

void check_sizes(const std::vector<Entry>& entries, std::uint64_t bytes, const std::string& file) {
  std::vector<const Entry*> sorted;
  for (const Entry& entry : entries) {
    const std::string label = entry_label(file, entry.name);
    if (entry.offsets[0] > entry.offsets[1])
      fail(label, "data_offsets", fmt::format("[{},{}]", entry.offsets[0], entry.offsets[1]),
           "begin before end");
    const auto shape = signed_shape(entry.shape);
    if (!shape)
      fail(label, "shape", fmt::format("[{}]", fmt::join(entry.shape, ",")), "at most 2^40 elements");
    const std::uint64_t bits = static_cast<std::uint64_t>(*checked_size(*shape)) * bits_of(entry.dtype);
    const std::uint64_t needed = bits / 8 + (bits % 8 != 0 ? 1 : 0);
    if (bits_of(entry.dtype) != 0 && entry.offsets[1] - entry.offsets[0] != needed)
      fail(label, "data_offsets", fmt::format("{} bytes", entry.offsets[1] - entry.offsets[0]),
           fmt::format("{} for shape {} of {}", needed, shape_text(*shape), entry.dtype));
    sorted.push_back(&entry);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Entry* a, const Entry* b) { return a->offsets < b->offsets; });
  std::uint64_t end = 0;
  for (const Entry* entry : sorted) {
    if (entry->offsets[0] != end)
      fail(entry_label(file, entry->name), "data_offsets",
           fmt::format("begins at byte {}", entry->offsets[0]),
           fmt::format("{}, where the tensor before it ends", end));
    end = entry->offsets[1];
  }
  if (end != bytes)
    fail(file, "data", fmt::format("{} bytes", bytes), fmt::format("{}, where the last tensor ends", end));
}

std::vector<std::string> names_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

class SafetensorsDump final : public Dump {
 public:
  SafetensorsDump(std::shared_ptr<const ByteSource> bytes, std::vector<Entry> entries, std::uint64_t start)
      : Dump(bytes->name(), names_of(entries)),
        bytes_(std::move(bytes)),
        entries_(std::move(entries)),
        start_(start) {}

 private:
  Tensor read_at(std::size_t index, std::optional<DType> as) const override {
    const Entry& entry = entries_[index];
    const std::string label = entry_label(file(), entry.name);
    std::optional<DType> found;
    for (const DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i32, DType::i64}) {
      if (entry.dtype == name_of(dtype)) found = dtype;
    }
    if (entry.dtype == "U16" && as == DType::bf16) found = DType::bf16;
    if (!found)
      fail(label, "dtype", shown(entry.dtype), "F16, BF16, F32, F64, I32, I64, or U16 with dtype bf16");
    if (as && *found != *as)
      fail(label, "dtype", fmt::format("{} is {}", shown(entry.dtype), dtype_name(*found)), dtype_name(*as));
    Tensor t(*found, *signed_shape(entry.shape));
    bytes_->read(start_ + entry.offsets[0], t.data);
    return t;
  }

  std::shared_ptr<const ByteSource> bytes_;
  std::vector<Entry> entries_;
  std::uint64_t start_;
};

}  // namespace

std::unique_ptr<Dump> open_safetensors(std::shared_ptr<const ByteSource> bytes) {
  const std::string& file = bytes->name();
  if (bytes->size() < kLengthBytes)
    fail(file, "header length", "the file ends", fmt::format("{} bytes", kLengthBytes));
  const std::uint64_t length = little_endian(bytes->read(0, kLengthBytes), kLengthBytes);
  const std::uint64_t room = bytes->size() - kLengthBytes;
  if (length > room || length > kMaxHeader)
    fail(file, "header length", fmt::format("{} bytes", length),
         fmt::format("at most {}", std::min(room, kMaxHeader)));
  const std::string text = bytes->read(kLengthBytes, static_cast<std::size_t>(length));
  if (!text.starts_with('{')) fail(file, "header", shown(text.substr(0, 8)), "'{'");
  HeaderReader header;
  if (!nlohmann::json::sax_parse(text, &header))
    throw InputError(fmt::format("{}: header: {}", file, header.error));
  check_sizes(header.entries, room - length, file);
  return std::make_unique<SafetensorsDump>(std::move(bytes), std::move(header.entries),
                                           kLengthBytes + length);
}

std::string format_safetensors(const NamedTensors& tensors) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.data.data()), tensor.data.size());
    header[name] = {
        {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text;
  try {
    text = header.dump();
  } catch (const nlohmann::json::type_error&) {
    throw InputError("a tensor's name is no UTF-8; expected a name that JSON can hold");
  }
  text.append((8 - text.size() % 8) % 8, ' ');  // so that the data are aligned
  std::string out;
  append_little_endian(out, text.size(), kLengthBytes);
  return out + text + data;
}

}  // namespace normcheck
