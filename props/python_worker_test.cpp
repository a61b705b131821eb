// Promise: a Python function is a kernel like any other: it gets the arrays as they are, what it does wrong
// is said in words, and what keeps it from starting is one line that says what to do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "corpus/error.h"
#include "impl/plugin/plugin.h"
#include "impl/plugin/python.h"
#include "oracles/contract.h"
#include "oracles/judge.h"
#include "props/command_run.h"

namespace normcheck {
namespace {

constexpr Layout layouts[] = {Layout::dense,          Layout::element_aligned, Layout::padded_rows,
                              Layout::sliced,         Layout::inner_stride_2,  Layout::transposed,
                              Layout::strided_affine, Layout::byte_offset};

/// The first that imports the modules, itself and not a script that looks for it; empty where none does.
std::string python_with(const std::string& modules) {
  for (const std::string python : {"python3", "/usr/bin/python3"}) {
    const Told told = type(fmt::format("{} -c 'import sys, {}; print(sys.executable)'", python, modules));
    if (told.code == 0) return told.out.substr(0, told.out.find('\n'));
  }
  return {};
}

PluginOptions options() {
  PluginOptions out;
  out.worker = NORMCHECK_COMMAND;
  return out;
}

/// A file of this text in the folder of this process.
std::string program(const std::string& name, const std::string& text) {
  const std::string path = (run_folder() / name).string();
  std::ofstream(path) << text;
  return path;
}

Told check(const std::string& command, const std::string& more) {
  return run(fmt::format("check 'exec:{}' --regime unit_normal,ramp --n 2..64 --budget 60 --no-timing {}",
                         command, more));
}

class OverNumPy : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const std::string python = python_with("numpy");
    if (python.empty()) return;
    plugin() = Plugin::open_program({python, NORMCHECK_SOURCE_DIR "/props/plugins/norms.py"}, options());
  }
  static void TearDownTestSuite() { plugin().reset(); }
  void SetUp() override {
    if (!plugin()) GTEST_SKIP() << "no python3 here that imports numpy (python3-numpy)";
  }
  static std::unique_ptr<Plugin>& plugin() {
    static std::unique_ptr<Plugin> opened;
    return opened;
  }
  static Implementation& function(const std::string& name) { return *plugin()->find(name); }
};

/// Rows with gamma and beta of their own.
Case affine_case(DType dtype, std::vector<std::int64_t> shape, int norm_ndim) {
  Case c = drawn_case(dtype, 1, Tensor(dtype, shape).size(), 2);
  c.x.shape = shape;
  c.norm_ndim = norm_ndim;
  const std::vector<std::int64_t> tail(shape.end() - norm_ndim, shape.end());
  for (auto* parameter : {&c.gamma, &c.beta}) {
    parameter->emplace(dtype, tail);
    for (std::int64_t i = 0; i < (*parameter)->size(); ++i)
      (*parameter)->set_value(i, 0.5 + static_cast<double>(i % 7) / 4);
  }
  return c;
}

TEST_F(OverNumPy, ARightOneIsRightInEveryDTypeAndLayout) {
  const std::pair<std::vector<std::int64_t>, int> shapes[] = {
      {{5, 16}, 1}, {{7}, 1}, {{2, 3, 4}, 2}, {{3, 1}, 1}, {{0, 4}, 1}, {{3, 0}, 1}, {{2, 300}, 1}};
  std::size_t judged = 0, declined = 0;
  for (const std::string name : {"right", "told_ndim", "told_shape", "statistics", "writes_out", "two_dims",
                                 "bits", "Layer", "LastDim"}) {
    Implementation& norm = function(name);
    for (const DType dtype : norm.dtypes) {
      for (const auto& [shape, norm_ndim] : shapes) {
        const Case c = affine_case(dtype, shape, norm_ndim);
        for (const Layout layout : layouts) {
          const Wanted wanted{name == "statistics" && norm_ndim == 1, name == "statistics"};
          const Observation seen = norm.run(c, wanted, layout);
          const auto what = fmt::format("{} {} {} {}: {}", name, dtype_name(dtype), shape_text(shape),
                                        layout_name(layout), seen.message);
          EXPECT_EQ(fmt::format("{}", fmt::join(seen.faults, "; ")), "") << what;
          if (seen.status == Status::unsupported) {
            EXPECT_NE(seen.message.find("strides"), std::string::npos) << what;
            EXPECT_TRUE(norm_ndim > 1 || name == "two_dims") << what;
            ++declined;
            continue;
          }
          ASSERT_EQ(seen.status, Status::ok) << what;
          if (c.x.size() > 0) {
            EXPECT_EQ(verdict_name(judge(c, seen, Contract{}).verdict), "PASS") << what;
          }
          ++judged;
        }
      }
    }
  }
  EXPECT_LT(declined * 10, judged);
  EXPECT_EQ(function("right").version, "1.2");
  EXPECT_EQ(function("right").claims, "deterministic=yes");
  fmt::print("{} calls judged, {} declined for their strides\n", judged, declined);
}

