// Rows of two passes by sequential sums, in every finish, root, division and eps.
#include <array>

#include "impl/algorithms/two_pass.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> two_pass_rows() {
  using enum Finish;
  using enum Root;
  static constexpr std::array rows = {
      make_row<TwoPass, Half>("two_pass/f16", expect::halves),
      make_row<TwoPass, BFloat16>("two_pass/bf16", expect::halves),
      make_row<TwoPass, float>("two_pass/f32", expect::pass),
      make_row<TwoPass, float, Variant{.finish = folded}>("two_pass/f32/folded", expect::pass),
      make_row<TwoPass, float, Variant{.finish = half_folded}>("two_pass/f32/half_folded", expect::pass),
      make_row<TwoPass, float, Variant{.root = newton0}>("two_pass/f32/newton0", expect::coarse_root),
      make_row<TwoPass, float, Variant{.root = newton1}>("two_pass/f32/newton1", expect::pass),
      make_row<TwoPass, float, Variant{.root = newton2}>("two_pass/f32/newton2", expect::pass),
      make_row<TwoPassByReciprocal, float>("two_pass/f32/by_reciprocal", expect::pass),
      make_row<TwoPass, float, Variant{.eps_f64 = true}>("two_pass/f32/eps_f64", expect::pass),
      make_row<TwoPass, float, Variant{.x_hat_storage = true}>("two_pass/f32/x_hat_storage",
                                                               expect::rounds_x_hat),
      make_row<TwoPass, double>("two_pass/f64", expect::pass),
      make_row<TwoPass, double, Variant{.finish = folded}>("two_pass/f64/folded", expect::pass),
      make_row<TwoPass, double, Variant{.finish = half_folded}>("two_pass/f64/half_folded", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
