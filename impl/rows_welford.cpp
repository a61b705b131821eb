// Rows that update one running mean and one running sum of squared deviations.
#include <array>

#include "impl/algorithms/welford.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> welford_rows() {
  using enum Finish;
  static constexpr std::array rows = {
      make_row<Welford, Half>("welford/f16", expect::halves),
      make_row<Welford, BFloat16>("welford/bf16", expect::halves),
      make_row<Welford, float>("welford/f32", expect::pass),
      make_row<Welford, float, Variant{.finish = folded}>("welford/f32/folded", expect::pass),
      make_row<Welford, float, Variant{.finish = half_folded}>("welford/f32/half_folded", expect::pass),
      make_row<Welford, double>("welford/f64", expect::pass),
      make_row<Welford, double, Variant{.finish = folded}>("welford/f64/folded", expect::pass),
      make_row<Welford, double, Variant{.finish = half_folded}>("welford/f64/half_folded", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
