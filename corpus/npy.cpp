// `.npy` arrays: the header is a Python dict literal, read strictly and before anything is allocated.
#include "corpus/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/value_text.h"

namespace normcheck {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxRank = 64;

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

[[noreturn]] void fail(std::string_view name, std::string_view field, std::string_view found,
                       std::string_view expected) {
  throw InputError(fmt::format("{}: {}: {}; expected {}", name, field, found, expected));
}

// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  and then spaces: the keys in any order, each
// once. Strings have no escapes.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::string_view name) : rest_(text), name_(name) {}

  Header read() {
    Header h;
    bool descr = false;
    bool order = false;
    bool shape = false;
    require('{', "header");
    while (!take('}')) {
      const std::string key = string("header");
      require(':', "header");
      bool* seen = key == "descr"           ? &descr
                   : key == "fortran_order" ? &order
                   : key == "shape"         ? &shape
                                            : nullptr;
      if (seen == nullptr || *seen) {
        fail(name_, "header", fmt::format("key {}", shown(key)), "descr, fortran_order and shape, each once");
      }
      *seen = true;
      if (seen == &descr) h.descr = read_descr();
      if (seen == &order) h.fortran_order = boolean();
      if (seen == &shape) h.shape = tuple();
      if (!take(',')) {
        require('}', "header");
        break;
      }
    }
    skip_space();
    if (!rest_.empty()) fail(name_, "header", shown(rest_), "nothing after '}'");
    if (!descr || !order || !shape) {
      fail(name_, "header", "a key is missing", "descr, fortran_order and shape");
    }
    return h;
  }

 private:
  void skip_space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  bool take(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void require(char c, std::string_view field) {
    if (!take(c))
      fail(name_, field, rest_.empty() ? "the header ends" : shown(rest_), fmt::format("'{}'", c));
  }
  std::string string(std::string_view field) {
    skip_space();
    const char quote = rest_.empty() ? '\0' : rest_.front();
    const std::size_t end = rest_.find(quote, 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      fail(name_, field, rest_.empty() ? "the header ends" : shown(rest_), "a quoted string");
    }
    const std::string_view text = rest_.substr(1, end - 1);
    if (text.find('\\') != std::string_view::npos) fail(name_, field, shown(text), "no escapes");
    rest_.remove_prefix(end + 1);
    return std::string(text);
  }
  std::string read_descr() {
    skip_space();
    if (rest_.starts_with('[')) fail(name_, "descr", "a structured array", "plain numbers");
    return string("descr");
  }
  bool boolean() {
    skip_space();
    for (const auto& [text, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
      if (rest_.starts_with(text)) {
        rest_.remove_prefix(text.size());
        return value;
      }
    }
    fail(name_, "fortran_order", shown(rest_), "True or False");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> out;
    require('(', "shape");
    bool comma = true;
    while (!take(')')) {
      if (!comma) fail(name_, "shape", shown(rest_), "',' or ')'");
      skip_space();
      const std::string_view digits = rest_.substr(0, rest_.find_first_not_of("0123456789"));
      const auto extent = parse_count(digits, std::uint64_t{1} << 62);
      if (!extent) fail(name_, "shape", shown(rest_), "whole numbers below 2^62");
      if (out.size() == kMaxRank) fail(name_, "shape", "over 64 extents", "at most 64");
      out.push_back(static_cast<std::int64_t>(*extent));
      rest_.remove_prefix(digits.size());
      comma = take(',');
    }
    if (out.size() == 1 && !comma) fail(name_, "shape", "a number in brackets", "a tuple, such as (3,)");
    return out;
  }

  std::string_view rest_;
  std::string_view name_;
};

std::string_view descr_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return "<f2";
    case DType::bf16:
      return "<V2";
    case DType::f32:
      return "<f4";
    case DType::f64:
      return "<f8";
    case DType::i32:
      return "<i4";
    case DType::i64:
      return "<i8";
    case DType::f80:
      break;  // no tensor has it
  }
  return "";
}

// Of the little-endian spelling.
DType dtype_from(std::string_view descr, std::string_view name, std::optional<DType> as) {
  if (descr.find('O') != std::string_view::npos) {
    fail(name, "descr", fmt::format("{} (an object array)", shown(descr)), "plain numbers");
  }
  std::optional<DType> found;
  if (descr == "|V2" || descr == "<V2" || descr == "<u2") {
    if (as != DType::bf16) {
      fail(name, "descr", shown(descr),
           as ? fmt::format("'{}' for {}", descr_of(*as), dtype_name(*as))
              : std::string("a float; two bytes without a type are read as bf16 only with dtype bf16"));
    }
    found = DType::bf16;
  }
  for (const DType dtype : {DType::f16, DType::f32, DType::f64, DType::i32, DType::i64}) {
    if (descr == descr_of(dtype)) found = dtype;
  }
  if (!found) {
    fail(name, "descr", shown(descr), "'<f2', '<f4', '<f8', '<i4', '<i8', or '<V2' with dtype bf16");
  }
  if (as && *found != *as) {
    fail(name, "descr", fmt::format("{} is {}", shown(descr), dtype_name(*found)), dtype_name(*as));
  }
  return *found;
}

