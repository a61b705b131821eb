// A mutator over decoded cases, for libFuzzer: an extra, since the targets take any bytes.
#include <algorithm>
#include <cstring>

#include "fuzz/decode.h"
#include "fuzz/mutate.h"

// Of libFuzzer; other engines that read this file's entry do without.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t max_size);

namespace {

using normcheck::CounterRng;

std::size_t mutate_bytes(std::uint8_t* data, std::size_t size, std::size_t max_size, CounterRng& rng) {
  if (LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, max_size);
  if (size != 0) data[rng.below(size)] = static_cast<std::uint8_t>(rng.below(256));
  return size;
}

}  // namespace

/// A case becomes its verbatim form with one change, at times with other outputs or another subject. One in
/// four, what is no valid case, and what would not fit is changed as bytes; so is every second recipe, which
/// would otherwise be gone from the corpus.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  CounterRng rng(seed);
  const bool recipe = size == 0 || data[0] % 2 == 0;
  if (rng.coin(recipe ? 0.5 : 0.25)) return mutate_bytes(data, size, max_size, rng);
  normcheck::Decoded input = normcheck::decode({data, size});
  if (!normcheck::mutate(input.c, rng)) return mutate_bytes(data, size, max_size, rng);
  if (rng.coin(0.1)) input.selector = static_cast<std::uint16_t>(rng.below(65536));
  if (rng.coin(0.05)) input.wanted = {rng.coin(), rng.coin()};
  const auto bytes = normcheck::encode(input.c, input.selector, input.wanted);
  if (!bytes || bytes->size() > max_size) return mutate_bytes(data, size, max_size, rng);
  std::memcpy(data, bytes->data(), bytes->size());
  return bytes->size();
}
