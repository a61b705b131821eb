// The list of tests, and how each decides.
#include "reports/common_tests.h"

#include <algorithm>
#include <cmath>

#include "corpus/generate.h"
#include "impl/table.h"

namespace normcheck {
namespace {

using Rule = CommonCase::Rule;

constexpr std::uint64_t stream = 0x6f746865;  // "othe"

double normal(CounterRng& rng) { return rng.normal(); }
double uniform(CounterRng& rng) { return rng.uniform(); }

/// x of the shape by `draw`; gamma and beta by `affine`, or absent.
Case problem(DType dtype, std::vector<std::int64_t> shape, std::int64_t norm_ndim, double eps,
             double (*draw)(CounterRng&), double (*affine)(CounterRng&) = nullptr) {
  Case c;
  c.id = "common";
  c.norm_ndim = norm_ndim;
  c.eps = eps;
  CounterRng rng(1, stream + static_cast<std::uint64_t>(shape.back()));
  c.x = Tensor(dtype, std::move(shape));
  for (std::int64_t i = 0; i < c.x.size(); ++i) c.x.set_value(i, draw(rng));
  if (affine == nullptr) return c;
  c.gamma = c.beta = Tensor(dtype, normalized_shape(c));
  for (std::int64_t i = 0; i < c.gamma->size(); ++i) {
    c.gamma->set_value(i, affine(rng));
    c.beta->set_value(i, affine(rng));
  }
  return c;
}

struct Tolerance {
  double rtol, atol;
};
Tolerance torch_default(DType dtype) {
  if (dtype == DType::f16) return {1e-3, 1e-5};
  if (dtype == DType::bf16) return {1.6e-2, 1e-5};
  if (dtype == DType::f64) return {1e-7, 1e-7};
  return {1.3e-6, 1e-5};
}
CommonCase close(Case c, Tolerance t) { return {std::move(c), Rule::close, t.rtol, t.atol}; }

std::vector<CommonCase> assert_close_plain(DType d) {
  return {close(problem(d, {8, 1024}, 1, 1e-5, normal), torch_default(d)),
          close(problem(d, {4, 256}, 1, 1e-5, normal), torch_default(d))};
}
std::vector<CommonCase> assert_close_odd(DType d) {
  return {close(problem(d, {3, 5, 77}, 1, 1e-5, normal, normal), torch_default(d)),
          close(problem(d, {7, 1023}, 1, 1e-5, normal, normal), torch_default(d)),
          close(problem(d, {2, 3, 17, 33}, 2, 1e-5, normal, normal), torch_default(d)),
          close(problem(d, {5, 3, 4, 6}, 3, 1e-5, normal, normal), torch_default(d))};
}

std::vector<CommonCase> torch_numeric(DType d) {
  if (d != DType::f32) return {};
  return {close(problem(d, {2, 256, 256, 144}, 3, 1e-5, uniform), {0, 1e-5})};
}
std::vector<CommonCase> torch_general(DType d) {
  const double atol = d == DType::bf16 ? 1e-1 : 1e-5;
  std::vector<CommonCase> out;
  if (d == DType::f16) return out;  // on a device alone
  const std::vector<std::int64_t> shapes[] = {{4, 5}, {3, 5, 4}, {5, 3, 4, 3}, {3, 4, 5, 3, 4}};
  for (const auto& shape : shapes) {
    const auto dims = static_cast<std::int64_t>(shape.size()) / 2;
    Case c = problem(d, shape, dims, 0, [](CounterRng& rng) { return 10 * rng.uniform(); });
    for (const bool affine : {false, true}) {
      CommonCase test{c, Rule::moments, 0, atol};
      if (affine) {
        test.scale = 1.25;
        test.shift = 0.75;
      }
      test.problem.gamma = test.problem.beta = Tensor(d, normalized_shape(c));
      for (std::int64_t i = 0; i < test.problem.gamma->size(); ++i) {
        test.problem.gamma->set_value(i, test.scale);
        test.problem.beta->set_value(i, test.shift);
      }
      out.push_back(std::move(test));
    }
  }
  return out;
}

std::vector<CommonCase> onnx_backend(DType d) {
  if (d != DType::f32) return {};
  std::vector<CommonCase> out;
  const std::vector<std::int64_t> shapes[] = {{3, 4}, {2, 3, 5}, {2, 3, 4, 5}};
  for (const auto& shape : shapes) {
    for (std::int64_t k = 1; k <= static_cast<std::int64_t>(shape.size()); ++k)
      out.push_back(
          close(problem(d, shape, k, shape.size() == 3 ? 0.1 : 1e-5, normal, normal), {1e-3, 1e-7}));
  }
  return out;
}
std::vector<CommonCase> onnxruntime(DType d) {
  const Tolerance t = d == DType::f16    ? Tolerance{1e-3, 2.5e-3}
                      : d == DType::bf16 ? Tolerance{1e-2, 2e-2}
                      : d == DType::f64  ? Tolerance{1e-5, 1e-6}
                                         : Tolerance{1e-4, 1e-5};
  const auto wide = [](CounterRng& rng) { return 20 * rng.uniform() - 10; };
  return {close(problem(d, {4, 20, 128}, 1, 1e-5, wide, wide), t),
          close(problem(d, {2, 2, 3, 4}, 2, 1e-5, uniform, uniform), t),
          close(problem(d, {1, 3, 2}, 1, 1e-5, uniform, uniform), t)};
}
std::vector<CommonCase> jax_default(DType d) {
  if (d == DType::f64) return {};
  const double t = d == DType::f32 ? 1e-6 : d == DType::f16 ? 1e-3 : 1e-2;
  return {close(problem(d, {2, 384, 192}, 1, 1e-5, normal, normal),
                d == DType::f32 ? Tolerance{1e-7, 1e-5} : Tolerance{t, t})};
}
std::vector<CommonCase> keras(DType d) {
  if (d != DType::f32) return {};
  Case shifted = problem(d, {10, 10, 10}, 1, 1e-3, [](CounterRng& rng) { return 5 + 10 * rng.normal(); });
  Case counted = problem(d, {1, 5}, 1, 1e-3, uniform);
  for (std::int64_t i = 0; i < 5; ++i) counted.x.set_value(i, static_cast<double>(i));
  return {{std::move(shifted), Rule::moments, 0, 1e-1}, close(std::move(counted), {1e-6, 1e-6})};
}
std::vector<CommonCase> apex(DType d) {
  if (d == DType::f64) return {};
  const Tolerance t = d == DType::bf16 ? Tolerance{1.6e-2, 3e-4} : torch_default(d);
  return {close(problem(d, {16, 32, 16}, 2, 1e-5, normal, [](CounterRng&) { return 1.0; }), t)};
}
std::vector<CommonCase> transformer_engine(DType d) {
  if (d == DType::f64) return {};
  const Tolerance t = d == DType::f16    ? Tolerance{1e-3, 1e-5}
                      : d == DType::bf16 ? Tolerance{1e-2, 1e-5}
                                         : Tolerance{5e-6, 5e-7};
  const auto draw = [](CounterRng& rng) { return 3 * rng.uniform() - 2; };
  std::vector<CommonCase> out;
  const std::vector<std::int64_t> shapes[] = {{71, 229}, {29, 541}, {64, 2304}};
  for (const auto& shape : shapes)
    out.push_back({problem(d, shape, 1, 1e-5, draw, draw), Rule::own_statistics, t.rtol, t.atol});
  return out;
}
std::vector<CommonCase> liger(DType d) {
  if (d != DType::f32) return {};
  std::vector<CommonCase> out;
  const std::vector<std::int64_t> shapes[] = {{2, 8, 64}, {4, 16, 128}, {1, 1, 1023}, {3, 7, 256}};
  for (const auto& shape : shapes)
    out.push_back(close(problem(d, shape, 1, 1e-6, normal, normal), {1e-5, 1e-5}));
  return out;
}
std::vector<CommonCase> triton(DType d) {
  if (d != DType::f16) return {};
  return {
      close(problem(
                d, {24, 8192}, 1, 1e-5, [](CounterRng& rng) { return -2.3 + 0.5 * rng.normal(); }, uniform),
            {0, 1e-2})};
}
/// x = m(1 +- f): mean and variance are exact whatever the order.
std::vector<CommonCase> benchdnn(DType d) {
  if (d == DType::f64) return {};
  const int digits = d == DType::f32 ? 24 : d == DType::f16 ? 11 : 8;
  std::vector<CommonCase> out;
  for (const std::int64_t n : {16, 128, 768, 1024}) {
    Case c = problem(d, {4, 8, n}, 1, 0.0625, uniform,
                     [](CounterRng& rng) { return std::ldexp(1.0, static_cast<int>(rng.between(-3, 3))); });
    CounterRng rng(1, stream);
    for (std::int64_t i = 0; i < c.x.size(); ++i) {
      const double m = std::ldexp(1.0, static_cast<int>(i / n % 4) - 1);
      c.x.set_value(i, m * (1 + (i % 2 == 0 ? 0.25 : -0.25)));
    }
    for (std::int64_t i = 0; i < n; ++i) c.beta->set_value(i, static_cast<double>(rng.between(-8, 8)) / 8);
    out.push_back(
        close(std::move(c), {5e-7 * std::ldexp(1.0, 24 - digits), 5e-7 * std::ldexp(1.0, 24 - digits)}));
  }
  return out;
}
std::vector<CommonCase> twice_reference(DType d) {
  std::vector<CommonCase> out;
  const double atol = d == DType::f16 ? 1e-2 : d == DType::bf16 ? 5e-2 : 1e-4;
  for (const std::int64_t n : {192, 2048, 2560, 3000, 8192})
    out.push_back({problem(d, {8, 2, n}, 1, 1e-6, normal, normal), Rule::twice, 0, atol});
  return out;
}
std::vector<CommonCase> without_kappa(DType d) {
  std::vector<CommonCase> out;
  for (const std::int64_t n : {64, 257, 1024, 4096})
    out.push_back({problem(d, {4, n}, 1, 1e-5, normal, normal), Rule::counted});
  return out;
}

constexpr CommonTest listed[] = {
    {"assert_close", "randn (8,1024), (4,256), no affine; torch's default tolerances by dtype",
     "https://github.com/pytorch/pytorch/blob/main/torch/testing/_comparison.py", assert_close_plain},
    {"assert_close, odd shapes",
     "randn, random affine, (3,5,77), (7,1023), 2 and 3 normalized dims; likewise",
     "https://github.com/pytorch/pytorch/blob/main/torch/testing/_comparison.py", assert_close_odd},
    {"torch numeric", "U(0,1), (2,256,256,144) over 3 dims, f32; atol 1e-5",
     "https://github.com/pytorch/pytorch/blob/main/test/test_nn.py", torch_numeric, true},
    {"torch general", "U(0,10), 3 to 5 per dim, eps 0; mean and variance of y within 1e-5 (bf16 1e-1)",
     "https://github.com/pytorch/pytorch/blob/main/test/test_nn.py", torch_general},
    {"ONNX", "randn, 2 to 4 dims, every axis; rtol 1e-3, atol 1e-7",
     "https://github.com/onnx/onnx/blob/main/onnx/backend/test/case/node/layernormalization.py",
     onnx_backend},
    {"ONNX Runtime", "U(-10,10) and U(0,1); f32 1e-4/1e-5, f16 1e-3/2.5e-3",
     "https://github.com/microsoft/onnxruntime/blob/main/onnxruntime/test/providers/checkers.cc",
     onnxruntime},
    {"JAX", "randn (2,384,192); f32 1e-7/1e-5, else the default by dtype",
     "https://github.com/jax-ml/jax/blob/main/tests/pallas/gpu_ops_test.py", jax_default},
    {"Keras", "N(5,10): mean and std within 1e-1; arange(5): 1e-6",
     "https://github.com/keras-team/keras/blob/master/keras/src/layers/normalization/"
     "layer_normalization_test.py",
     keras},
    {"Apex", "randn (16,32,16) over 2 dims; torch's defaults, bf16 1.6e-2/3e-4",
     "https://github.com/NVIDIA/apex/blob/master/tests/L0/run_fused_layer_norm/test_fused_layer_norm.py",
     apex},
    {"TransformerEngine",
     "U(-2,1), odd and large widths; f32 5e-6/5e-7, f16 1e-3/1e-5, bf16 1e-2/1e-5; "
     "y is compared with what the kernel's own statistics give, and those to 5e-5",
     "https://github.com/NVIDIA/TransformerEngine/blob/main/tests/cpp/operator/test_normalization.cu",
     transformer_engine},
    {"Liger", "randn, widths 64 to 1023, f32; 1e-5/1e-5",
     "https://github.com/linkedin/Liger-Kernel/blob/main/test/transformers/test_layer_norm.py", liger},
    {"Triton tutorial", "N(-2.3,0.5), n 8192, f16; atol 1e-2",
     "https://github.com/triton-lang/triton/blob/main/python/tutorials/05-layer-norm.py", triton},
    {"benchdnn",
     "x = m(1+-f), so that statistics are exact; 5e-7 scaled to the digits of the dtype, eps 1/16",
     "https://github.com/oneapi-src/oneDNN/blob/main/tests/benchdnn/lnorm/lnorm.cpp", benchdnn},
    {"twice the reference",
     "randn, widths 192 to 8192; error at most 2 times that of a plain kernel, and atol "
     "1e-4 (f16 1e-2, bf16 5e-2)",
     "https://github.com/Dao-AILab/flash-attention/blob/main/tests/ops/triton/test_layer_norm.py",
     twice_reference},
    {"a bound without kappa",
     "randn, widths 64 to 4096; (n+4) u (|gamma*x_hat|+|beta|), in the manner of hipDNN",
     "https://github.com/ROCm/hipDNN", without_kappa},
};

/// mean and biased variance of a row of y, in double.
std::pair<double, double> moments_of(const Tensor& y, std::int64_t row, std::int64_t n) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += y.value(row * n + i);
  const double mean = sum / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i)
    squares += (y.value(row * n + i) - mean) * (y.value(row * n + i) - mean);
  return {mean, squares / static_cast<double>(n)};
}

