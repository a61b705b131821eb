// The causes are written by hand, in place of those that the diagnosis can name; what was expected and what
// came out is said by the libraries, run again.
#include "reports/attack/library_faults.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "corpus/replay_line.h"
#include "reports/corpus_files.h"
#include "reports/finding.h"
#include "reports/finding_text.h"
#include "reports/plugins.h"

namespace normcheck {
namespace {

struct LibraryFault {
  std::string_view title;
  std::array<std::string_view, 2> libraries;  ///< names of peers; the second may be empty
  std::string_view file;                      ///< of the smallest input that is kept, in corpus/
  std::string_view input;                     ///< in words
  std::string_view cause;
};

constexpr LibraryFault faults[] = {
    {"OpenCV 4.6.0: a row of tiny numbers comes out of MVN as it is where the scale is 1",
     {"opencv"},
     "cases/underflow/opencv-scale-of-one.case",
     "The MVN layer (`normalize_variance`, not `across_channels`), eps 1, x = 2^-60, 1.5 * 2^-60. Nothing "
     "here is "
     "subnormal",
     "The layer ends in `cv::Mat::convertTo(dst, type, scale, shift)`, which takes a scale within "
     "`DBL_EPSILON` of 1 "
     "together with a shift within `DBL_EPSILON` of 0 for no conversion at all (`noScale`, "
     "modules/core/src/convert.dispatch.cpp). The shift, -mean*scale, is then small, but not beside x. With "
     "a mean "
     "of 2^-53 it shows, with one of 2^-51 not. In absolute terms y is off by less than 2.2e-16"},
    {"OpenCV 4.6.0: an eps below the normal numbers of f32 is dropped",
     {"opencv"},
     "found/opencv.f32.n32.share.case",
     "A variance of the order of 1e-38, and an eps likewise",
     "`dnn::Net` runs with subnormal numbers flushed to zero; under `--contract subnormals=flush` nothing is "
     "found"},
    {"dlib 19.24, ONNX Runtime 1.20.1: cancellation in a one-pass variance",
     {"dlib", "onnxruntime-1.20.1"},
     "cases/cancellation/40000-to-40003.case",
     "Four numbers that are large and nearly equal",
     "The variance is the mean of the squares minus the square of the mean, in f32, without a clamp "
     "(dlib/cuda/cpu_dlib.cpp; onnxruntime/core/providers/cpu/nn/layer_norm_impl.cc). ONNX Runtime 1.32 does "
     "not do "
     "that any more"},
    {"The same in ordinary rows",
     {"dlib", "onnxruntime-1.20.1"},
     "found/dlib.f32.n1024.normwise-kappa4.case",
     "1024 numbers of a condition number of 4",
     "As above"},
    {"PyTorch 1.13 and 2.15: a constant row of large numbers gives NaN",
     {"torch", "torch-2.15.0"},
     "public/B085-spark-merge-into-empty-f32.case",
     "Two equal numbers whose square overflows",
     "Moments are merged into an empty part: the square of delta, the difference of the means, overflows and "
     "is "
     "multiplied by its count, 0 (aten/src/ATen/native/cpu/moments_utils.h). Where the count of one part is "
     "0 the "
     "other part is the answer. The same mistake was made, and mended, elsewhere: apache/spark 57460"},
    {"PyTorch 1.13.1 (Debian), bf16: statistics are rounded to bf16",
     {"torch"},
     "found/torch.bf16.n32.share.case",
     "`stable` has statistics of f32, and one rounding of y",
     "Mean, reciprocal deviation and -mean*rstd are rounded to bf16 before y is made of them "
     "(aten/src/ATen/native/cpu/layer_norm_kernel.cpp, where T is BFloat16). PyTorch 2.15 does not do that "
     "any more"},
    {"flax 0.12.8: cancellation, by default",
     {"flax"},
     "cases/cancellation/40000-to-40003.case",
     "Four numbers that are large and nearly equal",
     "`use_fast_variance`, which is on by default: the variance is the mean of the squares minus the square "
     "of the "
     "mean, not below 0 (flax/linen/normalization.py). With `use_fast_variance=False` the input is "
     "normalized rightly"},
};

constexpr std::string_view head =
    "# What was found wrong with real libraries\n\n"
    "As a maintainer would want it: a small input, what was expected, what came out, why. The exact y is "
    "derived from "
    "x by integers; the blocks are\n"
    "what `normcheck replay` says of the case with the library as it is installed here. The largest known "
    "errors, "
    "with their inputs, are in [largest_known.md](largest_known.md),\n"
    "what each library scores on sampled inputs in [peers.md](peers.md). Found by `normcheck attack LIBRARY` "
    "and `normcheck check LIBRARY`, made small by "
    "`normcheck minimise FILE --impl LIBRARY`.\n";

constexpr std::string_view tail =
    "\n## No fault, but worth knowing\n"
    "- **ONNX Runtime, f64.** Its epsilon attribute is an f32: 1e-5 becomes 9.99999974e-6, which moves y by "
    "up to "
    "5.7e7 u of f64 where the variance is of the order of eps, and an eps below 1e-45 is 0. Its contract "
    "here says so "
    "(`eps=f32`).\n"
    "- **oneDNN, NumPy, PyTorch (f32, f64, but for constant rows of large numbers), OpenVINO (f32).** Every "
    "row that "
    "was found keeps `stable`, most by a wide margin: the margin is the bound's, which is for any order of "
    "summation, "
    "not a proof that nothing is worse.\n";

std::string said_of(std::string_view library, const Case& c, std::string_view file, const Options& options) {
  try {
    const std::vector<const Row*> rows = plugin_rows(std::string(library), options);
    const Row& row = *rows.front();
    const Contract contract = contract_of(row, "stable");
    Finding finding = make_finding(row, c, run_and_judge(row, c, contract, OracleChoice::exact), contract);
    if (!is_finding(finding.judgement.verdict))
      return fmt::format("{} {}: nothing is found on it here", library, version_of(row));
    finding.replay = fmt::format("replay corpus/{} --impl {}", file, library);
    return fmt::format("{} {}\n{}", library, version_of(row),
                       finding_text(finding, built_command, Style{false}));
  } catch (const LoadError&) {
    return fmt::format("{}: not installed here", library);
  }
}

}  // namespace

std::string library_faults_markdown(const Options& options) {
  std::string out(head);
  const auto corpus = find_corpus(options.corpus);
  for (const LibraryFault& fault : faults) {
    out += fmt::format("\n## {}\n- **Input.** {}: [the case](../../corpus/{}).\n", fault.title, fault.input,
                       fault.file);
    out += fmt::format("- **Cause.** {}.\n", fault.cause);
    if (!corpus || !std::filesystem::exists(*corpus / fault.file)) {
      out += "- The case is not in this corpus.\n";
      continue;
    }
    const Case c = read_case(*corpus / fault.file);
    for (const std::string_view library : fault.libraries) {
      if (library.empty()) continue;
      std::string said = said_of(library, c, fault.file, options);
      while (said.ends_with('\n')) said.pop_back();
      out += fmt::format("\n```\n{}\n```\n", said);
    }
  }
  return out + std::string(tail);
}

}  // namespace normcheck
