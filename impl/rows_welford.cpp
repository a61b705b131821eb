// Rows that update one running mean and one running sum of squared deviations.
#include <array>

#include "impl/algorithms/welford.h"
#include "impl/algorithms/welford_reciprocal.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> welford_rows() {
  using enum Finish;
  using enum Root;
  static constexpr std::array rows = {
      make_row<Welford, Half>("welford/f16", expect::halves),
      make_row<Welford, BFloat16>("welford/bf16", expect::halves),
      make_row<Welford, float>("welford/f32", expect::pass),
      make_row<Welford, float, Variant{.finish = folded}>("welford/f32/folded", expect::pass),
      make_row<Welford, float, Variant{.finish = half_folded}>("welford/f32/half_folded", expect::pass),
      make_row<Welford, float, Variant{.root = newton0}>("welford/f32/newton0", expect::coarse_root),
      make_row<Welford, float, Variant{.root = newton1}>("welford/f32/newton1", expect::pass),
      make_row<Welford, float, Variant{.root = newton2}>("welford/f32/newton2", expect::pass),
      make_row<WelfordByReciprocal, float>("welford/f32/by_reciprocal", expect::pass),
      make_row<Welford, float, Variant{.eps_f64 = true}>("welford/f32/eps_f64", expect::pass),
      make_row<Welford, float, Variant{.x_hat_storage = true}>("welford/f32/x_hat_storage",
                                                               expect::rounds_x_hat),
      make_row<Welford, double>("welford/f64", expect::pass),
      make_row<Welford, double, Variant{.finish = folded}>("welford/f64/folded", expect::pass),
      make_row<Welford, double, Variant{.finish = half_folded}>("welford/f64/half_folded", expect::pass),
      make_row<WelfordReciprocal, float>("welford_reciprocal/f32", expect::pass),
      make_row<WelfordReciprocal, double>("welford_reciprocal/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
