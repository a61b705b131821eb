// The makers of the regimes by topic; gen.cpp lists them once, with what each is for.
#pragma once

#include "props/gen.h"

namespace normcheck::makers {

using Maker = Case(CounterRng& rng, const GenRequest& request);

// gen_moments.cpp: where mean and variance lie against each other.
Maker unit_normal, uniform01, heavy_tailed, large_mean, huge_mean, offset_ulps, bf16_spread, constant,
    near_constant, two_valued, integers_exact;

// gen_order.cpp: where the order of the elements matters.
Maker ramp, welford_ramp, outlier_first, outlier_last, two_blocks, unequal_chunks, sorted, alternating,
    sparse_zeros;

// gen_eps.cpp: where eps meets the variance.
Maker eps_scale, tiny_variance, zero_eps, large_eps, tiny_eps;

// gen_range.cpp: the ends of the format.
Maker tiny_x_large_gamma, subnormal, near_overflow, high_binades, wide_exponents, half_range, signed_zeros;

// gen_affine.cpp: gamma and beta.
Maker gamma_beta_random, gamma_with_zeros, cancelling_beta;

// gen_shape.cpp: shapes, and values that are not numbers.
Maker single_element, no_rows, broadcasting, special_values;

}  // namespace normcheck::makers
