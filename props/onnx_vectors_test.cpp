// Promise: ONNX's own vectors for LayerNormalization are read as they mean it, and keep what `stable` allows.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "corpus/case_file.h"
#include "corpus/onnx_tensor.h"
#include "corpus/onnx_vector.h"
#include "corpus/protobuf.h"
#include "impl/semantics.h"
#include "oracles/judge.h"
#include "props/dump_files.h"

namespace normcheck {
namespace {

namespace fs = std::filesystem;

/// Where Debian's libonnx-testdata has them.
const fs::path kFolder = "/usr/share/libonnx-testdata/data/node";

std::vector<fs::path> vectors() {
  std::vector<fs::path> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(kFolder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("test_layer_normalization_") && name.find("_expanded") == name.npos)
      out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Judgement judged(const OnnxVector& v) {
  Observation observed;
  observed.y = v.y;
  observed.mean = v.mean;
  observed.rstd = v.rstd;
  return judge(v.problem, observed, {});
}

#define SKIP_WITHOUT_VECTORS() \
  if (vectors().empty()) GTEST_SKIP() << "no " << kFolder << " (Debian: libonnx-testdata)"

/// The axis that the folder's name says: test_layer_normalization_4d_axis_negative_2.
std::int64_t norm_ndim_by_name(const std::string& name, std::int64_t rank) {
  const std::string::size_type axis = name.find("_axis");
  if (name.ends_with("default_axis")) return 1;
  if (name.substr(axis).starts_with("_axis_negative_")) return name[axis + 15] - '0';
  return rank - (name[axis + 5] - '0');
}

TEST(OnnxVectors, AreReadAndKeepWhatStableAllows) {
  SKIP_WITHOUT_VECTORS();
  EXPECT_EQ(vectors().size(), 19U);
  double largest = 0, share = 0;
  std::int64_t elements = 0;
  for (const fs::path& folder : vectors()) {
    const std::string name = folder.filename().string();
    const OnnxVector v = read_onnx_vector(folder);
    const Case& c = v.problem;
    EXPECT_EQ(refusal(c), std::nullopt) << name;
    EXPECT_EQ(c.x.dtype, DType::f32) << name;
    EXPECT_EQ(c.eps, static_cast<double>(name.find("epsilon") == name.npos ? 1e-5f : 1e-1f)) << name;
    EXPECT_EQ(c.norm_ndim, norm_ndim_by_name(name, static_cast<std::int64_t>(c.x.shape.size()))) << name;
    ASSERT_TRUE(c.gamma && c.beta && v.mean && v.rstd) << name;
    EXPECT_EQ(v.mean->shape, statistics_shape(c)) << name;
    EXPECT_EQ(v.rstd->shape, statistics_shape(c)) << name;
    const Judgement j = judged(v);
    EXPECT_EQ(j.verdict, Verdict::pass) << name << " " << j.reason;
    EXPECT_EQ(j.counts.proved, c.x.size()) << name;
    largest = std::max(largest, j.errors.max_ulp);
    share = std::max(share, j.errors.max_share_of_bound);
    elements += c.x.size();
    // As a case it is kept and read again.
    EXPECT_TRUE(same_case(parse_case(format_case(c), name), c)) << name;
  }
  fmt::print(
      "{} vectors, {} elements all proved; largest error {:.4g} ulp, at most {:.3f} of what is allowed\n",
      vectors().size(), elements, largest, share);
}

TEST(OnnxVectors, AnotherAxisOrEpsOrAChangedElementIsCaught) {
  SKIP_WITHOUT_VECTORS();
  int planted = 0;
  for (const fs::path& folder : vectors()) {
    const OnnxVector v = read_onnx_vector(folder);
    const std::string name = folder.filename().string();
    const Judgement right = judged(v);
    ASSERT_TRUE(right.worst);
    {
      OnnxVector wrong = v;  // by twice what is allowed there
      const std::int64_t at = right.worst->row * row_length(v.problem) + right.worst->column;
      wrong.y.set_value(at, right.worst->want + 2 * right.worst->allowed_abs);
      EXPECT_EQ(judged(wrong).verdict, Verdict::fail) << name;
    }
    {
      OnnxVector wrong = v;
      wrong.problem.eps = 1;
      EXPECT_EQ(judged(wrong).verdict, Verdict::fail) << name;
    }
    for (const bool of_mean : {true, false}) {
      OnnxVector wrong = v;
      Tensor& t = of_mean ? *wrong.mean : *wrong.rstd;
      t.set_value(0, t.value(0) * 1.001 + 1e-3);
      EXPECT_EQ(judged(wrong).verdict, Verdict::fail) << name;
    }
    planted += 4;
  }
  fmt::print("{} faults planted in y, eps, Mean and InvStdDev, all caught\n", planted);
}

using Fields = std::string;

Fields text(std::uint32_t number, std::string_view value) {
  Fields out;
  append_wire(out, number, value);
  return out;
}
Fields number(std::uint32_t field, std::uint64_t value) {
  Fields out;
  append_wire(out, field, value);
  return out;
}

/// A model of one node, as ONNX writes one.
std::string model(const Fields& node, std::string_view op = "LayerNormalization") {
  Fields in, values;
  for (const char* name : {"X", "W", "B"}) {
    in += text(1, name);
    values += text(11, text(1, name));
  }
  for (const char* name : {"Y", "Mean"}) {
    in += text(2, name);
    values += text(12, text(1, name));
  }
  return text(7, text(1, in + text(4, op) + node) + values);
}

TEST(OnnxVectors, ModelsThatAreNoLayerNormAreRefusedInALine) {
  const auto attribute = [](std::string_view name, std::uint64_t value) {
    return text(5, text(1, name) + number(3, value) + number(20, 2));
  };
  const OnnxLayerNorm node = parse_onnx_model(model(attribute("axis", ~std::uint64_t{1})), "m");
  EXPECT_EQ(node.axis, -2);
  EXPECT_EQ(node.inputs, (std::vector<std::string>{"X", "W", "B"}));
  EXPECT_EQ(node.given, (std::vector<std::string>{"Y", "Mean"}));
  const std::pair<std::string, const char*> bad[] = {
      {"", "m: graph: 0 nodes; expected one"},
      {model("") + model(""), "m: graph: 2 nodes; expected one"},
      {model("", "Softmax"), "m: op_type: 'Softmax'; expected LayerNormalization"},
      {model(attribute("stash_type", 11)), "m: stash_type: 11; expected 1"},
      {model(attribute("mode", 1)), "m: attribute: 'mode'; expected axis"},
      {model(text(2, "more") + text(2, "yet more")), "m: node: 3 inputs, 4 outputs; expected"},
      {number(7, 1), "m: graph: another wire type"},
      {model("").substr(0, 20), "m: byte "}};
  for (const auto& [bytes, error] : bad) {
    const std::string_view message = bytes;
    EXPECT_TRUE(error_of([&] { parse_onnx_model(message, "m"); }).starts_with(error))
        << error << "\n"
        << error_of([&] { parse_onnx_model(message, "m"); });
  }
  EXPECT_NE(error_of([] { read_onnx_vector("/nosuch"); }).find("/nosuch/model.onnx"), std::string::npos);
  fmt::print("{} models and a folder that is not there\n", std::size(bad));
}

}  // namespace
}  // namespace normcheck
