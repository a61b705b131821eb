// The table of regimes, and the making of one case by its number.
#include "props/gen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "corpus/error.h"
#include "props/gen_makers.h"

namespace normcheck {
namespace {

constexpr bool beyond = true;
constexpr bool bounded = false;

// One line a regime: its name, what hides outside it, whether most rows are past any useful bound.
constexpr std::array table_of_regimes = {
    Regime{"unit_normal", "the control: right kernels are clean here, and most wrong ones pass", bounded,
           makers::unit_normal},
    Regime{"uniform01", "a mean beside the spread, all of one sign: a lost mean or a wrong divisor shows",
           bounded, makers::uniform01},
    Regime{"heavy_tailed", "a few elements carry the variance: a lost tail or a clamp shows", bounded,
           makers::heavy_tailed},
    Regime{"large_mean", "cancellation in E[x^2]-E[x]^2, which data of mean 0 hide", bounded,
           makers::large_mean},
    Regime{"huge_mean", "the same past every bound: only the class (no NaN, no inf) can be judged", beyond,
           makers::huge_mean},
    Regime{"offset_ulps", "a spread of a few ulp: a negative or zero variance, a shift that is lost", beyond,
           makers::offset_ulps},
    Regime{"bf16_spread", "one bfloat16 ulp of spread: f32 sums cancel though the data have 8 bits", bounded,
           makers::bf16_spread},
    Regime{"constant", "y is beta: a mean off by an ulp is magnified by 1/sqrt(eps)", bounded,
           makers::constant},
    Regime{"near_constant", "all equal but one neighbour: the largest condition number of its length", beyond,
           makers::near_constant},
    Regime{"two_valued", "masks and flags: equal deviations, so that errors add up instead of averaging out",
           bounded, makers::two_valued},
    Regime{"integers_exact",
           "sums and squares exact in any order: a wrong divisor or a lost element has no excuse", bounded,
           makers::integers_exact},
    Regime{"ramp", "positions and padding: an index that is off by one changes every element", bounded,
           makers::ramp},
    Regime{"welford_ramp", "a running mean that stagnates, every rounding the same way", beyond,
           makers::welford_ramp},
    Regime{"outlier_first", "a shift by the first element, a running mean that starts far away", bounded,
           makers::outlier_first},
    Regime{"outlier_last", "a last element that is lost, a tail that is not vectorised", bounded,
           makers::outlier_last},
    Regime{"two_blocks", "a sum that stops growing in a short format (2048 in f16, 256 in bf16)", bounded,
           makers::two_blocks},
    Regime{"unequal_chunks", "a merge without the term for the difference of the chunks' means", bounded,
           makers::unequal_chunks},
    Regime{"sorted", "a running mean that always lags behind", bounded, makers::sorted},
    Regime{"alternating", "a sum that cancels while its terms do not", bounded, makers::alternating},
    Regime{"sparse_zeros", "zeros that a kernel skips or counts twice", bounded, makers::sparse_zeros},
    Regime{"eps_scale", "eps outside the root, added twice, replaced or rounded: variance is near eps here",
           bounded, makers::eps_scale},
    Regime{"tiny_variance", "eps is nearly all there is under the root", bounded, makers::tiny_variance},
    Regime{"large_eps", "an eps of 1 and more: one that is clamped, or cast to the wrong type", bounded,
           makers::large_eps},
    Regime{"zero_eps", "an eps that is added where none was asked for", bounded, makers::zero_eps},
    Regime{"tiny_eps", "an eps next to 0 under the root: products of its reciprocal root overflow on the way",
           bounded, makers::tiny_eps},
    Regime{"tiny_x_large_gamma", "what underflowed in x_hat, lifted into sight by gamma", bounded,
           makers::tiny_x_large_gamma},
    Regime{"subnormal", "subnormals flushed to zero", bounded, makers::subnormal},
    Regime{"near_overflow", "squares and sums that overflow: outside the range of the bounds", beyond,
           makers::near_overflow},
    Regime{"high_binades",
           "raw squares overflow where those of deviations do not: merges, differences of sums", bounded,
           makers::high_binades},
    Regime{"wide_exponents", "every binade in one row: the small are absorbed, the large decide", bounded,
           makers::wide_exponents},
    Regime{"half_range", "squares above 65504: what is accumulated in f16 overflows", bounded,
           makers::half_range},
    Regime{"signed_zeros", "-0 and +0 are equal and have a sum", bounded, makers::signed_zeros},
    Regime{"gamma_beta_random", "gamma and beta of every size and sign, present together", bounded,
           makers::gamma_beta_random},
    Regime{"gamma_with_zeros", "columns that gamma switches off", bounded, makers::gamma_with_zeros},
    Regime{"cancelling_beta", "beta takes gamma*x_hat away: relative error where y is nearly 0", bounded,
           makers::cancelling_beta},
    Regime{"special_values", "NaN and infinities: they stay in their row, or in their column", bounded,
           makers::special_values},
    Regime{"single_element", "n = 1: y is beta, whatever gamma is", bounded, makers::single_element},
    Regime{"no_rows", "an empty batch", bounded, makers::no_rows},
    Regime{"broadcasting", "leading dims and normalized dims, equal extents: a swapped or wrapped axis",
           bounded, makers::broadcasting},
};

// FNV-1a: a regime's numbers hang on its name, not on its place in the table.
std::uint64_t name_hash(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char ch : name) hash = (hash ^ static_cast<unsigned char>(ch)) * 0x100000001b3U;
  return hash;
}

}  // namespace

std::span<const Regime> regimes() { return table_of_regimes; }

const Regime* find_regime(std::string_view name) {
  const auto found = std::find_if(table_of_regimes.begin(), table_of_regimes.end(),
                                  [name](const Regime& r) { return r.name == name; });
  return found == table_of_regimes.end() ? nullptr : &*found;
}

Case make_case(const Regime& regime, const GenRequest& request, std::uint64_t seed, std::uint64_t index) {
  const std::string where = "regime " + std::string(regime.name) + ": ";
  if (regime.make == nullptr) throw InputError(where + "it is none of the table; see `normcheck list`");
  if (!is_float(request.dtype))
    throw InputError(where + "dtype " + std::string(dtype_name(request.dtype)) +
                     "; expected f64, f32, f16 or bf16");
  if (request.rows < 0 || request.n < 1 || request.norm_ndim < 1)
    throw InputError(where + "rows " + std::to_string(request.rows) + ", n " + std::to_string(request.n) +
                     ", norm_ndim " + std::to_string(request.norm_ndim) +
                     "; expected rows >= 0, n >= 1, norm_ndim >= 1");
  CounterRng rng = CounterRng(seed, name_hash(regime.name))
                       .fork(static_cast<std::uint64_t>(request.dtype))
                       .fork(static_cast<std::uint64_t>(request.n))
                       .fork(index);
  Case c = regime.make(rng, request);
  c.id = std::string(regime.name) + "-" + std::string(dtype_name(request.dtype)) + "-" +
         std::to_string(request.n) + "-" + std::to_string(seed) + "-" + std::to_string(index);
  c.notes = {"regime " + std::string(regime.name) + ": " + std::string(regime.about)};
  return c;
}

}  // namespace normcheck