struct Expected {
  std::string what;
  Status status;
  std::string words;
};

TEST_F(OverNumPy, WhatAFunctionDoesIsSaid) {
  const std::vector<Expected> faults = {
      {"loud", Status::ok, ""},
      {"in_place", Status::ok, "changed its input x"},
      {"one_column", Status::failed, "returned y of shape [3, 1]; expected [3, 8]"},
      {"double", Status::failed, "returned y of dtype float64; expected that of x, float32"},
      {"nothing", Status::failed, "returned nothing (None) as y; expected a NumPy array"},
      {"plain_list", Status::failed, "returned a list as y; expected a NumPy array"},
      {"pair", Status::failed, "returned 2 values; expected y, or (y, mean, rstd)"},
      {"raises", Status::failed, "KeyError: 3 (norms.py line "},
      {"leaves", Status::failed, "SystemExit: 5 (norms.py line "},
      {"cannot", Status::unsupported, "no such thing here"},
      {"dies", Status::crash, "exit 6"},
      {"crashes", Status::crash, "signal 11 (segmentation fault)"}};
  const Case c = drawn_case(DType::f32, 3, 8, 2);
  for (const Expected& e : faults) {
    const Observation seen = function(e.what).run(c, {});
    const std::string words = seen.message + fmt::format("{}", fmt::join(seen.faults, "; "));
    EXPECT_EQ(seen.status, e.status) << e.what << ": " << words;
    EXPECT_NE(words.find(e.words), std::string::npos) << e.what << ": " << words;
  }
  for (const std::string name : {"divisor", "wrong_mean"}) {
    const Observation seen = function(name).run(c, {name == "wrong_mean", false});
    ASSERT_EQ(seen.status, Status::ok) << name << ": " << seen.message;
    EXPECT_EQ(verdict_name(judge(c, seen, Contract{}).verdict), "FAIL") << name;
  }
  EXPECT_EQ(function("right").run(c, {}).status, Status::ok) << "it is started again";
  fmt::print("{} functions, each told apart\n", faults.size() + 2);
}

// stats=x: mean and rstd of halves are asked for, and judged, in x's dtype.
TEST_F(OverNumPy, StatisticsMayComeInXsDtypeWhereThatIsClaimed) {
  Implementation& kernel = function("half_statistics");
  kernel.statistics_as_x = true;
  const Contract claimed = parse_contract("stats=x", nullptr);
  const Case c = drawn_case(DType::f16, 3, 8, 2);
  Observation seen = kernel.run(c, {true, true});
  ASSERT_EQ(seen.status, Status::ok) << seen.message;
  EXPECT_EQ(seen.mean->dtype, DType::f16);
  EXPECT_EQ(verdict_name(judge(c, seen, claimed).verdict), "PASS") << judge(c, seen, claimed).reason;
  EXPECT_EQ(verdict_name(judge(c, seen, Contract{}).verdict), "FAIL") << "f32 is what is asked for else";
  for (auto* statistic : {&seen.mean, &seen.rstd}) {
    const std::uint64_t right = (*statistic)->bits(1);
    (*statistic)->set_bits(1, right + 3);
    EXPECT_EQ(verdict_name(judge(c, seen, claimed).verdict), "FAIL") << "off by 3 ulp";
    (*statistic)->set_bits(1, right);
  }
  kernel.statistics_as_x = false;
  EXPECT_EQ(kernel.run(c, {true, true}).status, Status::unsupported) << "f16 where f32 is asked for";
  fmt::print("f16 mean and rstd under stats=x; moved by 3 ulp: caught\n");
}