/// y of a row in long double, which is far nearer to the truth than any of these tests looks.
std::vector<double> wanted(const Case& c, std::int64_t row) {
  const std::int64_t n = row_length(c);
  long double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += c.x.value(row * n + i);
  const long double mean = sum / static_cast<long double>(n);
  for (std::int64_t i = 0; i < n; ++i)
    squares += (c.x.value(row * n + i) - mean) * (c.x.value(row * n + i) - mean);
  const long double r = 1 / std::sqrt(squares / static_cast<long double>(n) + c.eps);
  std::vector<double> out;
  for (std::int64_t i = 0; i < n; ++i) {
    const long double x_hat = (c.x.value(row * n + i) - mean) * r;
    out.push_back(
        static_cast<double>(x_hat * (c.gamma ? c.gamma->value(i) : 1.0) + (c.beta ? c.beta->value(i) : 0.0)));
  }
  return out;
}

bool fails_moments(const CommonCase& test, const Tensor& y) {
  const std::int64_t rows = row_count(test.problem), n = row_length(test.problem);
  double means = 0, variances = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto [mean, variance] = moments_of(y, r, n);
    means += std::fabs(mean);
    variances += std::fabs(variance);
  }
  const auto of = static_cast<double>(rows);
  const auto near = [&](double got, double want) { return std::fabs(got - want) <= test.atol; };
  return !(near(means / of, std::fabs(test.shift)) && near(variances / of, test.scale * test.scale));
}

