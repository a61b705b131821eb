// Reads and writes the wire format of protobuf, as far as ONNX's tensors and test models need it.
//
// Own code rather than libprotobuf: that needs a compiler for ONNX's schema when building and a library of
// several MB in every fuzz target, for a format of two numbers, a length and bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace normcheck {

struct WireField {
  std::uint32_t number = 0;
  enum class Type : std::uint8_t { varint, fixed64, bytes, fixed32 } type = Type::varint;
  std::uint64_t value = 0;  ///< of a varint, fixed64 or fixed32
  std::string_view bytes;   ///< of the others: a string, a message, packed numbers
};

/// The fields of one message, in order. Text that is none: InputError "LABEL: byte N: ...; expected ...".
class WireReader {
 public:
  WireReader(std::string_view message, std::string_view label) : message_(message), label_(label) {}
  bool done() const { return at_ == message_.size(); }
  WireField next();
  /// A bare varint, of a packed field.
  std::uint64_t varint();
  [[noreturn]] void fail(std::string_view found, std::string_view expected) const;

 private:
  std::string_view message_;
  std::string_view label_;
  std::size_t at_ = 0;
};

void append_varint(std::string& out, std::uint64_t value);
void append_wire(std::string& out, std::uint32_t number, std::uint64_t varint);
void append_wire(std::string& out, std::uint32_t number, std::string_view bytes);

}  // namespace normcheck
