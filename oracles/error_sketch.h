// How the errors of many elements are spread, kept small: a count for each sixteenth of a binade.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace normcheck {

/// Counts of |error| in ulp. A bucket is a sixteenth of a binade (its upper edge is at most 1/16 above its
/// lower one), 0 and all below 2^-24 are one, and infinity is one by itself. Adding sketches up in any order
/// gives the same one.
class ErrorSketch {
 public:
  ErrorSketch() = default;
  /// Of errors that are not negative and not NaN.
  explicit ErrorSketch(std::span<const double> errors);
  void add(const ErrorSketch& other);
  std::int64_t count() const;
  /// The upper edge of the bucket in which the nearest-rank 99th percentile lies: never below it, and at most
  /// 1/16 above. -1 where nothing was counted.
  double p99() const;
  friend bool operator==(const ErrorSketch&, const ErrorSketch&) = default;

 private:
  std::vector<std::pair<std::int32_t, std::int64_t>> buckets_;  ///< by bucket, none empty
};

}  // namespace normcheck
