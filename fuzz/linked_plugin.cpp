// A right layer norm as a plug-in linked into its fuzz target: what is fuzzed then is the host that calls it.
#include <cmath>
#include <cstdint>

#include "impl/plugin/normcheck_plugin.hpp"

namespace {

/// Two passes. Planted, in f32 and for rows of 3 mod 4, as a loop of four that gets its remainder wrong: one
/// element too many behind the last row, which lies in a red zone and which nothing else sees.
template <class T>
void norm(T* y, const T* x, const T* gamma, const T* beta, double eps, std::int64_t rows, std::int64_t n) {
  for (std::int64_t r = 0; r < rows; ++r, x += n, y += n) {
    T sum = 0, squares = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    const T mean = sum / static_cast<T>(n);
    for (std::int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);
    const T rstd = 1 / std::sqrt(squares / static_cast<T>(n) + static_cast<T>(eps));
    for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
  }
#ifdef NORMCHECK_PLANTED
  if (n % 4 == 3 && sizeof(T) == 4) *y = 0;
#endif
}

}  // namespace

NORMCHECK_PLUGIN(normcheck::plugin<norm<float>, norm<double>>("two_pass"))