/// What y is to be by the statistics that came with it; and whether those are right enough.
bool fails_own_statistics(const CommonCase& test, const Observation& observed) {
  const Case& c = test.problem;
  const std::int64_t n = row_length(c);
  if (!observed.mean || !observed.rstd) return true;
  const auto near = [](double got, double want, double rtol, double atol) {
    return std::fabs(got - want) <= atol + rtol * std::fabs(want);
  };
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    const double mean = observed.mean->value(r), rstd = observed.rstd->value(r);
    const auto [exact_mean, exact_variance] = moments_of(c.x, r, n);
    if (!near(mean, exact_mean, 5e-5, 1e-6) || !near(rstd, 1 / std::sqrt(exact_variance + c.eps), 5e-5, 1e-6))
      return true;
    for (std::int64_t i = 0; i < n; ++i) {
      const double want = (c.x.value(r * n + i) - mean) * rstd * c.gamma->value(i) + c.beta->value(i);
      if (!near(observed.y.value(r * n + i), to_double(c.x.dtype, round_to(c.x.dtype, want)), test.rtol,
                test.atol))
        return true;
    }
  }
  return false;
}

}  // namespace

std::span<const CommonTest> common_tests() { return listed; }

void prepare(CommonCase& test) {
  const Case& c = test.problem;
  if (test.rule == Rule::moments || test.rule == Rule::own_statistics) return;
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    const std::vector<double> row = wanted(c, r);
    test.want.insert(test.want.end(), row.begin(), row.end());
  }
  if (test.rule == Rule::twice)
    test.reference = run_case(*find_row(c.x.dtype == DType::f64 ? "two_pass/f64" : "two_pass/f32"), c).y;
}

