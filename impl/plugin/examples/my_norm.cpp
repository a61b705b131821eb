// A layer norm as a kernel that normcheck can judge: put yours in the place of layer_norm below.
//
//   g++ -std=c++17 -O2 -shared -fPIC my_norm.cpp -o my_norm.so        (or clang++; C++17 or newer)
//   normcheck check ./my_norm.so                           exit 0, or 1 and the input that shows what is
//   wrong
//
// normcheck_plugin.h and normcheck_plugin.hpp lie beside it; the latter says at its head what else a function
// may look like: halves as uint16_t, mean and rstd as outputs, an int to return.
#include <cmath>

#include "normcheck_plugin.hpp"

namespace {

// x and y are `rows` rows of n numbers without gaps. gamma and beta are n numbers each: where the caller has
// none, they are ones and zeros here.
template <class T>
void layer_norm(T* y, const T* x, const T* gamma, const T* beta, T eps, int rows, int n) {
  for (int row = 0; row < rows; ++row, x += n, y += n) {
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += x[i];
    const T mean = sum / T(n);
    T squares = 0;  // of the differences from the mean: sum(x^2) - n*mean^2 would cancel
    for (int i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const T rstd = 1 / std::sqrt(squares / T(n) + eps);
    for (int i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  }
}

}  // namespace

// The one line that makes it a plug-in: a function for each dtype, and a name. What the wrapper does not hand
// to it (strides, other dtypes) counts as UNSUPPORTED, which is no fault.
NORMCHECK_PLUGIN(normcheck::plugin<layer_norm<float>, layer_norm<double>>("my_norm").version("1"))
