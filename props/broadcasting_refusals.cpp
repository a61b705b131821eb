// What a layer norm refuses, by name; a wrong gamma or beta never broadcasts silently.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "impl/semantics.h"
#include "props/build_case.h"
#include "props/promise.h"

namespace normcheck {
namespace {

Case affine_case(const Shape& shape, std::int64_t norm_ndim) {
  CounterRng rng(promise_seed(), 25);
  Case c = case_of(normal_tensor(rng, DType::f32, shape, 3, 2), norm_ndim);
  c.gamma = normal_tensor(rng, DType::f32, normalized_shape(c), 1, 1);
  c.beta = normal_tensor(rng, DType::f32, normalized_shape(c), 0, 4);
  return c;
}
Case valid_case() { return affine_case({2, 3, 4}, 2); }

/// One way to break a valid call, and what the message must name.
struct Wrong {
  std::string what;
  void (*change)(Case&);
  std::vector<std::string> named;
};

const std::vector<Wrong>& wrongs() {
  static const std::vector<Wrong> all = {
      {"integer x (i32)",
       [](Case& c) { c.x = Tensor(DType::i32, c.x.shape); },
       {"x is i32", "f16, bf16, f32 or f64"}},
      {"integer x (i64)", [](Case& c) { c.x = Tensor(DType::i64, c.x.shape); }, {"x is i64"}},
      {"norm_ndim 0", [](Case& c) { c.norm_ndim = 0; }, {"norm_ndim is 0", "[2,3,4]"}},
      {"norm_ndim negative", [](Case& c) { c.norm_ndim = -1; }, {"norm_ndim is -1"}},
      {"norm_ndim above the rank", [](Case& c) { c.norm_ndim = 4; }, {"norm_ndim is 4", "1 to 3"}},
      {"x without dims", [](Case& c) { c.x = Tensor(DType::f32, {}); }, {"[]"}},
      {"another normalized shape",
       [](Case& c) {
         c.normalized = Shape{4, 3};
       },
       {"[4,3]", "[3,4]"}},
      {"a normalized shape of another rank", [](Case& c) { c.normalized = Shape{4}; }, {"[4]", "[3,4]"}},
      {"gamma transposed",
       [](Case& c) {
         c.gamma = Tensor(DType::f32, {4, 3});
       },
       {"gamma has shape [4,3]", "the normalized shape is [3,4]"}},
      {"gamma flat", [](Case& c) { c.gamma = Tensor(DType::f32, {12}); }, {"gamma has shape [12]", "[3,4]"}},
      {"gamma of x's shape",
       [](Case& c) {
         c.gamma = Tensor(DType::f32, {2, 3, 4});
       },
       {"[2,3,4]", "[3,4]"}},
      {"beta short by one",
       [](Case& c) {
         c.beta = Tensor(DType::f32, {3, 3});
       },
       {"beta has shape [3,3]"}},
      {"beta empty", [](Case& c) { c.beta = Tensor(DType::f32, {0}); }, {"beta has shape [0]"}},
      {"gamma f64 with f32 x",
       [](Case& c) { c.gamma = as_dtype(*c.gamma, DType::f64); },
       {"gamma is f64", "x is f32", "expected f32"}},
      {"gamma f16 with f32 x", [](Case& c) { c.gamma = as_dtype(*c.gamma, DType::f16); }, {"gamma is f16"}},
      {"beta bf16 with f16 x",
       [](Case& c) {
         c = as_dtype(c, DType::f16);
         c.beta = as_dtype(*c.beta, DType::bf16);
       },
       {"beta is bf16", "expected f16 or f32"}},
      {"beta i32", [](Case& c) { c.beta = Tensor(DType::i32, c.beta->shape); }, {"beta is i32"}},
      {"gamma f32 with f64 x",
       [](Case& c) {
         c = as_dtype(c, DType::f64);
         c.gamma = as_dtype(*c.gamma, DType::f32);
       },
       {"gamma is f32", "expected f64"}},
      {"eps negative", [](Case& c) { c.eps = -1e-5; }, {"eps is -1e-05"}},
      {"eps barely negative", [](Case& c) { c.eps = -5e-324; }, {"eps is -5e-324"}},
      {"eps NaN", [](Case& c) { c.eps = std::numeric_limits<double>::quiet_NaN(); }, {"eps is nan"}},
      {"eps infinite", [](Case& c) { c.eps = std::numeric_limits<double>::infinity(); }, {"eps is inf"}},
  };
  return all;
}

TEST(Broadcasting, EveryWrongCallIsRefusedByName) {
  int calls = 0;
  for (const Wrong& wrong : wrongs()) {
    Case c = valid_case();
    wrong.change(c);
    const auto why = refusal(c);
    ASSERT_TRUE(why.has_value()) << wrong.what;
    for (const std::string& part : wrong.named) {
      EXPECT_NE(why->find(part), std::string::npos) << wrong.what << ": \"" << *why << "\" lacks " << part;
    }
    for (const Row& row : table()) {
      const Observation out = run_case(row, c);
      EXPECT_EQ(out.status, Status::invalid) << row.name << " " << wrong.what;
      EXPECT_EQ(out.message, *why);
      ++calls;
    }
    fmt::print("refused: {:<36} {}\n", wrong.what, *why);
  }
  fmt::print("{} wrong calls, {} refusals\n", wrongs().size(), calls);
}

TEST(Broadcasting, AValidCallIsNotRefused) {
  EXPECT_EQ(refusal(valid_case()), std::nullopt);
  Case c = valid_case();
  c.normalized = Shape{3, 4};
  c.eps = -0.0;
  EXPECT_EQ(refusal(c), std::nullopt);
  c.gamma.reset();
  c.beta.reset();
  c.eps = 0;
  EXPECT_EQ(refusal(c), std::nullopt);
  Case half = as_dtype(valid_case(), DType::bf16);
  half.gamma = as_dtype(*half.gamma, DType::f32);
  EXPECT_EQ(refusal(half), std::nullopt);
  fmt::print("4 valid calls\n");
}

TEST(Broadcasting, ShapesAreCheckedBeforeEpsAndAlsoWhenXIsEmpty) {
  Case c = valid_case();
  c.eps = -1;
  c.gamma = Tensor(DType::f32, {4, 3});
  EXPECT_NE(refusal(c)->find("gamma"), std::string::npos);
  c.x = Tensor(DType::f32, {0, 3, 4});
  EXPECT_NE(refusal(c)->find("gamma"), std::string::npos);
  c.gamma.reset();
  EXPECT_NE(refusal(c)->find("eps"), std::string::npos);
  c.x = Tensor(DType::i64, {0, 3, 4});
  EXPECT_NE(refusal(c)->find("i64"), std::string::npos);
  fmt::print("4 calls with two faults or no rows\n");
}

/// All shapes that NumPy would broadcast to `to`: each extent kept or made 1, leading dims dropped or 1s put
/// before.
std::vector<Shape> broadcastable(const Shape& to) {
  std::vector<Shape> shapes;
  for (std::size_t skip = 0; skip <= to.size(); ++skip) {
    const std::size_t kept = to.size() - skip;
    for (std::size_t mask = 0; mask < (std::size_t{1} << kept); ++mask) {
      Shape s;
      for (std::size_t d = 0; d < kept; ++d) s.push_back((mask >> d & 1) != 0 ? 1 : to[skip + d]);
      shapes.push_back(s);
    }
  }
  Shape longer = to;
  longer.insert(longer.begin(), 1);
  shapes.push_back(longer);
  return shapes;
}

/// Shapes of gamma that are accepted though they are not the normalized shape.
int silent_broadcasts(const std::function<bool(const Case&)>& refuses, int& tried) {
  int silent = 0;
  const std::vector<std::pair<Shape, std::int64_t>> calls = {
      {{5}, 1},       {{4, 3}, 1},       {{3, 3}, 1},    {{2, 3, 4}, 1}, {{3, 3, 3}, 2}, {{2, 3, 4}, 2},
      {{2, 3, 4}, 3}, {{3, 3, 3, 3}, 3}, {{3, 1, 4}, 2}, {{1, 4}, 1},    {{4, 1}, 1},
  };
  for (const auto& [shape_of_x, norm_ndim] : calls) {
    const Case valid = affine_case(shape_of_x, norm_ndim);
    for (const Shape& shape : broadcastable(normalized_shape(valid))) {
      if (shape == normalized_shape(valid)) continue;
      for (const bool in_gamma : {true, false}) {
        Case c = valid;
        (in_gamma ? c.gamma : c.beta) = Tensor(DType::f32, shape);
        ++tried;
        silent += !refuses(c);
      }
    }
  }
  return silent;
}

TEST(Broadcasting, AWrongGammaNeverBroadcastsSilently) {
  int tried = 0;
  const Row& row = *find_row("two_pass/f32");
  EXPECT_EQ(
      silent_broadcasts([&](const Case& c) { return run_case(row, c).status == Status::invalid; }, tried), 0);
  // Planted: a check of the number of elements, the commonest shortcut.
  int ignored = 0;
  const int by_size = silent_broadcasts(
      [](const Case& c) {
        const std::int64_t n = row_length(c);
        return (c.gamma && n % c.gamma->size() != 0) || (c.beta && n % c.beta->size() != 0);
      },
      ignored);
  EXPECT_GT(by_size, 0);
  fmt::print("{} broadcastable shapes refused; planted: a check of sizes lets {} through\n", tried, by_size);
}

}  // namespace
}  // namespace normcheck
