// The table of peers, and where their files are.
#include "impl/peers/peers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace normcheck {
namespace {

constexpr KnownFault of_dlib[] = {
    {"f32", "",
     "one pass over the data: the variance is the mean of the squares minus the square of the mean, in f32 "
     "and without a clamp (dlib/cuda/cpu_dlib.cpp), so large means cancel, to NaN"}};

constexpr KnownFault of_opencv[] = {
    {"f32", "subnormal tiny_eps corpus/worst corpus/public",
     "dnn::Net runs with subnormal numbers flushed to zero (FTZ and DAZ); under subnormals=flush nothing "
     "is found"},
    {"f32", "corpus/cases",
     "cv::Mat::convertTo, with which the layer scales and shifts, copies where the scale is within 2.2e-16 "
     "of 1 "
     "and the shift of 0: with eps 1 a row of tiny numbers comes out as it is, its mean not taken off "
     "(modules/core/src/convert.dispatch.cpp)"}};

constexpr std::string_view
    huge_regimes = "near_overflow high_binades corpus/public corpus/cases",
    merges_into_empty =
        "moments are merged into an empty part: the square of delta overflows and is "
        "multiplied by its count, 0, so that a constant row of large numbers gives NaN "
        "(aten/src/ATen/native/cpu/moments_utils.h; the mistake of corpus/public/B085)";
constexpr KnownFault of_newest_torch[] = {{"f32 f64 bf16", huge_regimes, merges_into_empty}};
constexpr KnownFault of_torch[] = {
    {"f32 f64", huge_regimes, merges_into_empty},
    {"bf16", "",
     "mean, reciprocal deviation and -mean*rstd are rounded to bf16 before y is made of them "
     "(aten/src/ATen/native/cpu/layer_norm_kernel.cpp, where T is BFloat16)"}};

constexpr KnownFault of_onnxruntime[] = {
    {"f32 f64", "",
     "one pass over the data: the variance is the mean of the squares minus the square of the mean, without "
     "a clamp (onnxruntime/core/providers/cpu/nn/layer_norm_impl.cc), so large means cancel, to NaN"},
    {"f16", "", "the same, computed in f32"},
    {"f16", "probe/statistics", "mean and InvStdDev are rounded to f16, where the model has them in f32"}};

constexpr KnownFault of_openvino[] = {
    {"f16", "broadcasting corpus/cases",
     "an x of five dims is computed in f16, where an eps of 1e-12 is 0: a constant row gives NaN (with four "
     "dims it does not)"}};

constexpr KnownFault flushes_in_xla = {
    "f32 f64 bf16", "tiny_x_large_gamma subnormal tiny_eps corpus/cases corpus/public corpus/worst",
    "XLA's code for the CPU takes subnormal numbers as 0, in all that it computes"};
constexpr KnownFault of_flax[] = {
    {"f32 f64 f16 bf16", "",
     "use_fast_variance: the variance is the mean of the squares minus the square of the mean, not below 0 "
     "(flax/linen/normalization.py), so large means cancel"},
    flushes_in_xla};
constexpr KnownFault of_flax_slow[] = {flushes_in_xla};

constexpr std::string_view flax_packages = "flax==0.12.8 jax==0.10.2 jaxlib==0.10.2 numpy==2.4.6";
constexpr std::string_view one_thread = "OMP_NUM_THREADS=1";

constexpr Peer table[] = {
    {"onednn",
     "onednn.so",
     PeerSource::debian,
     "libdnnl-dev",
     "2.6.3",
     "DNNL_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=1",
     true,
     "layer_normalization_forward (inference): y alone; parameters f32; bf16 where AVX-512 is there and "
     "allowed",
     {}},
    {"onednn-sse41",
     "onednn.so",
     PeerSource::debian,
     "libdnnl-dev",
     "2.6.3",
     "DNNL_MAX_CPU_ISA=SSE41 OMP_NUM_THREADS=1",
     true,
     "the same where it may use no more than SSE4.1: not generated code but its reference loops",
     {}},
    {"onednn-avx512",
     "onednn.so",
     PeerSource::debian,
     "libdnnl-dev",
     "2.6.3",
     "DNNL_MAX_CPU_ISA=AVX512_CORE OMP_NUM_THREADS=1",
     true,
     "the same with AVX-512, and bf16, where the processor has it; else as onednn",
     {}},
    {"dlib", "dlib.so", PeerSource::debian, "libdlib-dev", "19.24.0", one_thread, true,
     "tt::layer_normalize on the CPU: y, mean and rstd; it asserts that eps is above 0", of_dlib},
    {"opencv", "opencv.so", PeerSource::debian, "libopencv-dnn-dev", "4.6.0", "OPENCV_CPU_DISABLE=AVX512-SKX",
     true, "the MVN layer of a dnn::Net, across_channels=false: y alone, without gamma and beta", of_opencv},
    {"torch", "torch.so", PeerSource::debian, "libtorch-dev", "1.13.0",
     "ATEN_CPU_CAPABILITY=avx2 OMP_NUM_THREADS=1", false,
     "at::native_layer_norm; in bf16 y alone, with parameters of bf16 (1.13.0 is what Debian's 1.13.1 says "
     "of itself)",
     of_torch},
    {"torch-2.15.0", "torch_norm.py", PeerSource::pypi, "torch==2.15.0 numpy==2.4.6", "2.15.0",
     "ATEN_CPU_CAPABILITY=avx2 OMP_NUM_THREADS=1", false,
     "torch.native_layer_norm on the CPU: y, mean and rstd; of halves y alone, unless gamma and beta are f32",
     of_newest_torch},
    {"torch-default", "torch.so", PeerSource::debian, "libtorch-dev", "1.13.0",
     "ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=1", false, "the same without AVX2", of_torch},
    {"numpy",
     "numpy_layer_norm.py",
     PeerSource::debian,
     "python3-numpy",
     "1.24.2",
     "NPY_DISABLE_CPU_FEATURES=AVX512F,AVX512CD,AVX512_SKX,AVX512_CLX,AVX512_CNL,AVX512_ICL",
     true,
     "a class over NumPy: y alone; it takes integers, as f32, and an empty normalized_shape, which gives "
     "beta",
     {}},
    {"onnxruntime",
     "onnxruntime_norm.py",
     PeerSource::pypi,
     "onnxruntime==1.32.0 onnx==1.23.2 numpy==2.4.6",
     "1.32.0",
     one_thread,
     true,
     "LayerNormalization on the CPU: in f64 y alone; gamma and beta of x's dtype, an epsilon of f32; it has "
     "no switch for the instruction set",
     {}},
    {"onnxruntime-1.20.1", "onnxruntime_norm.py", PeerSource::pypi,
     "onnxruntime==1.20.1 onnx==1.23.2 numpy==2.4.6", "1.20.1", one_thread, true,
     "the kernel of the generation before", of_onnxruntime},
    {"openvino", "openvino_norm.py", PeerSource::pypi, "openvino==2026.4.1 numpy==2.4.6", "2026.4.1",
     "DNNL_MAX_CPU_ISA=AVX2 OMP_NUM_THREADS=1", true,
     "MVN-6 with eps inside the root, then a product and a sum, computed in f32: y alone; gamma and beta of "
     "x's dtype, an epsilon of f32",
     of_openvino},
    {"flax", "flax_norm.py", PeerSource::pypi, flax_packages, "0.12.8",
     "NORMCHECK_FAST_VARIANCE=1 XLA_FLAGS=--xla_cpu_max_isa=AVX2 OMP_NUM_THREADS=1", false,
     "flax.linen.LayerNorm on JAX's CPU backend, as it is by default: y alone; gamma and beta of x's dtype; "
     "150 shapes of each dtype, as each is compiled",
     of_flax},
    {"flax-slow", "flax_norm.py", PeerSource::pypi, flax_packages, "0.12.8",
     "NORMCHECK_FAST_VARIANCE=0 XLA_FLAGS=--xla_cpu_max_isa=AVX2 OMP_NUM_THREADS=1", false,
     "the same with use_fast_variance=False", of_flax_slow},
};

bool is_program(const Peer& peer) { return !peer.file.ends_with(".so"); }

std::filesystem::path folder_named(const char* variable) {
  const char* given = std::getenv(variable);
  return given == nullptr ? "" : given;
}

std::filesystem::path peer_file(const Peer& peer) {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  if (const auto given = folder_named("NORMCHECK_PEERS"); !given.empty()) {
    folders.push_back(given);
  } else if (const auto self = std::filesystem::read_symlink("/proc/self/exe", error); !error) {
    folders = {self.parent_path() / "peers", self.parent_path().parent_path() / "lib/normcheck/peers"};
  }
  for (const auto& folder : folders) {
    if (const auto file = folder / peer.file; std::filesystem::is_regular_file(file, error)) return file;
  }
  return {};
}

std::filesystem::path environment_folder(const Peer& peer) {
  const auto given = folder_named("NORMCHECK_VENVS");
  std::string first(peer.packages.substr(0, peer.packages.find(' ')));
  if (const auto at = first.find("=="); at != std::string::npos)
    first = fmt::format("{}-{}", first.substr(0, at), first.substr(at + 2));
  return (given.empty() ? std::filesystem::path(NORMCHECK_SOURCE_VENVS) : given) / first;
}

std::filesystem::path interpreter(const Peer& peer) {
  if (peer.source == PeerSource::debian) return "/usr/bin/python3";
  return environment_folder(peer) / "bin/python3";
}

std::string quoted(const std::filesystem::path& path) { return fmt::format("'{}'", path.string()); }

}  // namespace

