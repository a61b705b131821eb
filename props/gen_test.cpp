// Promise: the same seed makes the same cases everywhere, each is valid, and together they reach every
// corner.
#include "props/gen.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

#include "corpus/case_file.h"
#include "corpus/error.h"
#include "impl/semantics.h"
#include "props/promise.h"

namespace normcheck {
namespace {

GenRequest request_of(DType dtype, std::int64_t rows, std::int64_t n, std::int64_t norm_ndim = 1) {
  return {.dtype = dtype, .rows = rows, .n = n, .norm_ndim = norm_ndim};
}

// Everything that a regime makes at a few lengths in all dtypes, as one digest of its canonical text.
std::string digest(const Regime& regime) {
  std::string text;
  for (const DType dtype : float_dtypes)
    for (const std::int64_t n : {1, 2, 3, 16, 60})
      for (std::uint64_t index = 0; index < 4; ++index)
        text += format_case(make_case(regime, request_of(dtype, 3, n, 1 + n % 3), 1, index));
  return sha256_hex(text).substr(0, 16);
}

struct Pinned {
  std::string_view regime;
  std::string_view digest;
};
// A digest changes only together with its regime, on purpose: old seeds then make other cases.
constexpr std::array pinned = {
    Pinned{"unit_normal", "d91331f293a799d6"},       Pinned{"uniform01", "84a01af2055ac948"},
    Pinned{"heavy_tailed", "7422a8754bcb4c48"},      Pinned{"large_mean", "1f36229229b072e0"},
    Pinned{"huge_mean", "2eda946f201bb293"},         Pinned{"offset_ulps", "0b76f5b5b792e3c1"},
    Pinned{"bf16_spread", "c6327382c7dfdf9b"},       Pinned{"constant", "053907868fe90fc6"},
    Pinned{"near_constant", "ccda0fc0452384fd"},     Pinned{"two_valued", "80390268e0b82b84"},
    Pinned{"integers_exact", "15019e75b1e87b75"},    Pinned{"ramp", "e15c7aa30b4a4ef7"},
    Pinned{"welford_ramp", "ac2bab0ef949e06e"},      Pinned{"outlier_first", "5b6cdb6d2b8f473f"},
    Pinned{"outlier_last", "47e8b887025a9747"},      Pinned{"two_blocks", "faaea31f2c8721ea"},
    Pinned{"unequal_chunks", "fde478d9896ec460"},    Pinned{"sorted", "17a02a379442a5d1"},
    Pinned{"alternating", "92bcac0ab7642e4f"},       Pinned{"sparse_zeros", "5bf2ac6b50575536"},
    Pinned{"eps_scale", "de01fe1e2f13c7e5"},         Pinned{"tiny_variance", "9aec10c96b433759"},
    Pinned{"large_eps", "320d8e7b8a08433f"},         Pinned{"zero_eps", "4c3de9bbc31ec250"},
    Pinned{"tiny_eps", "b8c9a323011a60d2"},          Pinned{"tiny_x_large_gamma", "cc9983541f06d5d1"},
    Pinned{"subnormal", "27e1f0edd7d51f9d"},         Pinned{"near_overflow", "f1d2b59e4b162b4a"},
    Pinned{"high_binades", "4e5d869a5f961187"},      Pinned{"wide_exponents", "d38f4bb778792f0f"},
    Pinned{"half_range", "71225c81b1bde9c8"},        Pinned{"signed_zeros", "f4b19d54abe62eda"},
    Pinned{"gamma_beta_random", "3c70954647e96604"}, Pinned{"gamma_with_zeros", "315db20d76c4b1dd"},
    Pinned{"cancelling_beta", "85eb77cc9a99f3df"},   Pinned{"special_values", "3e69e027eaeb7f44"},
    Pinned{"single_element", "a6b96c8204d80ed7"},    Pinned{"no_rows", "43ea5d7b56ecd4c9"},
    Pinned{"broadcasting", "38a7ab0f7b6caaa4"},
};

TEST(Gen, TheSameSeedMakesTheSameBytesOnEveryMachine) {
  std::string wrong;
  ASSERT_EQ(pinned.size(), regimes().size());
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    const std::string now = digest(regimes()[i]);
    if (pinned[i].regime != regimes()[i].name || pinned[i].digest != now)
      wrong += fmt::format("    Pinned{{\"{}\", \"{}\"}},\n", regimes()[i].name, now);
  }
  EXPECT_EQ(wrong, "") << "regimes whose cases are not the pinned ones";
  const Regime& regime = *find_regime("unit_normal");
  const GenRequest request = request_of(DType::f32, 2, 8);
  EXPECT_FALSE(make_case(regime, request, 1, 0).x == make_case(regime, request, 2, 0).x);
  EXPECT_FALSE(make_case(regime, request, 1, 0).x == make_case(regime, request, 1, 1).x);
  fmt::print("{} regimes, 80 cases each, as pinned\n", pinned.size());
}

// Why a made case is not what its regime promises; empty if it is.
std::string fault(const Case& c, const GenRequest& request, bool shape_is_free) {
  if (const auto why = refusal(c)) return *why;
  if (c.x.dtype != request.dtype) return "another dtype than asked for";
  if (!shape_is_free && (row_count(c) != request.rows || row_length(c) != request.n))
    return "another shape than asked for";
  if (c.id.empty() || c.notes.empty()) return "no id or no note";
  const std::set<std::int64_t> nan_rows(c.nan_rows.begin(), c.nan_rows.end());
  if ((c.expect == Expect::nan_rows) == nan_rows.empty()) return "expect and nan_rows disagree";
  std::set<std::int64_t> found;
  for (std::int64_t i = 0; i < c.x.size(); ++i)
    if (!std::isfinite(c.x.value(i))) found.insert(i / row_length(c));
  if (found != nan_rows) return "the rows that are not finite are not those of nan_rows";
  return {};
}

TEST(Gen, EveryRegimeMakesValidCasesOfEveryDtypeAtEveryLength) {
  const std::set<std::string_view> free_shape = {"constant", "single_element", "no_rows", "broadcasting"};
  std::int64_t count = 0;
  const auto check = [&](const Regime& regime, const GenRequest& request, std::uint64_t index) {
    const Case c = make_case(regime, request, promise_seed(), index);
    EXPECT_EQ(fault(c, request, free_shape.contains(regime.name)), "") << c.id;
    ++count;
  };
  for (const Regime& regime : regimes()) {
    EXPECT_FALSE(regime.about.empty()) << regime.name;
    EXPECT_EQ(find_regime(regime.name), &regime) << "a name that stands twice";
    for (const DType dtype : float_dtypes) {
      for (std::int64_t n = 1; n <= 40; ++n) check(regime, request_of(dtype, 2, n, 1 + n % 3), 0);
      for (std::uint64_t index = 0; index < 20; ++index) check(regime, request_of(dtype, 3, 17), index);
      for (const std::int64_t n : {1023, 4096, 65536}) check(regime, request_of(dtype, 1, n), 0);
      check(regime, request_of(dtype, 0, 5), 0);
    }
  }
  fmt::print("{} valid cases of {} regimes\n", count, regimes().size());

  const GenRequest request = request_of(DType::f32, 2, 4);
  Case bad = make_case(*find_regime("unit_normal"), request, 1, 0);
  bad.x.set_value(5, std::nan(""));
  EXPECT_NE(fault(bad, request, false), "") << "a NaN that nan_rows does not name is a fault";
}

TEST(Gen, AWrongRequestIsRefusedInOneLine) {
  const Regime& regime = regimes()[0];
  EXPECT_THROW(make_case(regime, request_of(DType::i32, 2, 4), 1, 0), InputError);
  EXPECT_THROW(make_case(regime, request_of(DType::f32, -1, 4), 1, 0), InputError);
  EXPECT_THROW(make_case(regime, request_of(DType::f32, 2, 0), 1, 0), InputError);
  EXPECT_THROW(make_case(Regime{"none", "", false, nullptr}, request_of(DType::f32, 2, 4), 1, 0), InputError);
  EXPECT_EQ(find_regime("no such regime"), nullptr);
  fmt::print("5 wrong requests refused\n");
}

TEST(Gen, AFixedEpsIsKept) {
  for (const Regime& regime : regimes()) {
    GenRequest request = request_of(DType::f32, 2, 9);
    request.eps = 0.125;
    request.fixed_eps = true;
    for (std::uint64_t index = 0; index < 10; ++index)
      EXPECT_EQ(make_case(regime, request, promise_seed(), index).eps, 0.125) << regime.name;
  }
  fmt::print("10 cases of each of {} regimes\n", regimes().size());
}

// What the rows of one regime are like, for a reader: by decades of kappa (0 below 10, 1 below 100, ...).
struct Met {
  std::int64_t rows = 0;
  std::array<std::int64_t, 8> kappa_decade = {};
  std::int64_t constant = 0;
  std::int64_t not_finite = 0;
  std::int64_t elements = 0;
  std::int64_t subnormal = 0;
  std::int64_t negative_zero = 0;
};

// The row is scaled by a power of two to a largest magnitude near 1: nothing here may underflow.
double ratio_of(const Case& c, std::int64_t row, double largest) {
  const std::int64_t n = row_length(c);
  const int down = -std::ilogb(largest);
  const auto x = [&](std::int64_t i) { return std::ldexp(c.x.value(row * n + i), down); };
  double mean = 0;
  for (std::int64_t i = 0; i < n; ++i) mean += x(i) / static_cast<double>(n);
  double variance = 0;
  for (std::int64_t i = 0; i < n; ++i) variance += (x(i) - mean) * (x(i) - mean) / static_cast<double>(n);
  return std::fabs(mean) / std::sqrt(variance);
}

void add_row(Met& met, const Case& c, std::int64_t row) {
  const std::int64_t n = row_length(c);
  const double normal = std::ldexp(1.0, format_of(c.x.dtype).emin);
  const double first = c.x.value(row * n);
  bool finite = true;
  bool constant = true;
  double largest = 0;
  for (std::int64_t i = row * n; i < (row + 1) * n; ++i) {
    const double x = c.x.value(i);
    finite = finite && std::isfinite(x);
    constant = constant && x == first;
    largest = std::max(largest, std::fabs(x));
    if (x != 0 && std::fabs(x) < normal) ++met.subnormal;
    if (x == 0 && std::signbit(x)) ++met.negative_zero;
  }
  met.elements += n;
  ++met.rows;
  if (!finite) {
    ++met.not_finite;
  } else if (constant) {
    ++met.constant;
  } else {
    const double ratio = ratio_of(c, row, largest);
    std::size_t decade = 0;
    for (double limit = 10; ratio >= limit && decade + 1 < met.kappa_decade.size(); limit *= 10) ++decade;
    ++met.kappa_decade[decade];
  }
}

Met add(Met a, const Met& b) {
  a.rows += b.rows;
  for (std::size_t i = 0; i < a.kappa_decade.size(); ++i) a.kappa_decade[i] += b.kappa_decade[i];
  a.constant += b.constant;
  a.not_finite += b.not_finite;
  a.elements += b.elements;
  a.subnormal += b.subnormal;
  a.negative_zero += b.negative_zero;
  return a;
}

TEST(Gen, TogetherTheRegimesReachEveryCorner) {
  Met all;
  std::array<std::int64_t, 4> dressed = {};  // neither, gamma, beta, both
  std::int64_t wide_gamma = 0;
  fmt::print("{:20}{:>7} |{:>6}{:>6}{:>6}{:>6}{:>6}{:>6}{:>6}{:>6} |{:>7}{:>7}{:>8}{:>7}\n",
             "rows by |mean|/sd", "rows", "<10", "<1e2", "<1e3", "<1e4", "<1e5", "<1e6", "<1e7", "more",
             "const", "nonfin", "subnorm%", "-0");
  for (const Regime& regime : regimes()) {
    Met met;
    for (const DType dtype : float_dtypes)
      for (const std::int64_t n : {5, 33, 200})
        for (std::uint64_t index = 0; index < 25; ++index) {
          const Case c = make_case(regime, request_of(dtype, 2, n), promise_seed(), index);
          for (std::int64_t row = 0; row < row_count(c); ++row) add_row(met, c, row);
          ++dressed[(c.gamma ? 1U : 0U) + (c.beta ? 2U : 0U)];
          if (c.gamma && c.gamma->dtype != c.x.dtype) ++wide_gamma;
        }
    const double share = met.elements == 0
                             ? 0
                             : 100.0 * static_cast<double>(met.subnormal) / static_cast<double>(met.elements);
    fmt::print("{:20}{:7} |", regime.name, met.rows);
    for (const std::int64_t count : met.kappa_decade) fmt::print("{:6}", count);
    fmt::print(" |{:7}{:7}{:8.1f}{:7}\n", met.constant, met.not_finite, share, met.negative_zero);
    if (regime.name != "no_rows") EXPECT_GT(met.rows, 0) << regime.name;
    all = add(all, met);
  }
  fmt::print("cases with neither, gamma, beta, both: {} {} {} {}; f32 gamma beside a half x: {}\n",
             dressed[0], dressed[1], dressed[2], dressed[3], wide_gamma);
  for (const std::int64_t count : all.kappa_decade) EXPECT_GT(count, 0) << "a decade of kappa never met";
  for (const std::int64_t count : dressed) EXPECT_GT(count, 0);
  EXPECT_GT(all.constant, 0);
  EXPECT_GT(all.not_finite, 0);
  EXPECT_GT(all.subnormal, 0);
  EXPECT_GT(all.negative_zero, 0);
  EXPECT_GT(wide_gamma, 0);
}

}  // namespace
}  // namespace normcheck
