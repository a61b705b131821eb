// Rows that merge partial means and sums: lanes, blocks and trees.
#include <array>

#include "impl/algorithms/chan.h"
#include "impl/layer_norm.h"
#include "impl/rows.h"

namespace normcheck {

std::span<const Row> merge_rows() {
  static constexpr std::array rows = {
      make_row<Chan, Half>("chan/f16", expect::halves),
      make_row<Chan, BFloat16>("chan/bf16", expect::halves),
      make_row<Chan, float>("chan/f32", expect::pass),
      make_row<Chan, double>("chan/f64", expect::pass),
  };
  return rows;
}

}  // namespace normcheck
