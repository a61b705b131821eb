// Varints, lengths, and what is neither.
#include "corpus/protobuf.h"

#include <fmt/format.h>

#include "corpus/byte_source.h"
#include "corpus/error.h"

namespace normcheck {

void WireReader::fail(std::string_view found, std::string_view expected) const {
  throw InputError(fmt::format("{}: byte {}: {}; expected {}", label_, at_, found, expected));
}

std::uint64_t WireReader::varint() {
  std::uint64_t out = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (done()) fail("the message ends in a number", "whole numbers");
    const auto byte = static_cast<unsigned char>(message_[at_++]);
    if (shift == 63 && byte > 1) break;
    out |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return out;
  }
  fail("a number of over 64 bits", "at most 64");
}

WireField WireReader::next() {
  const std::uint64_t tag = varint();
  WireField field;
  if (tag >> 3 == 0 || tag >> 3 >= 1u << 29) fail(fmt::format("field {}", tag >> 3), "1 to 2^29-1");
  field.number = static_cast<std::uint32_t>(tag >> 3);
  const auto take = [this](std::uint64_t count) {
    if (count > message_.size() - at_)
      fail(fmt::format("{} bytes", count), fmt::format("at most the {} that follow", message_.size() - at_));
    const std::string_view out = message_.substr(at_, static_cast<std::size_t>(count));
    at_ += out.size();
    return out;
  };
  switch (tag & 7) {
    case 0:
      field.type = WireField::Type::varint;
      field.value = varint();
      break;
    case 1:
      field.type = WireField::Type::fixed64;
      field.value = little_endian(take(8), 8);
      break;
    case 2:
      field.type = WireField::Type::bytes;
      field.bytes = take(varint());
      break;
    case 5:
      field.type = WireField::Type::fixed32;
      field.value = little_endian(take(4), 4);
      break;
    default:
      fail(fmt::format("wire type {}", tag & 7), "0, 1, 2 or 5");
  }
  return field;
}

void append_varint(std::string& out, std::uint64_t value) {
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  out += static_cast<char>(value);
}

void append_wire(std::string& out, std::uint32_t number, std::uint64_t varint) {
  append_varint(out, std::uint64_t{number} << 3);
  append_varint(out, varint);
}

void append_wire(std::string& out, std::uint32_t number, std::string_view bytes) {
  append_varint(out, std::uint64_t{number} << 3 | 2);
  append_varint(out, bytes.size());
  out += bytes;
}

}  // namespace normcheck
