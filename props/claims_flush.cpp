// The claim that subnormal numbers may be taken as 0: kernels that do keep the wider bound, and those that
// lose more than that are seen.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "corpus/generate.h"
#include "oracles/contract.h"
#include "oracles/judge.h"
#include "props/promise.h"

namespace normcheck {
namespace {

constexpr float smallest = std::numeric_limits<float>::min();

/// f32 that takes every number below `limit` as 0: as the result of an operation, and as its operand.
struct Flushing {
  float limit = smallest;
  bool inputs = true, results = true;
  float read(float v) const { return inputs && std::fabs(v) < limit ? 0 : v; }
  float give(float v) const { return results && std::fabs(v) < limit ? 0 : v; }
  float add(float a, float b) const { return give(read(a) + read(b)); }
  float times(float a, float b) const { return give(read(a) * read(b)); }
  float over(float a, float b) const { return give(read(a) / read(b)); }
};

struct Moments {
  float mean = 0, variance = 0;
};
Moments by_two_passes(const Flushing& f, const std::vector<float>& x) {
  const auto n = static_cast<float>(x.size());
  float sum = 0, squares = 0;
  for (const float v : x) sum = f.add(sum, v);
  const float mean = f.over(sum, n);
  for (const float v : x) squares = f.add(squares, f.times(f.add(v, -mean), f.add(v, -mean)));
  return {mean, f.over(squares, n)};
}
Moments by_welford(const Flushing& f, const std::vector<float>& x) {
  float mean = 0, squares = 0, k = 0;
  for (const float v : x) {
    k += 1;
    const float d = f.add(v, -mean);
    mean = f.add(mean, f.over(d, k));
    squares = f.add(squares, f.times(d, f.add(v, -mean)));
  }
  return {mean, f.over(squares, k)};
}

enum class Form { direct, folded, half_folded };

Observation run(const Flushing& f, bool welford, Form form, const Case& c) {
  Observation o;
  o.y = Tensor(c.x.dtype, c.x.shape);
  o.mean = Tensor(DType::f32, statistics_shape(c));
  o.rstd = o.mean;
  const std::int64_t n = row_length(c);
  // Of the type that is stored, where it is narrower.
  const auto limit = c.x.dtype == DType::f16 ? std::ldexp(1.0F, format_of(DType::f16).emin) : 0.0F;
  const auto kept = [limit](bool flushes, float v) { return flushes && std::fabs(v) < limit ? 0.0F : v; };
  for (std::int64_t row = 0; row < row_count(c); ++row) {
    std::vector<float> x;
    for (std::int64_t i = 0; i < n; ++i)
      x.push_back(kept(f.inputs, static_cast<float>(c.x.value(row * n + i))));
    const Moments m = welford ? by_welford(f, x) : by_two_passes(f, x);
    const float w = f.add(m.variance, static_cast<float>(c.eps)), r = f.over(1, std::sqrt(f.read(w)));
    o.mean->set_value(row, static_cast<double>(m.mean));
    o.rstd->set_value(row, static_cast<double>(r));
    for (std::int64_t i = 0; i < n; ++i) {
      const float g = c.gamma ? static_cast<float>(c.gamma->value(i)) : 1,
                  b = c.beta ? static_cast<float>(c.beta->value(i)) : 0, v = x[static_cast<std::size_t>(i)],
                  a = f.times(g, r);
      const float y = form == Form::direct ? f.add(f.times(f.times(f.add(v, -m.mean), r), g), b)
                      : form == Form::folded
                          ? f.add(f.times(v, a), f.add(b, -f.times(a, m.mean)))
                          : f.add(f.times(f.add(f.times(v, r), -f.times(m.mean, r)), g), b);
      o.y.set_value(row * n + i, static_cast<double>(kept(f.results, y)));
    }
  }
  return o;
}

/// Numbers around `size`, of either sign, some of them 0.
Tensor around(DType dtype, std::vector<std::int64_t> shape, double size, CounterRng& rng) {
  Tensor out(dtype, std::move(shape));
  for (std::int64_t i = 0; i < out.size(); ++i)
    out.set_value(i, rng.between(0, 8) == 0
                         ? 0
                         : std::ldexp(size * rng.normal(), static_cast<int>(rng.between(-4, 4))));
  return out;
}

/// Cases whose inputs, intermediates or results are subnormal, in the exponents that are given.
std::vector<Case> small_cases(DType dtype) {
  std::vector<Case> out;
  CounterRng rng(promise_seed(), 91);
  const double lowest = std::ldexp(1.0, format_of(dtype).emin);
  for (const double x : {lowest / 4, lowest * 2, lowest * 0x1p+6, 1.0, 0x1p+8}) {
    for (const double gamma : {0x1p-130, 0x1p-100, 1.0, 0x1p+60, 0x1p+100}) {
      for (const double beta : {0.0, 0x1p-129, 0x1p-40}) {
        for (const double eps : {1e-5, 0x1p-124, 0x1p-130, 1.0}) {
          Case c;
          c.eps = eps;
          const std::int64_t n = rng.between(1, 12);
          c.x = around(dtype, {3, n}, x, rng);
          c.gamma = around(DType::f32, {n}, gamma, rng);
          if (beta != 0) c.beta = around(DType::f32, {n}, beta, rng);
          if (rng.coin()) {
            for (std::int64_t i = 1; i < n; ++i) c.x.set_bits(i, c.x.bits(0));
          }
          out.push_back(c);
        }
      }
    }
  }
  return out;
}

TEST(Claims, OfFlushingAreKeptByKernelsThatFlush) {
  const Contract stable, flush = parse_contract("subnormals=flush", nullptr);
  std::int64_t judged = 0, proved = 0, beyond_stable = 0;
  std::vector<Case> cases;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    for (Case& c : small_cases(dtype)) cases.push_back(std::move(c));
  }
  for (const Case& c : cases) {
    for (const bool welford : {false, true}) {
      for (const Form form : {Form::direct, Form::folded, Form::half_folded}) {
        for (const auto& [inputs, results] :
             {std::pair(true, true), {true, false}, {false, true}, {false, false}}) {
          const Observation o = run({smallest, inputs, results}, welford, form, c);
          const Judgement j = judge(c, o, flush);
          EXPECT_NE(j.verdict, Verdict::fail) << j.reason << " " << inputs << results << welford;
          beyond_stable += judge(c, o, stable).verdict == Verdict::fail ? 1 : 0;
          judged += j.counts.elements;
          proved += j.counts.proved;
          if (!inputs && !results)
            EXPECT_NE(judge(c, o, stable).verdict, Verdict::fail) << "it does not flush";
        }
      }
    }
  }
  EXPECT_GT(beyond_stable, 100);
  EXPECT_GT(proved * 4, judged);
  fmt::print("{} elements, {} proved; {} cases of flushing kernels are outside stable\n", judged, proved,
             beyond_stable);
}

// What takes larger numbers as 0 is seen, and so is a wrong y where nothing is subnormal.
TEST(Claims, OfFlushingExcuseNothingElse) {
  const Contract flush = parse_contract("subnormals=flush", nullptr);
  Case c;
  c.x = Tensor(DType::f32, {1, 4});
  c.gamma = Tensor(DType::f32, {4});
  for (int i = 0; i < 4; ++i) {
    c.x.set_value(i, std::ldexp(1 + i, -108));
    c.gamma->set_value(i, 0x1p+60);
  }
  const Flushing right, more{0x1p-100F, true, true};
  for (const Form form : {Form::direct, Form::folded, Form::half_folded}) {
    EXPECT_EQ(judge(c, run(right, false, form, c), flush).verdict, Verdict::pass);
    EXPECT_EQ(judge(c, run(more, false, form, c), flush).verdict, Verdict::fail);
  }
  // A number that is flushed to 0, and one that is not small enough.
  Case result = c;
  for (int i = 0; i < 4; ++i) {
    result.x.set_value(i, i);
    result.gamma->set_value(i, i < 2 ? 0x1p-127 : 0x1p-120);
  }
  Observation o = run({smallest, false, false}, false, Form::direct, result);
  EXPECT_EQ(judge(result, o, {}).verdict, Verdict::pass);
  o.y.set_value(0, 0);
  EXPECT_EQ(judge(result, o, {}).verdict, Verdict::fail);
  EXPECT_EQ(judge(result, o, flush).verdict, Verdict::pass);
  EXPECT_EQ(judge(result, o, parse_contract("subnormals=flush;max_ulp=4", nullptr)).verdict, Verdict::pass);
  EXPECT_EQ(judge(result, o, parse_contract("max_ulp=4", nullptr)).verdict, Verdict::fail);
  o.y.set_value(3, 0);
  EXPECT_EQ(judge(result, o, flush).verdict, Verdict::fail);
  EXPECT_EQ(judge(result, o, parse_contract("subnormals=flush;max_ulp=4", nullptr)).verdict, Verdict::fail);
  fmt::print("numbers below 2^-100 lost, and 0 for a y of 2^-120: seen under subnormals=flush\n");
}

}  // namespace
}  // namespace normcheck
