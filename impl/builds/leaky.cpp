// What a build must not be: planted for check_symbols_test.sh, which has to find all four leaks.
#include <cstddef>

namespace std_like {

/// As a template of std:: that is not inlined: every object that instantiates it has this very name.
template <class T>
[[gnu::noinline]] T total(const T* x, std::size_t n) {
  T sum{};
  for (std::size_t i = 0; i < n; ++i) sum = sum + x[i];
  return sum;
}

/// As a table in a header.
inline double constants[] = {0.1, 0.2};

}  // namespace std_like

/// As a function of the project that was declared outside of its namespace.
float leaked(const float* x, std::size_t n);
float leaked(const float* x, std::size_t n) { return std_like::total(x, n); }

namespace normcheck {

/// Where it belongs: the build sees this as a namespace of its own.
double kept(const double* x, std::size_t n);
double kept(const double* x, std::size_t n) { return std_like::total(x, n) + std_like::constants[n % 2]; }

}  // namespace normcheck
