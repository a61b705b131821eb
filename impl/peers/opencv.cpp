// OpenCV's MVN layer (mean and variance normalization) as a plug-in: f32, forward, without gamma and beta.
#include <cstdint>
#include <cstring>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>

#include "impl/peers/peer.h"

namespace {

/// A network of that one layer, over an input of [rows,1,1,n].
void norm(float* y, const float* x, const float*, const float*, double eps, int rows, int n) {
  if (rows == 0) return;
  cv::dnn::LayerParams parameters;
  parameters.set("normalize_variance", true);
  parameters.set("across_channels", false);
  parameters.set("eps", eps);
  cv::dnn::Net net;
  net.addLayerToPrev("mvn", "MVN", parameters);
  net.setPreferableBackend(cv::dnn::DNN_BACKEND_OPENCV);
  const int shape[] = {rows, 1, 1, n};
  net.setInput(cv::Mat(4, shape, CV_32F, const_cast<float*>(x)));
  const cv::Mat out = net.forward();
  std::memcpy(y, out.ptr<float>(), out.total() * sizeof(float));
}

const char* reason(const nc_call* c) {
  return c->gamma != nullptr || c->beta != nullptr ? "the layer has no gamma and beta" : nullptr;
}

std::string version() {
  cv::setNumThreads(1);
  const char* isa = cv::checkHardwareSupport(CV_CPU_AVX512_SKX) ? " AVX512_SKX"
                    : cv::checkHardwareSupport(CV_CPU_AVX2)     ? " AVX2"
                                                                : " without AVX2";
  return cv::getVersionString() + isa + ", threads " + std::to_string(cv::getNumThreads());
}

}  // namespace

NORMCHECK_PEER(normcheck::peer<reason>(normcheck::plugin<norm>("opencv").null_when_absent(), version()))