std::span<const Peer> peers() { return table; }

const Peer* find_peer(std::string_view name) {
  const auto at =
      std::find_if(std::begin(table), std::end(table), [&](const Peer& p) { return p.name == name; });
  return at == std::end(table) ? nullptr : at;
}

std::string peer_target(const Peer& peer) {
  const auto file = peer_file(peer);
  if (file.empty() || !is_program(peer)) return file.string();
  std::error_code error;
  const auto python = interpreter(peer);
  if (!std::filesystem::exists(python, error)) return "";
  return fmt::format("exec:{} {}", quoted(python), quoted(file));
}

std::string install_command(const Peer& peer) {
  if (peer.source == PeerSource::debian) {
    return fmt::format("{}apt-get install -y --no-install-recommends {}{}", geteuid() == 0 ? "" : "sudo ",
                       peer.packages, is_program(peer) ? "" : " && ./run build");
  }
  std::error_code error;
  const std::filesystem::path path = environment_folder(peer), near = std::filesystem::proximate(path, error);
  const std::string folder = error || near.empty() || *near.begin() == ".." ? path.string() : near.string();
  return fmt::format("python3 -m venv {} && {}/bin/pip install {}", folder, folder, peer.packages);
}

std::vector<std::string> peer_environment(const Peer& peer) {
  std::vector<std::string> out;
  std::istringstream words{std::string(peer.environment)};
  for (std::string word; words >> word;) {
    const std::string name = word.substr(0, word.find('='));
    const char* given = std::getenv(name.c_str());
    out.push_back(given == nullptr ? word : fmt::format("{}={}", name, given));
  }
  return out;
}

}  // namespace normcheck
