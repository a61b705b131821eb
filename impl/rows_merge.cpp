// Rows that merge partial means and sums: lanes, blocks and trees.
#include <array>

#include "impl/algorithms/chan.h"
#include "impl/algorithms/lanes.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {
namespace {

using Lanes8 = Lanes<8>;
using Lanes8ByReciprocal = LanesByReciprocal<8>;

}  // namespace

std::span<const Row> merge_rows() {
  using enum Finish;
  using enum Root;
  static constexpr std::array rows = {
      make_row<Chan, Half>("chan/f16", expect::halves),
      make_row<Chan, BFloat16>("chan/bf16", expect::halves),
      make_row<Chan, float>("chan/f32", expect::pass),
      make_row<Chan, double>("chan/f64", expect::pass),
      make_row<Lanes<4>, float>("lanes4/f32", expect::pass),
      make_row<Lanes<4>, double>("lanes4/f64", expect::pass),
      make_row<Lanes8, Half>("lanes8/f16", expect::halves),
      make_row<Lanes8, BFloat16>("lanes8/bf16", expect::halves),
      make_row<Lanes8, float>("lanes8/f32", expect::pass),
      make_row<Lanes8, float, Variant{.finish = folded}>("lanes8/f32/folded", expect::pass),
      make_row<Lanes8, float, Variant{.finish = half_folded}>("lanes8/f32/half_folded", expect::pass),
      make_row<Lanes8, float, Variant{.root = newton0}>("lanes8/f32/newton0", expect::coarse_root),
      make_row<Lanes8, float, Variant{.root = newton1}>("lanes8/f32/newton1", expect::pass),
      make_row<Lanes8, float, Variant{.root = newton2}>("lanes8/f32/newton2", expect::pass),
      make_row<Lanes8ByReciprocal, float>("lanes8/f32/by_reciprocal", expect::pass),
      make_row<Lanes8, float, Variant{.eps_f64 = true}>("lanes8/f32/eps_f64", expect::pass),
      make_row<Lanes8, float, Variant{.x_hat_storage = true}>("lanes8/f32/x_hat_storage",
                                                              expect::rounds_x_hat),
      make_row<Lanes8, double>("lanes8/f64", expect::pass),
      make_row<Lanes8, double, Variant{.finish = folded}>("lanes8/f64/folded", expect::pass),
      make_row<Lanes8, double, Variant{.finish = half_folded}>("lanes8/f64/half_folded", expect::pass),
      make_row<Lanes<16>, float>("lanes16/f32", expect::pass),
      make_row<Lanes<16>, double>("lanes16/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