TEST_F(OverNumPy, WhatIsNotOfferedIsUnsupported) {
  Case c = drawn_case(DType::f32, 3, 8, 2);
  EXPECT_EQ(function("right").run(c, {true, true}).message, "no mean and rstd");
  c.eps = 1e-5;
  EXPECT_EQ(function("one_eps").run(c, {}).status, Status::ok);
  c.eps = 1e-3;
  EXPECT_EQ(function("one_eps").run(c, {}).message, "eps is 1e-05 alone");
  Case half = affine_case(DType::f16, {3, 8}, 1);
  EXPECT_EQ(function("own_gamma").run(half, {}).status, Status::ok);
  for (auto* parameter : {&half.gamma, &half.beta}) *parameter = Tensor(DType::f32, {8});
  EXPECT_EQ(function("own_gamma").run(half, {}).message, "gamma is f32 where x is f16");
  EXPECT_EQ(function("right").run(half, {}).status, Status::ok);
  EXPECT_EQ(function("says_so_as_torch_does").run(c, {}).status, Status::unsupported);
  std::vector<std::string> said;
  for (const std::int64_t n : {4, 5, 6, 4, 4})
    said.push_back(function("budget").run(drawn_case(DType::f32, 2, n, 0), {}).message);
  EXPECT_EQ(said, (std::vector<std::string>{"", "", "2 shapes with f32 are used up, of its max_shapes", "",
                                            "3 calls with f32 are used up, of its max_calls"}));
}

TEST_F(OverNumPy, TheSharedMemoryGrowsUnderIt) {
  Implementation& norm = function("right");
  for (const std::int64_t rows : {3, 400, 3, 2000, 3}) {
    const Case c = drawn_case(DType::f32, rows, 300, 2);
    const Observation seen = norm.run(c, {});
    ASSERT_EQ(seen.status, Status::ok) << rows << ": " << seen.message;
    if (rows == 3) EXPECT_EQ(verdict_name(judge(c, seen, {}).verdict), "PASS");
  }
}

TEST_F(OverNumPy, ACallToBeRefusedReachesTheFunction) {
  Case eps = drawn_case(DType::f32, 3, 8, 2), one = eps, none = eps;
  eps.eps = -1;
  one.gamma = Tensor(DType::f32, {1});
  none.norm_ndim = 0;
  Implementation& norm = function("refuses_too_little");
  norm.ask_refusals = true;
  EXPECT_EQ(norm.run(eps, {}).status, Status::invalid);
  EXPECT_EQ(norm.run(none, {}).status, Status::invalid);
  EXPECT_EQ(norm.run(one, {}).status, Status::ok) << "NumPy broadcasts: that is a fault of the function";
}

TEST_F(OverNumPy, ACallIsCheap) {
  const Case c = drawn_case(DType::f32, 8, 1024, 2);
  std::vector<double> took;
  for (int i = 0; i < 300; ++i) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(function("right").run(c, {}).status, Status::ok);
    took.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(took.begin(), took.end());
  fmt::print("8x1024 f32 through Python over NumPy: {:.0f} us (median of {}), {:.0f} at least\n",
             1e6 * took[took.size() / 2], took.size(), 1e6 * took.front());
  EXPECT_LT(took.front(), 2e-3) << "250 us on an idle machine";
}

TEST(Python, NeedsNothingButItsStandardLibrary) {
  if (python_with("json").empty()) GTEST_SKIP() << "no python3 here";
  const std::string text = R"(from normcheck_worker import layer_norm
@layer_norm(arrays='list', as_rows=True)
def norm(x, gamma, beta, eps):
    y = []
    for row in x:
        mean = sum(row) / len(row)
        rstd = (sum((v - mean) ** 2 for v in row) / len(row) + eps) ** -{}
        y.append([(v - mean) * rstd * (gamma[i] if gamma else 1) + (beta[i] if beta else 0)
                  for i, v in enumerate(row)])
    return y
)";
  const std::string right = program("plain.py", fmt::format(fmt::runtime(text), "0.5"));
  const std::string wrong = program("wrong.py", fmt::format(fmt::runtime(text), "0.499"));
  const std::string python = python_with("json");
  const Told good = check(python + " " + right, "--dtype f16,f32,f64");
  EXPECT_EQ(good.code, 0) << good.out << good.err;
  EXPECT_NE(good.out.find("memory=copy"), std::string::npos) << good.out;
  EXPECT_EQ(check(python + " " + wrong, "--dtype f16,f32,f64").code, 1);
}

