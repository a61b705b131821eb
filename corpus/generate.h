// Counter-based pseudo-random numbers: the n-th draw of a stream depends on (seed, stream, n) alone, so
// that any element of any input can be made again on any machine, in any order.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "corpus/case.h"

namespace normcheck {

/// A stream of 64-bit words: a bijective mix of the counter under a key made from seed and stream.
/// Integer arithmetic only. Value semantics; copying forks the stream.
class CounterRng {
 public:
  explicit CounterRng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t at(std::uint64_t counter) const;
  std::uint64_t next() { return at(counter_++); }
  /// Uniform in [0, bound); bound >= 1. Bias below 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound);
  /// Uniform in [lo, hi].
  std::int64_t between(std::int64_t lo, std::int64_t hi);
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Mean 0, variance 1, by the sum of twelve uniforms (range [-6, 6]): no libm, so the same everywhere.
  double normal();
  bool coin(double probability = 0.5) { return uniform() < probability; }
  /// An independent stream derived from this one's key and `label`.
  CounterRng fork(std::uint64_t label) const;

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

/// The generators that a `.case` may name for a large x: "uniform" ([0,1)), "normal", "offset_normal"
/// (1000 + normal), "integers" (0..15), "balanced" (pairs v, -v, v 0..15), "ramp" (i mod 1024). Element i
/// depends on (seed, i) alone.
bool is_generator(std::string_view name);
std::vector<std::string_view> generator_names();
/// Throws InputError for an unknown name.
Tensor generate_tensor(std::string_view generator, std::uint64_t seed, DType dtype,
                       std::vector<std::int64_t> shape);

/// SHA-256 of bytes as 64 hex digits (own code: the only alternative at hand is a crypto library as a
/// dependency of every build, for one digest).
std::string sha256_hex(std::string_view bytes);

}  // namespace normcheck
