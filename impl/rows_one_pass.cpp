// Rows that form the variance as a difference of sums: over one pass, and the correction of two.
#include <array>

#include "impl/algorithms/corrected.h"
#include "impl/algorithms/naive.h"
#include "impl/algorithms/naive_clamped.h"
#include "impl/algorithms/shifted.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {
namespace {

constexpr std::string_view hides_cancellation =
    "cancellation: E[x^2]-E[x]^2 loses the variance where the mean is large, and the floor at 0 hides the "
    "NaN";
constexpr std::string_view trusts_the_first =
    "taking off the first element cancels where that is an outlier: off up to 7.5 times what `stable` allows";
constexpr std::string_view may_be_negative =
    "sum(d^2)-(sum d)^2/n comes out below -eps, and y NaN, on constant rows of 1000 and more elements";

}  // namespace

std::span<const Row> one_pass_rows() {
  using enum Finish;
  static constexpr std::array rows = {
      make_row<Naive, Half>("naive/f16", expect::halves),
      make_row<Naive, BFloat16>("naive/bf16", expect::halves),
      make_row<Naive, float>("naive/f32", expect::cancels),
      make_row<Naive, float, Variant{.finish = folded}>("naive/f32/folded", expect::cancels),
      make_row<Naive, double>("naive/f64", expect::cancels),
      make_row<NaiveClamped, float>("naive_clamped/f32", hides_cancellation),
      make_row<NaiveClamped, double>("naive_clamped/f64", hides_cancellation),
      make_row<Shifted, float>("shifted/f32", trusts_the_first),
      make_row<Shifted, double>("shifted/f64", trusts_the_first),
      make_row<Corrected, float>("corrected/f32", may_be_negative),
      // In f64 both sums are of small multiples of an ulp, squared, and exact up to some 300,000 elements.
      make_row<Corrected, double>("corrected/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