bool fails(const CommonCase& test, const Observation& observed) {
  const Case& c = test.problem;
  if (observed.status != Status::ok || observed.y.size() != c.x.size()) return true;
  if (test.rule == Rule::moments) return fails_moments(test, observed.y);
  if (test.rule == Rule::own_statistics) return fails_own_statistics(test, observed);
  const std::int64_t n = row_length(c);
  const double u = std::ldexp(1.0, c.x.dtype == DType::f64 ? -53 : -24);
  double largest = 0, of_reference = 0;
  for (std::int64_t r = 0; r < row_count(c); ++r) {
    for (std::int64_t i = 0; i < n; ++i) {
      const double exact = test.want[static_cast<std::size_t>(r * n + i)], got = observed.y.value(r * n + i);
      if (!std::isfinite(got)) return true;
      if (test.rule == Rule::close) {
        const double rounded = to_double(c.x.dtype, round_to(c.x.dtype, exact));
        if (std::fabs(got - rounded) > test.atol + test.rtol * std::fabs(rounded)) return true;
      } else if (test.rule == Rule::twice) {
        largest = std::max(largest, std::fabs(got - exact));
        of_reference = std::max(of_reference, std::fabs(test.reference.value(r * n + i) - exact));
      } else {
        const double beta = c.beta ? std::fabs(c.beta->value(i)) : 0;
        const double half_ulp = std::ldexp(std::fabs(exact), -format_of(c.x.dtype).precision);
        const double scaled = std::fabs(exact - (c.beta ? c.beta->value(i) : 0));
        if (std::fabs(got - exact) > static_cast<double>(n + 4) * u * (scaled + beta) + 2 * half_ulp)
          return true;
      }
    }
  }
  return test.rule == Rule::twice && largest > 2 * of_reference + test.atol;
}

}  // namespace normcheck
