// memfd_create, mmap and seals.
#include "impl/plugin/arena.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "corpus/error.h"

namespace normcheck {
namespace {

[[noreturn]] void fail(const char* what) {
  throw InputError(fmt::format("shared memory: {}: {}", what, std::strerror(errno)));
}

}  // namespace

Arena::Arena(std::uint64_t bytes) {
  descriptor_ = memfd_create("normcheck-arena", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (descriptor_ < 0) fail("memfd_create");
  if (ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  if (fcntl(descriptor_, F_ADD_SEALS, F_SEAL_SHRINK) != 0) fail("F_SEAL_SHRINK");
  map(bytes);
}

Arena Arena::attach(int descriptor) {
  Arena out(descriptor, false);
  out.remap();
  return out;
}

Arena::Arena(Arena&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      owned_(other.owned_),
      base_(std::exchange(other.base_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, size_);
  if (owned_ && descriptor_ >= 0) close(descriptor_);
}

void Arena::map(std::uint64_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (at == MAP_FAILED) fail("mmap");
  if (base_ != nullptr) munmap(base_, size_);
  base_ = static_cast<std::byte*>(at);
  size_ = bytes;
}

void Arena::remap() {
  struct stat file {};
  if (fstat(descriptor_, &file) != 0) fail("fstat");
  if (static_cast<std::uint64_t>(file.st_size) != size_) map(static_cast<std::uint64_t>(file.st_size));
}

bool Arena::grow(std::uint64_t bytes) {
  if (bytes <= size_) return false;
  constexpr std::uint64_t step = std::uint64_t{1} << 20;
  const std::uint64_t wanted = (bytes + bytes / 2 + step - 1) / step * step;
  if (ftruncate(descriptor_, static_cast<off_t>(wanted)) != 0) fail("ftruncate");
  map(wanted);
  return true;
}

}  // namespace normcheck
