// A launcher that exists already, with an argument order of its own, as a kernel that normcheck can judge.
//
//   g++ -std=c++17 -O2 -shared -fPIC my_norm_launcher.cpp -o my_norm_launcher.so        (and what `launch` is
//   in) normcheck check ./my_norm_launcher.so
#include <cmath>

#include "normcheck_plugin.hpp"

namespace {

// Stands for yours: put a declaration in its place, and link or compile what has it.
void launch(const float* in, float* out, const float* w, const float* b, int hidden, int tokens, float eps) {
  for (int t = 0; t < tokens; ++t, in += hidden, out += hidden) {
    float sum = 0, squares = 0;
    for (int i = 0; i < hidden; ++i) sum += in[i];
    const float mean = sum / float(hidden);
    for (int i = 0; i < hidden; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const float rstd = 1 / std::sqrt(squares / float(hidden) + eps);
    for (int i = 0; i < hidden; ++i) out[i] = (in[i] - mean) * rstd * w[i] + b[i];
  }
}

// The one thing to write: normcheck's order on the left, the launcher's on the right. Return an int, 0 where
// all went well, if it can fail. One that runs on a device copies x, gamma and beta there first, and y back:
// then say .claims("memory=copy") below, and memory is not probed.
void adapted(float* y, const float* x, const float* gamma, const float* beta, float eps, int rows, int n) {
  launch(x, y, gamma, beta, n, rows, eps);
}

}  // namespace

NORMCHECK_PLUGIN(normcheck::plugin<adapted>("my_norm_launcher").version("1"))
