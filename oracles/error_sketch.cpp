// Counts errors by the leading bits of their double, which are in the order of the numbers.
#include "oracles/error_sketch.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace normcheck {
namespace {

constexpr int kept_shift = 48;  ///< of a double's 52 bits after the exponent, 4 stay
constexpr std::int32_t lowest = (1023 - 24) << 4, of_infinity = 2047 << 4;

std::int32_t bucket_of(double error) {
  const auto leading = static_cast<std::int32_t>(std::bit_cast<std::uint64_t>(error) >> kept_shift);
  return std::max(leading, lowest);
}

double upper_edge(std::int32_t bucket) {
  if (bucket >= of_infinity) return std::numeric_limits<double>::infinity();
  if (bucket + 1 == of_infinity) return std::numeric_limits<double>::max();
  return std::bit_cast<double>(static_cast<std::uint64_t>(bucket + 1) << kept_shift);
}

}  // namespace

ErrorSketch::ErrorSketch(std::span<const double> errors) {
  static thread_local std::array<std::int64_t, of_infinity - lowest + 1> counts{};  // left as it is found
  std::int32_t first = of_infinity + 1, last = lowest - 1;
  for (const double error : errors) {
    const std::int32_t bucket = bucket_of(error);
    ++counts[static_cast<std::size_t>(bucket - lowest)];
    first = std::min(first, bucket), last = std::max(last, bucket);
  }
  for (std::int32_t bucket = first; bucket <= last; ++bucket) {
    std::int64_t& here = counts[static_cast<std::size_t>(bucket - lowest)];
    if (here > 0) buckets_.emplace_back(bucket, here);
    here = 0;
  }
}

void ErrorSketch::add(const ErrorSketch& other) {
  std::vector<std::pair<std::int32_t, std::int64_t>> sum;
  sum.reserve(buckets_.size() + other.buckets_.size());
  auto a = buckets_.begin();
  auto b = other.buckets_.begin();
  while (a != buckets_.end() || b != other.buckets_.end()) {
    if (b == other.buckets_.end() || (a != buckets_.end() && a->first < b->first)) {
      sum.push_back(*a++);
    } else if (a == buckets_.end() || b->first < a->first) {
      sum.push_back(*b++);
    } else {
      sum.emplace_back(a->first, a->second + b->second);
      ++a, ++b;
    }
  }
  buckets_ = std::move(sum);
}

std::int64_t ErrorSketch::count() const {
  std::int64_t sum = 0;
  for (const auto& [bucket, here] : buckets_) sum += here;
  return sum;
}

double ErrorSketch::p99() const {
  const std::int64_t all = count();
  if (all == 0) return -1;
  const std::int64_t rank = (all * 99 + 99) / 100;
  std::int64_t below = 0;
  for (const auto& [bucket, here] : buckets_) {
    below += here;
    if (below >= rank) return upper_edge(bucket);
  }
  return upper_edge(buckets_.back().first);
}

}  // namespace normcheck
