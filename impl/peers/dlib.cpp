// dlib's layer_normalize as a plug-in: f32, eps above 0 (dlib asserts it), mean and reciprocal deviation.
#include <dlib/cuda/tensor_tools.h>
#include <dlib/revision.h>

#include <cstdint>
#include <cstring>
#include <string>

#include "impl/peers/peer.h"

namespace {

/// dlib keeps its tensors itself: what comes in and goes out is copied.
void norm(float* y, float* mean, float* rstd, const float* x, const float* gamma, const float* beta,
          double eps, std::int64_t rows, std::int64_t n) {
  if (rows == 0) return;
  const auto tensor = [](long samples, long length, const float* from) {
    dlib::resizable_tensor out(samples, length, 1, 1);
    std::memcpy(out.host_write_only(), from, out.size() * sizeof(float));
    return out;
  };
  dlib::resizable_tensor out, means, deviations;
  dlib::tt::layer_normalize(eps, out, means, deviations, tensor(rows, n, x), tensor(1, n, gamma),
                            tensor(1, n, beta));
  std::memcpy(y, out.host(), out.size() * sizeof(float));
  std::memcpy(mean, means.host(), means.size() * sizeof(float));
  std::memcpy(rstd, deviations.host(), deviations.size() * sizeof(float));
}

const char* reason(const nc_call* c) {
  return c->eps == 0 ? "eps 0: the library asserts that it is above" : nullptr;
}

std::string version() {
  return std::to_string(DLIB_MAJOR_VERSION) + "." + std::to_string(DLIB_MINOR_VERSION) + "." +
         std::to_string(DLIB_PATCH_VERSION);
}

}  // namespace

NORMCHECK_PEER(normcheck::peer<reason>(normcheck::plugin<norm>("dlib"), version()))
