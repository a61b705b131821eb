// Rows of two passes by sums in other orders, in trees, and compensated.
#include <array>

#include "impl/algorithms/cascade.h"
#include "impl/algorithms/compensated_mean.h"
#include "impl/algorithms/kahan.h"
#include "impl/algorithms/neumaier.h"
#include "impl/algorithms/pairwise.h"
#include "impl/algorithms/reversed.h"
#include "impl/algorithms/warp_tree.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> summation_rows() {
  using enum Root;
  static constexpr std::array rows = {
      make_row<Pairwise, Half>("pairwise/f16", expect::halves),
      make_row<Pairwise, BFloat16>("pairwise/bf16", expect::halves),
      make_row<Pairwise, float>("pairwise/f32", expect::pass),
      make_row<Pairwise, double>("pairwise/f64", expect::pass),
      make_row<Reversed, float>("reversed/f32", expect::pass),
      make_row<Reversed, double>("reversed/f64", expect::pass),
      make_row<Cascade, float>("cascade/f32", expect::pass),
      make_row<Cascade, double>("cascade/f64", expect::pass),
      make_row<WarpTree, float>("warp_tree/f32", expect::pass),
      make_row<WarpTree, double>("warp_tree/f64", expect::pass),
      make_row<Kahan, float>("kahan/f32", expect::pass),
      make_row<Kahan, double>("kahan/f64", expect::pass),
      make_row<Neumaier, float>("neumaier/f32", expect::pass),
      make_row<Neumaier, double>("neumaier/f64", expect::pass),
      make_row<CompensatedMean, Half>("compensated_mean/f16", expect::halves),
      make_row<CompensatedMean, BFloat16>("compensated_mean/bf16", expect::halves),
      make_row<CompensatedMean, float>("compensated_mean/f32", expect::pass),
      make_row<CompensatedMean, float, Variant{.root = newton0}>("compensated_mean/f32/newton0",
                                                                 expect::coarse_root),
      make_row<CompensatedMean, float, Variant{.root = newton1}>("compensated_mean/f32/newton1",
                                                                 expect::pass),
      make_row<CompensatedMean, float, Variant{.root = newton2}>("compensated_mean/f32/newton2",
                                                                 expect::pass),
      make_row<CompensatedMean, float, Variant{.eps_f64 = true}>("compensated_mean/f32/eps_f64",
                                                                 expect::pass),
      make_row<CompensatedMean, float, Variant{.x_hat_storage = true}>("compensated_mean/f32/x_hat_storage",
                                                                       expect::rounds_x_hat),
      make_row<CompensatedMean, double>("compensated_mean/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
