// The paths: the filter by instruction set, the two oracles, Boost directly, and two plain kernels to compare
// with.
#include "oracles/bench/paths.h"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cstring>

#include "corpus/generate.h"
#include "oracles/bench/boost_two_pass.h"
#include "oracles/exact.h"
#include "oracles/filter_row.h"
#include "oracles/wide.h"

namespace normcheck::bench {
namespace {

template <filter::InstructionSet set>
void by_filter(Work& w) {
  const filter::Rows rows = filter::row_of(w.dtype, w.x.data(), w.got.data(), w.n, w.eps);
  filter::run(rows, {nullptr, w.error.data(), w.uncertainty.data()}, nullptr, set);
}

void by_exact(Work& w) {
  const ExactRow row(w.x_double.data(), w.n, w.eps);
  for (std::int64_t i = 0; i < w.n; ++i)
    w.error[static_cast<std::size_t>(i)] =
        row.y(i, 1, 0).error_ulp(w.dtype, w.got_bits[static_cast<std::size_t>(i)]);
}
void within_by_exact(Work& w) {
  const ExactRow row(w.x_double.data(), w.n, w.eps);
  for (std::int64_t i = 0; i < w.n; ++i)
    w.error[static_cast<std::size_t>(i)] =
        row.y(i, 1, 0).within_ulp(w.dtype, w.got_bits[static_cast<std::size_t>(i)], 1) ? 0 : 2;
}
void by_wide(Work& w) {
  const WideRow row(w.x_double.data(), w.n, w.eps);
  for (std::int64_t i = 0; i < w.n; ++i)
    w.error[static_cast<std::size_t>(i)] =
        row.y(i, 1, 0).error_ulp(w.dtype, w.got_bits[static_cast<std::size_t>(i)]);
}
void cpp_bin_float_100(Work& w) {
  boost_two_pass<boost::multiprecision::number<boost::multiprecision::cpp_bin_float<100>,
                                               boost::multiprecision::et_off>>(w);
}

/// What a kernel costs: y alone, no question asked. Nothing here may be reordered, so nothing is vectorised.
template <class T>
void two_pass(const T* x, std::int64_t n, double eps, double* y) {
  double sum = 0, squares = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(x[i]);
  const double mean = sum / static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = static_cast<double>(x[i]) - mean;
    squares += d * d;
  }
  const double rstd = 1 / std::sqrt(squares / static_cast<double>(n) + eps);
  for (std::int64_t i = 0; i < n; ++i) y[i] = (static_cast<double>(x[i]) - mean) * rstd;
}
void double_two_pass(Work& w) {
  if (w.dtype == DType::f32)
    two_pass(w.x_float.data(), w.n, w.eps, w.y.data());
  else  // of a half as well: the conversion is not a part of it
    two_pass(w.x_double.data(), w.n, w.eps, w.y.data());
}

}  // namespace

Work make_work(DType dtype, std::int64_t n) {
  Work w;
  w.dtype = dtype;
  w.n = n;
  CounterRng rng(1, 0x62656e63);  // "benc"
  const std::size_t size = size_of(dtype), count = static_cast<std::size_t>(n);
  for (auto* v : {&w.error, &w.uncertainty, &w.y}) v->resize(count);
  w.y_float.resize(count);
  for (std::size_t i = 0; i < count; ++i) w.bits.push_back(round_to(dtype, rng.normal()));
  for (const std::uint64_t b : w.bits) w.x_double.push_back(to_double(dtype, b));
  w.x_float.assign(w.x_double.begin(), w.x_double.end());
  const ExactRow exact(w.x_double.data(), n, w.eps);
  for (std::int64_t i = 0; i < n; ++i) w.got_bits.push_back(exact.y(i, 1, 0).round(dtype));
  for (const std::uint64_t b : w.got_bits) w.got_double.push_back(to_double(dtype, b));
  w.x.resize(count * size);
  w.got.resize(count * size);
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(w.x.data() + i * size, &w.bits[i], size);
    std::memcpy(w.got.data() + i * size, &w.got_bits[i], size);
  }
  return w;
}

std::vector<Path> paths(DType dtype) {
  using filter::InstructionSet;
  std::vector<Path> out = {
      {"double two-pass", double_two_pass, "scalar; y alone"},
      {"filter/baseline", by_filter<InstructionSet::baseline>, "certified error and uncertainty"},
  };
  if (filter::has(InstructionSet::avx2))
    out.push_back({"filter/avx2", by_filter<InstructionSet::avx2>, "certified error and uncertainty"});
  if (filter::has(InstructionSet::avx512))
    out.push_back({"filter/avx512", by_filter<InstructionSet::avx512>, "certified error and uncertainty"});
  out.push_back({"exact within 1 ulp", within_by_exact, "yes or no"});
  out.push_back({"exact", by_exact, "error in ulp"});
  out.push_back({"wide", by_wide, "error in ulp"});
  out.push_back({"cpp_bin_float_100", cpp_bin_float_100, "two passes, error in ulp"});
#ifdef NORMCHECK_MPFR
  out.push_back({"mpfr_float_100", mpfr_float_100, "two passes, error in ulp"});
#endif
  if (dtype == DType::f32 && filter::has(InstructionSet::avx2))
    out.push_back({"f32 two-pass, SIMD", f32_simd_two_pass, "AVX2; y alone"});
  return out;
}

}  // namespace normcheck::bench
