// What the makers of regimes share: values of a format, rows, and the dress of eps, gamma and beta.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "corpus/case.h"
#include "corpus/generate.h"
#include "props/gen.h"

namespace normcheck::draw {

/// Fills one row with doubles meant for `dtype`; each is rounded to it afterwards.
using FillRow = void (*)(CounterRng& rng, DType dtype, std::span<double> row);

/// The magnitude with a sign drawn after it. Two draws never stand as operands of one operator or call: a
/// compiler may take them in either order.
inline double either_sign(CounterRng& rng, double magnitude) { return rng.coin() ? -magnitude : magnitude; }
/// Uniform in the logarithm up to the shape of one binade: 2^e (1+t), e in lo..hi, t in [0, 1).
double log_uniform(CounterRng& rng, std::int64_t lo, std::int64_t hi);
/// A number of the format in [2^e, 2^(e+1)) with random significand and its last bit set, so that no
/// product with it is exact by luck.
double full_significand(CounterRng& rng, DType dtype, std::int64_t e);

/// Bits of the type that a careful kernel accumulates in: f32's for the halves.
inline int accumulate_precision(DType dtype) { return dtype == DType::f64 ? 53 : 24; }
/// The exponent that magnitudes of everyday rows stay below (2^14 is near the top of f16).
inline std::int64_t everyday_exponent(DType dtype) { return dtype == DType::f16 ? 13 : 17; }
/// The smallest k with n <= 2^k.
int ceil_log2(std::int64_t n);
/// The largest e for which rows of n numbers with |mean| = 2^e * deviation keep a bound that says something:
/// n u 2^e stays under 2^-2, and the format of the data still has a bit for the deviation. At least 3.
std::int64_t bounded_mean_exponent(DType dtype, std::int64_t n);

/// n as a product of `parts` extents, chosen among n's divisors (a prime gives ones).
std::vector<std::int64_t> factor(CounterRng& rng, std::int64_t n, std::int64_t parts);

/// The request's eps if it is fixed; else half the time 1e-5, else other usual ones or any significand.
double choose_eps(CounterRng& rng, const GenRequest& request);

/// The problem without values: [rows, extents of n], eps chosen.
Case blank(CounterRng& rng, const GenRequest& request);
/// Fills x row by row. What would overflow the format is held at its largest finite number.
void fill_rows(CounterRng& rng, Case& c, FillRow fill);
void set_finite(Tensor& t, std::int64_t i, double value);

/// Adds gamma and beta, each present half the time, in x's dtype or, for halves, as often in f32. gamma is
/// of either sign and distinct by column. `y_scale` is the size of x_hat here: three in four betas have it,
/// since an ordinary beta beside a tiny x_hat hides it.
void dress(CounterRng& rng, Case& c, double y_scale = 1.0);
/// A zero tensor of c's normalized shape, in x's dtype or, for a half x, f32 as often.
Tensor column_tensor(CounterRng& rng, const Case& c);

/// The whole of a maker for regimes that only say what a row looks like.
template <FillRow fill>
Case rows_of(CounterRng& rng, const GenRequest& request) {
  Case c = blank(rng, request);
  fill_rows(rng, c, fill);
  dress(rng, c);
  return c;
}

}  // namespace normcheck::draw
