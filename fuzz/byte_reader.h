// Reads little-endian numbers from bytes that may end anywhere: past the end every byte is zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace normcheck {

class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }
  std::size_t size() const { return left_.size(); }
  std::uint8_t u8() {
    if (left_.empty()) return 0;
    const std::uint8_t b = left_.front();
    left_ = left_.subspan(1);
    return b;
  }
  std::uint16_t u16() {
    const unsigned low = u8();
    return static_cast<std::uint16_t>(low | (static_cast<unsigned>(u8()) << 8));
  }
  std::uint64_t u64() {
    std::uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 8) out |= static_cast<std::uint64_t>(u8()) << shift;
    return out;
  }
  /// Fills `out`; what is missing stays as it is (zero in a fresh tensor).
  void copy_to(std::span<std::byte> out) {
    const std::size_t k = std::min(out.size(), left_.size());
    if (k != 0) std::memcpy(out.data(), left_.data(), k);
    left_ = left_.subspan(k);
  }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace normcheck
