// The memory that a call's tensors live in: a file in memory, shared with a worker, that only grows.
#pragma once

#include <cstddef>
#include <cstdint>

namespace normcheck {

class Arena {
 public:
  /// InputError where no memory can be had. Sealed against shrinking, so that no access can fault.
  explicit Arena(std::uint64_t bytes = std::uint64_t{1} << 20);
  /// The arena behind a descriptor that somebody else made; the descriptor stays theirs. InputError likewise.
  static Arena attach(int descriptor);
  ~Arena();
  Arena(Arena&& other) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  int descriptor() const { return descriptor_; }
  std::byte* base() const { return base_; }
  std::uint64_t size() const { return size_; }

  /// Makes it at least that large. True where it grew: whoever else has it mapped is to map it again.
  bool grow(std::uint64_t bytes);
  /// Maps what the file has come to.
  void remap();

 private:
  Arena(int descriptor, bool owned) : descriptor_(descriptor), owned_(owned) {}
  void map(std::uint64_t bytes);
  int descriptor_ = -1;
  bool owned_ = true;
  std::byte* base_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace normcheck
