// The ways to measure the outputs of a row that are compared: one function each over the same data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corpus/dtype.h"

namespace normcheck::bench {

/// One row, its right outputs, and room for the answers.
struct Work {
  DType dtype = DType::f32;
  std::int64_t n = 0;
  double eps = 1e-5;
  std::vector<std::uint64_t> bits, got_bits;
  std::vector<unsigned char> x, got;  ///< as they lie in memory
  std::vector<double> x_double, got_double;
  std::vector<float> x_float;
  std::vector<double> error, uncertainty, y;
  std::vector<float> y_float;
};
/// N(0,1) rounded to dtype; got is y rounded to nearest.
Work make_work(DType dtype, std::int64_t n);

/// What is asked of every element is its error in ulp, but where the name says otherwise.
struct Path {
  std::string name;
  void (*run)(Work& work);
  std::string about;
};
std::vector<Path> paths(DType dtype);

void f32_simd_two_pass(Work& work);  ///< in a file with flags of its own; n a multiple of 32
void mpfr_float_100(Work& work);     ///< where MPFR is

}  // namespace normcheck::bench
