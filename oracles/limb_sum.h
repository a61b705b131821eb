// A sum of shifted integers without rounding: fixed point over as many 64-bit limbs as it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracles/truncated.h"

namespace normcheck {

/// Holds sums below 2^bits of terms v * 2^shift, shift >= 0.
class LimbSum {
 public:
  explicit LimbSum(int bits) : limbs_(static_cast<std::size_t>(bits) / 64 + 4, 0) {}

  void add(Wide128 v, int shift) {
    std::size_t at = static_cast<std::size_t>(shift) / 64;
    const int within = shift % 64;
    const Wide128 low = v << within;
    const std::uint64_t parts[3] = {static_cast<std::uint64_t>(low), static_cast<std::uint64_t>(low >> 64),
                                    within == 0 ? 0 : static_cast<std::uint64_t>(v >> (128 - within))};
    Wide128 carry = 0;
    for (const std::uint64_t part : parts) {
      carry += static_cast<Wide128>(limbs_[at]) + part;
      limbs_[at++] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
    for (; carry != 0; ++at) {
      carry += limbs_[at];
      limbs_[at] = static_cast<std::uint64_t>(carry);
      carry >>= 64;
    }
  }

  /// Least significant first.
  const std::vector<std::uint64_t>& limbs() const { return limbs_; }

 private:
  std::vector<std::uint64_t> limbs_;
};

}  // namespace normcheck
