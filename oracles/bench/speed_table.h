// The figures of a run as a table to read and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck::bench {

struct Speed {
  DType dtype = DType::f32;
  std::int64_t n = 0;
  std::string path, about;
  std::vector<double> rounds;  ///< ns an element, one a round
  double median() const;
};

/// Ratios are between paths of equal dtype and n, round by round, and then the median.
std::string markdown(const std::vector<Speed>& speeds);
std::string json(const std::vector<Speed>& speeds);

}  // namespace normcheck::bench