TEST(Python, WhatKeepsItFromStartingIsOneLineThatSaysWhatToDo) {
  const std::string python = python_with("json");
  if (python.empty()) GTEST_SKIP() << "no python3 here";
  const std::string begin = "from normcheck_worker import layer_norm\n";
  const std::string norm = "@layer_norm(arrays='list')\ndef norm(x, gamma, beta, eps): return x\n";
  const std::vector<std::pair<std::string, std::vector<std::string>>> files = {
      {"import no_such_module\n" + begin + norm,
       {"No module named 'no_such_module' (", " line 1)", "-m pip install no_such_module"}},
      {begin + "import no_such_module\n" + norm,
       {"No module named 'no_such_module' (", " line 2)", "-m pip install no_such_module"}},
      {"import normcheck_workers\n", {"No module named 'normcheck_workers'", "normcheck new-plugin"}},
      {begin + norm + "x = = 1\n", {"SyntaxError", " line 4)"}},
      {begin + norm + "1 / 0\n", {"ZeroDivisionError", " line 4)"}},
      {begin + norm + "raise SystemExit(4)\n", {"SystemExit: 4", " line 4)"}},
      {begin, {"no function is decorated with @layer_norm"}},
      {begin + norm + norm, {"two functions are named 'norm'"}},
      {begin + "@layer_norm(arrays='list')\ndef norm(x): return x\n", {"norm(x): expected norm(x, gamma"}},
      {begin + "@layer_norm(arrays='list')\ndef norm(x, gamma, beta): return x\n",
       {"norm(x, gamma, beta): expected", "@layer_norm(eps=1e-5)"}},
      {begin + "@layer_norm\nclass Norm: pass\n",
       {"class Norm: expected one made by (normalized_shape, eps)"}},
      {begin + "@layer_norm(colour='red')\ndef norm(x, g, b, eps): return x\n", {"unknown option 'colour'"}},
      {begin + "@layer_norm(arrays='list', dtypes=['bf16'])\ndef norm(x, g, b, eps): return x\n",
       {"dtype 'bf16'; a list of floats has f32, f64, f16"}},
      {"pass\n", {"exit 0 before it said hello"}}};
  int number = 0;
  for (const auto& [text, words] : files) {
    const std::string name = fmt::format("starts{}.py", number++);
    const Told told = check(python + " " + program(name, text), "--dtype f32");
    EXPECT_EQ(told.code, 3) << text << told.out << told.err;
    EXPECT_TRUE(is_one_line(told.err)) << told.err;
    for (const std::string& word : words)
      EXPECT_NE(told.err.find(word), std::string::npos) << word << '\n' << told.err;
  }
  fmt::print("{} files that cannot be loaded\n", files.size());
}

TEST(Python, AModuleThatDefinesTheFunctionWillDo) {
  const std::string python = python_with("json");
  if (python.empty()) GTEST_SKIP() << "no python3 here";
  program("elsewhere.py",
          "from normcheck_worker import layer_norm\n@layer_norm(arrays='list', name='there')\n"
          "def norm(x, gamma, beta, eps): return later(x)\ndef later(x): return x\n");
  const std::string main = program("imports.py", "import elsewhere\n");
  const auto plugin = Plugin::open_program({python, main}, options());
  EXPECT_NE(plugin->find("there"), nullptr);
  EXPECT_EQ(plugin->implementations().front().run(drawn_case(DType::f32, 2, 4, 0), {}).status, Status::ok);
  const Told alone = type(fmt::format("PYTHONPATH={}/impl/plugin/python PYTHONDONTWRITEBYTECODE=1 {} {}",
                                      NORMCHECK_SOURCE_DIR, python, main));
  EXPECT_EQ(alone.code, 0) << "without normcheck it is a module like any other: " << alone.err;
}

TEST(Python, TheLastWordsOfAProgramAreFound) {
  EXPECT_EQ(last_words(""), "");
  EXPECT_EQ(last_words("one\ntwo \n\n"), "two ");
  EXPECT_EQ(last_words("Traceback\n  File \"/a/b.py\", line 12, in f\n    x\nKeyError: 'k'\n"),
            "KeyError: 'k' (b.py line 12)");
  EXPECT_EQ(last_words("  File \"\", line"), "  File \"\", line");
  EXPECT_NE(remedy("python3", "ModuleNotFoundError: No module named 'numpy.core'").find("python3-numpy"),
            std::string::npos);
  EXPECT_NE(remedy("./mine", "No module named 'cv2'").find("python3 -m pip install opencv"),
            std::string::npos);
  EXPECT_NE(remedy("python3", "OSError: failed to map segment").find("--memory"), std::string::npos);
  EXPECT_EQ(remedy("python3", "KeyError: 'k'"), "");
}

}  // namespace
}  // namespace normcheck
