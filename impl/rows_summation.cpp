// Rows of two passes by sums in other orders, in trees, and compensated.
#include <array>

#include "impl/algorithms/pairwise.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> summation_rows() {
  static constexpr std::array rows = {
      make_row<Pairwise, Half>("pairwise/f16", expect::halves),
      make_row<Pairwise, BFloat16>("pairwise/bf16", expect::halves),
      make_row<Pairwise, float>("pairwise/f32", expect::pass),
      make_row<Pairwise, double>("pairwise/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