// Each element's bytes the other way round.
void swap_bytes(Tensor& t) {
  const auto width = static_cast<std::ptrdiff_t>(size_of(t.dtype));
  for (auto at = t.data.begin(); at != t.data.end(); at += width) std::reverse(at, at + width);
}

// From the first index fastest to the last index fastest.
Tensor transposed(const Tensor& from) {
  Tensor to(from.dtype, from.shape);
  const std::size_t rank = from.shape.size(), width = size_of(from.dtype);
  std::vector<std::int64_t> index(rank);
  std::vector<std::size_t> stride(rank, width);  // in `from`, bytes
  for (std::size_t d = 1; d < rank; ++d)
    stride[d] = stride[d - 1] * static_cast<std::size_t>(from.shape[d - 1]);
  std::size_t source = 0;
  for (std::size_t target = 0; target < to.data.size(); target += width) {
    std::memcpy(to.data.data() + target, from.data.data() + source, width);
    for (std::size_t d = rank; d-- > 0;) {  // the next index
      source += stride[d];
      if (++index[d] < from.shape[d]) break;
      source -= stride[d] * static_cast<std::size_t>(index[d]);
      index[d] = 0;
    }
  }
  return to;
}

// The header's text; `bytes` is left at the data.
std::string_view split_header(std::string_view& bytes, std::string_view name) {
  if (!bytes.starts_with(kMagic)) fail(name, "magic", shown(bytes.substr(0, 6)), "\\x93NUMPY, a .npy file");
  if (bytes.size() < 8) fail(name, "version", "the file ends", "two bytes");
  const auto byte = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(bytes[i])}; };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0) {
    fail(name, "version", fmt::format("{}.{}", major, byte(7)), "1.0, 2.0 or 3.0");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t start = 8 + length_bytes;
  if (bytes.size() < start)
    fail(name, "header length", "the file ends", fmt::format("{} bytes", length_bytes));
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(8 + i) << (8 * i);
  if (bytes.size() - start < length) {
    fail(name, "header length", fmt::format("{} bytes", length),
         fmt::format("at most the {} that follow", bytes.size() - start));
  }
  const std::string_view header = bytes.substr(start, length);
  bytes.remove_prefix(start + length);
  return header;
}

}  // namespace

Tensor parse_npy(std::string_view bytes, std::string_view name, std::optional<DType> as) {
  const std::string_view text = split_header(bytes, name);
  Header header = HeaderReader(text, name).read();
  const bool big_endian = header.descr.starts_with('>');
  if (big_endian) header.descr[0] = '<';
  const DType dtype = dtype_from(header.descr, name, as);
  const auto size = checked_size(header.shape);
  if (!size) fail(name, "shape", shape_text(header.shape), "at most 2^40 elements");
  const std::uint64_t needed = static_cast<std::uint64_t>(*size) * size_of(dtype);
  if (needed != bytes.size()) {
    fail(name, "data", fmt::format("{} bytes", bytes.size()),
         fmt::format("{} for shape {} of {}", needed, shape_text(header.shape), dtype_name(dtype)));
  }
  Tensor t(dtype, std::move(header.shape));
  if (needed > 0) std::memcpy(t.data.data(), bytes.data(), bytes.size());
  if (big_endian) swap_bytes(t);
  const auto wide = std::count_if(t.shape.begin(), t.shape.end(), [](auto d) { return d != 1; });
  return header.fortran_order && wide > 1 ? transposed(t) : t;
}

Tensor read_npy(const std::filesystem::path& path, std::optional<DType> as) {
  return parse_npy(read_file(path), path.string(), as);
}

std::string format_npy(const Tensor& t) {
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr_of(t.dtype),
                  fmt::join(t.shape, ", "), t.shape.size() == 1 ? "," : "");
  // The data starts at a multiple of 64 bytes, after 10 bytes, the header and its newline.
  header.append(63 - (header.size() + 10) % 64, ' ');
  header += '\n';
  if (t.shape.size() > kMaxRank)
    throw InputError(fmt::format("shape of {} extents; expected at most 64", t.shape.size()));
  std::string out(kMagic);
  out += {'\x01', '\x00', static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  out += header;
  out.append(reinterpret_cast<const char*>(t.data.data()), t.data.size());
  return out;
}

void write_npy(const std::filesystem::path& path, const Tensor& t) {
  write_file_atomically(path, format_npy(t));
}

}  // namespace normcheck
